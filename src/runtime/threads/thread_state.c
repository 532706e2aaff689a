/* thread_state.c - parses stat, status and wchan of a thread in /proc. */
#include "runtime/threads/thread_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert/assert.h"

/* System calls that threads sleep in, the most frequent first. */
static const struct call {
    long number;
    const char *name;
} calls[] = {
    { SYS_futex, "futex" },
#ifdef SYS_epoll_wait
    { SYS_epoll_wait, "epoll_wait" },
#endif
    { SYS_epoll_pwait, "epoll_wait" },
#ifdef SYS_poll
    { SYS_poll, "poll" },
#endif
    { SYS_ppoll, "poll" },
#ifdef SYS_select
    { SYS_select, "select" },
#endif
    { SYS_pselect6, "select" },
    { SYS_read, "read" },
    { SYS_recvfrom, "recv" },
    { SYS_recvmsg, "recv" },
    { SYS_accept, "accept" },
    { SYS_accept4, "accept" },
    { SYS_nanosleep, "sleep" },
    { SYS_clock_nanosleep, "sleep" },
    { SYS_write, "write" },
    { SYS_sendto, "send" },
    { SYS_sendmsg, "send" },
    { SYS_connect, "connect" },
    { SYS_wait4, "wait" },
    { SYS_waitid, "wait" },
    { SYS_rt_sigtimedwait, "sigwait" },
    { SYS_rt_sigsuspend, "sigsuspend" },
#ifdef SYS_pause
    { SYS_pause, "pause" },
#endif
    { SYS_fsync, "fsync" },
    { SYS_fdatasync, "fsync" },
    { SYS_flock, "flock" },
    { SYS_fcntl, "fcntl" },
    { SYS_readv, "read" },
    { SYS_pread64, "read" },
    { SYS_writev, "write" },
    { SYS_pwrite64, "write" },
    { SYS_preadv, "read" },
    { SYS_pwritev, "write" },
    { SYS_recvmmsg, "recv" },
    { SYS_sendmmsg, "send" },
    { SYS_sendfile, "sendfile" },
    { SYS_splice, "splice" },
    { SYS_openat, "open" },
    { SYS_ioctl, "ioctl" },
    { SYS_msgrcv, "msgrcv" },
    { SYS_msgsnd, "msgsnd" },
    { SYS_semop, "semop" },
    { SYS_semtimedop, "semop" },
    { SYS_mq_timedreceive, "mq_receive" },
    { SYS_mq_timedsend, "mq_send" },
    { SYS_io_getevents, "io_getevents" },
    { SYS_restart_syscall, "restart" }, /* a sleep or poll, after a stop */
    { SYS_clone, "fork" },
    { SYS_execve, "exec" },
#ifdef SYS_vfork
    { SYS_vfork, "vfork" },
#endif
#ifdef SYS_epoll_pwait2
    { SYS_epoll_pwait2, "epoll_wait" },
#endif
#ifdef SYS_futex_waitv
    { SYS_futex_waitv, "futex" },
#endif
#ifdef SYS_io_uring_enter
    { SYS_io_uring_enter, "io_uring" },
#endif
};

void cp_thread_file_read(int32_t tid, const char *name, char *out, size_t cap)
{
    char path[64];
    ssize_t n = 0;
    int fd;

    CP_ASSERT(tid > 0 && cap > 0);
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, out, cap - 1);
        (void)close(fd);
    }
    out[n > 0 ? n : 0] = '\0';
}

/*
 * Names the system call of a string "NUMBER ARGUMENTS..."; leaves `out`
 * unchanged for any other string.
 */
static void name_call(const char *text, char *out, size_t cap)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || number < 0)
        return;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (calls[i].number == number) {
            (void)snprintf(out, cap, "%s", calls[i].name);
            return;
        }
    }
    (void)snprintf(out, cap, "syscall %ld", number);
}

/* Names the system call, or the kernel function if there is no call. */
static void name_wait(int32_t tid, const char *syscall_text,
                      struct cp_thread_state *s)
{
    char text[256];

    name_call(syscall_text, s->wait, sizeof(s->wait));
    if (s->wait[0])
        return;
    cp_thread_file_read(tid, "wchan", text, sizeof(text));
    if (strcmp(text, "0") != 0)
        (void)snprintf(s->wait, sizeof(s->wait), "%.31s", text);
}

bool cp_thread_blocks_signal(int32_t tid, int sig)
{
    char text[4096];
    const char *at;

    cp_thread_file_read(tid, "status", text, sizeof(text));
    at = strstr(text, "\nSigBlk:");
    return at && sig && strtoull(at + 8, NULL, 16) >> (sig - 1) & 1;
}

bool cp_thread_state_read(int32_t tid, const char *syscall_text, int sig,
                          struct cp_thread_state *out)
{
    char text[512], *open, *close;
    size_t len;

    *out = (struct cp_thread_state){ 0 };
    cp_thread_file_read(tid, "stat", text, sizeof(text));
    open = strchr(text, '(');
    close = strrchr(text, ')'); /* a name may contain ')' */
    if (!open || !close || close[1] != ' ')
        return false;
    len = (size_t)(close - open - 1);
    if (len >= sizeof(out->name))
        len = sizeof(out->name) - 1;
    CP_ASSERT(len < sizeof(out->name));
    memcpy(out->name, open + 1, len);
    out->letter = close[2];
    if (out->letter != 'R')
        name_wait(tid, syscall_text, out);
    if (sig)
        out->blocks_signal = cp_thread_blocks_signal(tid, sig);
    return true;
}

const char *cp_thread_state_name(char letter)
{
    switch (letter) {
    case 'R':
        return "running";
    case 'S':
        return "sleeping";
    case 'D':
        return "uninterruptible";
    case 'T':
        return "stopped";
    case 't':
        return "traced";
    case 'Z':
    case 'X':
        return "dead";
    case 'I':
        return "idle";
    default:
        return "unknown";
    }
}
