/* tracee_state.c - reads /proc/TID/syscall and /proc/TID/status. */
#include "launch/tracee_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file_start.h"
#include "launch/tracee.h"

#define STATUS_BYTES 4096

/* Returns the number after `key` in /proc/TID/status; -1 if absent. */
static long read_status(pid_t tid, const char *key)
{
    char path[64], text[STATUS_BYTES];
    const char *at;

    (void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)tid);
    if (cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) <= 0)
        return -1;
    at = strstr(text, key);
    return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

void cp_tracee_state_read(pid_t tid, struct cp_tracee_state *out)
{
    char path[64], text[256], *at = text;

    *out = (struct cp_tracee_state){ .call = CP_TRACEE_RUNNING };
    (void)snprintf(path, sizeof(path), "/proc/%ld/syscall", (long)tid);
    if (cp_file_start(AT_FDCWD, path, 0, text, sizeof(text)) <= 0 ||
        text[0] == 'r')
        return;
    out->call = strtol(text, &at, 10);
    for (int i = 0; out->call >= 0 && i < 6; i++)
        out->args[i] = strtoull(at, &at, 16);
    out->n_sleeps = read_status(tid, "\nvoluntary_ctxt_switches:");
}

/*
 * Whether the socket has a receive timeout: such a receive ends with EINTR when
 * its thread is stopped.
 */
static bool has_receive_timeout(pid_t tid, int fd)
{
    struct timeval timeout = { 0, 0 };
    socklen_t len = sizeof(timeout);
    int process = -1, copy = -1;

#ifdef SYS_pidfd_getfd
    process = (int)syscall(SYS_pidfd_open, read_status(tid, "\nTgid:"), 0);
    if (process >= 0)
        copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
#endif
    if (copy >= 0)
        (void)getsockopt(copy, SOL_SOCKET, SO_RCVTIMEO, &timeout, &len);
    if (copy >= 0)
        (void)close(copy);
    if (process >= 0)
        (void)close(process);
    return timeout.tv_sec || timeout.tv_usec;
}

bool cp_tracee_state_may_stop(pid_t tid, const struct cp_tracee_state *p)
{
    const uint64_t *a = p->args;

    if (p->call == CP_TRACEE_RUNNING)
        return true;
    if (p->call < 0 || cp_tracee_rank(p->call) < 0)
        return false;
    switch (p->call) {
    case SYS_rt_sigtimedwait:
        return a[2] == 0;
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
        return a[3] == 0;
#endif
    case SYS_recvfrom:
        return !(a[3] & MSG_WAITALL) && !has_receive_timeout(tid, (int)a[0]);
    case SYS_recvmsg:
        return !(a[2] & MSG_WAITALL) && !has_receive_timeout(tid, (int)a[0]);
    case SYS_accept:
    case SYS_accept4:
    case SYS_read:
        return !has_receive_timeout(tid, (int)a[0]);
    default:
        return true;
    }
}
