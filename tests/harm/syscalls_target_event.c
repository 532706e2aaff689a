/* syscalls_target_event.c - eventfd and inotify, and children: pidfd and the
 * calls that wait for them. */
#include "syscalls_target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS 77

static void add_late(struct slot *s)
{
    uint64_t n = 5;

    short_delay(s);
    (void)write_all(s->fd[0], &n, sizeof(n));
}

static void run_eventfd_read(struct slot *s)
{
    uint64_t n = 0;

    s->fd[0] = eventfd(0, EFD_CLOEXEC);
    peer_begin(s, add_late);
    (void)expect(s, "read of an eventfd", read(s->fd[0], &n, sizeof(n)),
                 sizeof(n));
    (void)expect(s, "its value", (long)n, 5);
    peer_end(s);
}

static void take_late(struct slot *s)
{
    uint64_t n;

    short_delay(s);
    (void)read_all(s->fd[0], &n, sizeof(n));
}

/* The counter is at its limit. */
static void run_eventfd_write(struct slot *s)
{
    uint64_t n = UINT64_MAX - 1;

    s->fd[0] = eventfd(0, EFD_CLOEXEC);
    (void)write_all(s->fd[0], &n, sizeof(n));
    n = 3;
    peer_begin(s, take_late);
    (void)expect(s, "write to an eventfd", write(s->fd[0], &n, sizeof(n)),
                 sizeof(n));
    peer_end(s);
}

static const char *watched(struct slot *s, char path[300])
{
    (void)snprintf(path, 300, "%s/watched-%d", s->folder, s->index);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        fatal("mkdir");
    return path;
}

static void create_late(struct slot *s)
{
    char path[300], name[320];

    short_delay(s);
    (void)snprintf(name, sizeof(name), "%s/new", watched(s, path));
    (void)close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static void run_inotify(struct slot *s)
{
    union {
        struct inotify_event event;
        char bytes[1000];
    } u = { .bytes = { 0 } };
    char path[300], name[320];
    ssize_t n;

    (void)snprintf(name, sizeof(name), "%s/new", watched(s, path));
    (void)unlink(name);
    s->fd[0] = inotify_init1(IN_CLOEXEC);
    if (s->fd[0] < 0 || inotify_add_watch(s->fd[0], path, IN_CREATE) < 0) {
        skip(s, strerror(errno));
        return;
    }
    peer_begin(s, create_late);
    n = read(s->fd[0], u.bytes, sizeof(u.bytes));
    if (expect(s, "read of an inotify", n > 0 ? 1 : n, 1))
        (void)expect(s, "the event", (long)u.event.mask, IN_CREATE);
    peer_end(s);
}

/* A child that exits after a moment. */
static pid_t begin_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        struct timespec t = { 0, 700000 };

        (void)syscall(SYS_nanosleep, &t, NULL);
        _exit(STATUS);
    }
    must(child < 0 ? -1 : 0, "fork");
    return child;
}

static void check_child(struct slot *s, const char *what, pid_t child,
                        pid_t got, const int *status)
{
    if (!expect(s, what, got, child)) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        return;
    }
    (void)expect(s, "its status", *status, STATUS << 8);
}

static void run_waitpid(struct slot *s)
{
    int status = 0;
    pid_t child = begin_child();

    check_child(s, "waitpid", child, waitpid(child, &status, 0), &status);
}

static void run_wait4(struct slot *s)
{
    struct rusage usage;
    int status = 0;
    pid_t child = begin_child();

    check_child(s, "wait4", child, wait4(child, &status, 0, &usage), &status);
}

static void run_raw_wait4(struct slot *s)
{
    int status = 0;
    pid_t child = begin_child();

    check_child(s, "wait4", child,
                (pid_t)syscall(SYS_wait4, child, &status, 0, NULL), &status);
}

static void run_waitid(struct slot *s)
{
    siginfo_t info = { 0 };
    pid_t child = begin_child();

    if (expect(s, "waitid", waitid(P_PID, (id_t)child, &info, WEXITED), 0)) {
        (void)expect(s, "the child", info.si_pid, child);
        (void)expect(s, "its status", info.si_status, STATUS);
    } else {
        (void)waitpid(child, NULL, 0);
    }
}

static void run_pidfd(struct slot *s)
{
    pid_t child = begin_child();
    struct pollfd p = { .events = POLLIN };

    p.fd = s->fd[0] = (int)syscall(SYS_pidfd_open, child, 0);
    if (p.fd < 0)
        skip(s, "the kernel has no pidfd_open");
    else
        (void)expect(s, "poll of a pidfd", poll(&p, 1, 3600 * 1000), 1);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* The parent of a vfork child blocks in the kernel. */
static void run_vfork(struct slot *s)
{
    static const struct timespec t = { 0, 700000 };
    pid_t child = vfork();
    int status = 0;

    if (child == 0) {
        (void)syscall(SYS_nanosleep, &t, NULL);
        _exit(STATUS);
    }
    must(child < 0 ? -1 : 0, "vfork");
    check_child(s, "waitpid", child, waitpid(child, &status, 0), &status);
}

/* SIGCHLD is ignored, so that no other thread is interrupted by it. */
static void fork_often(struct slot *s)
{
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(STATUS);
        must(child < 0 ? -1 : 0, "fork");
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    (void)write_all(s->fd[0], "x", 1);
}

static void run_fork_beside(struct slot *s)
{
    ssize_t n;

    open_stream_timed(s);
    peer_begin(s, fork_often);
    n = read(s->fd[1], s->room, 10);
    (void)expect(s, "read while others fork", n, 1);
    peer_end(s);
}

const struct call event_calls[] = {
    { "eventfd-read", run_eventfd_read, NULL, NULL, 0 },
    { "eventfd-write", run_eventfd_write, NULL, NULL, 0 },
    { "inotify-read", run_inotify, NULL, NULL, 0 },
    { 0 },
};

const struct call process_calls[] = {
    { "waitpid", run_waitpid, NULL, NULL, 0 },
    { "wait4", run_wait4, NULL, NULL, 0 },
    { "raw-wait4", run_raw_wait4, NULL, NULL, 0 },
    { "waitid", run_waitid, NULL, NULL, 0 },
    { "pidfd-poll", run_pidfd, NULL, NULL, 0 },
    { "vfork", run_vfork, NULL, NULL, 0 },
    { "read-beside-forks", run_fork_beside, NULL, NULL, 0 },
    { 0 },
};
