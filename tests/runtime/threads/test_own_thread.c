/* test_own_thread - who gets no thread is told which limit to look at. */
#include "base/error.h"
#include "runtime/threads/own_thread.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

static int refusal;

static int refuse(void *thread, const void *attr, void *(*start)(void *),
                  void *arg)
{
    (void)thread, (void)attr, (void)start, (void)arg;
    return refusal;
}

static void never(void *unused)
{
    (void)unused;
}

static bool is_said(int number, const char *text)
{
    struct cp_error err = { 0 };

    refusal = number;
    return CHECK(cp_own_thread_start("none", never, NULL, &err) != CP_OK) &&
           CHECK(strstr(err.msg, text));
}

static void limit(__rlimit_resource_t resource, rlim_t now)
{
    struct rlimit r;

    CHECK_INT(getrlimit(resource, &r), 0);
    r.rlim_cur = now < r.rlim_max ? now : r.rlim_max;
    CHECK_INT(setrlimit(resource, &r), 0);
}

static void test_other(void)
{
    CHECK(is_said(EPERM, "no thread: Operation not permitted"));
}

static void test_number(void)
{
    limit(RLIMIT_NPROC, 7);
    CHECK(is_said(EAGAIN, "ulimit -u, which is 7;"));
}

/* What the process has mapped, in bytes. */
__attribute__((unused)) static rlim_t address_space(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long n_pages = 0;

    CHECK(f && fscanf(f, "%lu", &n_pages) == 1);
    if (f)
        (void)fclose(f);
    return (rlim_t)n_pages * 4096;
}

/* Of the sanitizers, two have more address space than any limit. */
static void test_room(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    (void)is_said(EAGAIN, "pids.max"); /* what it needs it has by now */
    limit(RLIMIT_AS, 4096);
    CHECK(is_said(EAGAIN, "no memory for it"));
    limit(RLIMIT_AS, address_space() + (600 << 10)); /* a stack would fit in */
    CHECK(is_said(EAGAIN, "no memory for it"));
    limit(RLIMIT_AS, RLIM_INFINITY);
#endif
    CHECK(is_said(EAGAIN, "pids.max"));
}

int main(void)
{
    cp_own_thread_set_creator(refuse);
    RUN(test_other);
    RUN(test_number);
    RUN(test_room);
    return check_failures != 0;
}
