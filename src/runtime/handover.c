/* handover.c - see handover.h. */
#include "runtime/handover.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_start.h"
#include "base/instance.h"
#include "http/ask.h"
#include "http/token.h"
#include "runtime/threads.h"

#define MOST_GENERATIONS 32
#define ASK_MS 2000

/* 0: not known. */
static long parent_of(long pid)
{
    char path[64], text[512];
    const char *p;

    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    if (cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) <= 0)
        return 0;
    p = strrchr(text, ')');
    return p && strlen(p) > 4 ? strtol(p + 4, NULL, 10) : 0;
}

static bool is_descendant(long pid)
{
    long self = (long)getpid();

    for (int i = 0; i < MOST_GENERATIONS && pid > 1; i++) {
        pid = parent_of(pid);
        if (pid == self)
            return true;
    }
    return false;
}

/* Is the call with that number one in which a program only waits? */
static bool is_waiting_call(long number)
{
    static const long calls[] = {
        SYS_wait4, SYS_waitid, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
#ifdef SYS_pause
        SYS_pause,
#endif
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (calls[i] == number)
            return true;
    return false;
}

/* One thread besides ours, the first, and that one waits. */
static bool do_only_wait(void)
{
    char path[64], text[256];

    if (!cp_threads_is_single())
        return false;
    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/syscall",
                   (long)getpid());
    return cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) > 0 &&
           text[0] >= '0' && text[0] <= '9' &&
           is_waiting_call(strtol(text, NULL, 10));
}

bool cp_handover_may(long pid)
{
    return is_descendant(pid) && do_only_wait();
}

bool cp_handover_ask(const char *listen)
{
    char target[128];
    struct cp_http_question question = {
        .method = "POST", .target = target, .timeout_ms = ASK_MS, .out_fd = -1
    };
    struct cp_http_address address;
    struct cp_http_reply reply;

    (void)snprintf(target, sizeof(target),
                   "/debug/pprof/handover?pid=%ld&start=%llu", (long)getpid(),
                   (unsigned long long)cp_instance_start_ticks(getpid()));
    if (cp_http_address_parse(&address, listen, NULL) != CP_OK)
        return false;
    question.token = cp_http_token_for(&address);
    return cp_http_ask(&address, &question, &reply, NULL) == CP_OK &&
           reply.status == 200;
}

/* Whether a file of our parent's in /proc has these bytes in it. */
static bool has_parent(const char *name, const char *wanted, size_t len)
{
    char bytes[4096], path[64];
    size_t n_kept = 0;
    bool is_found = false;
    ssize_t n;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%ld/%s", (long)getppid(), name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (!is_found &&
           (n = read(fd, bytes + n_kept, sizeof(bytes) - n_kept)) > 0) {
        size_t all = n_kept + (size_t)n;

        is_found = memmem(bytes, all, wanted, len) != NULL;
        n_kept = all < len ? all : len;
        memmove(bytes, bytes + all - n_kept, n_kept);
    }
    (void)close(fd);
    return is_found;
}

/*
 * Who writes a title for ps over its environment (sshd) has none to show; that
 * it has the library must do.
 */
bool cp_handover_is_inherited(const char *listen)
{
    static const char library[] = "/libcpprof";
    char wanted[640];
    size_t len =
        (size_t)snprintf(wanted, sizeof(wanted), "PPROFLISTEN=%s", listen) + 1;

    return has_parent("environ", wanted, len) ||
           (!has_parent("environ", "=", 1) &&
            has_parent("maps", library, sizeof(library) - 1));
}
