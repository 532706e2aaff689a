/* test_own_thread - the error of a failed start names the limit. */
#include "runtime/threads/internal_thread.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

static int create_error; /* result of the replaced pthread_create */

static int fail_create(void *thread, const void *attr, void *(*start)(void *),
                       void *arg)
{
    (void)thread, (void)attr, (void)start, (void)arg;
    return create_error;
}

static void never(void *unused)
{
    (void)unused;
}

static bool fails_with(int number, const char *text)
{
    struct cp_error err = { 0 };

    create_error = number;
    return CHECK(cp_internal_thread_start("none", never, NULL, &err) !=
                 CP_OK) &&
           CHECK(strstr(err.msg, text));
}

static void limit(__rlimit_resource_t resource, rlim_t now)
{
    struct rlimit r;

    CHECK_INT(getrlimit(resource, &r), 0);
    r.rlim_cur = now < r.rlim_max ? now : r.rlim_max;
    CHECK_INT(setrlimit(resource, &r), 0);
}

static void test_other_errors(void)
{
    CHECK(fails_with(EPERM, "cannot start a thread: Operation not permitted"));
}

static void test_thread_limit(void)
{
    limit(RLIMIT_NPROC, 7);
    CHECK(fails_with(EAGAIN, "ulimit -u (now 7),"));
}

/* Size of the address space, bytes. */
__attribute__((unused)) static rlim_t address_space(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long n_pages = 0;

    CHECK(f && fscanf(f, "%lu", &n_pages) == 1);
    if (f)
        (void)fclose(f);
    return (rlim_t)n_pages * 4096;
}

/* These sanitizers reserve more address space than any limit. */
static void test_memory_limit(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    (void)fails_with(EAGAIN, "pids.max"); /* allocates what it needs */
    limit(RLIMIT_AS, 4096);
    CHECK(fails_with(EAGAIN, "no memory;"));
    limit(RLIMIT_AS, address_space() + (600 << 10)); /* room for a stack only */
    CHECK(fails_with(EAGAIN, "no memory;"));
    limit(RLIMIT_AS, RLIM_INFINITY);
#endif
    CHECK(fails_with(EAGAIN, "pids.max"));
}

int main(void)
{
    cp_internal_thread_set_creator(fail_create);
    RUN(test_other_errors);
    RUN(test_thread_limit);
    RUN(test_memory_limit);
    return check_failures != 0;
}
