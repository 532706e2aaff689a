/*
 * syscalls_target_poll.c - select, poll and epoll that end with a late event or
 * with a timeout.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMEOUT_NS (3 * MS)

/* Waits on fd[1] for at most timeout_ns; returns the result of the call. */
typedef int waiter(struct slot *s, int64_t timeout_ns);

static void write_late(struct slot *s)
{
    short_delay(s);
    (void)write_all(s->fd[0], "x", 1);
}

static void check_event(struct slot *s, waiter *wait, int64_t timeout_ns)
{
    open_pipe_in(s);
    peer_begin(s, write_late);
    (void)expect(s, "with an event", wait(s, timeout_ns), 1);
    peer_end(s);
    close_fds(s);
}

/* Waits for an event with and without a timeout; then for a timeout. */
static void check_wait(struct slot *s, waiter *wait)
{
    int64_t start;

    check_event(s, wait, draw(s, 2) ? LONG_NS : -1);
    open_pipe_in(s);
    start = now_ns();
    if (expect(s, "with a timeout", wait(s, TIMEOUT_NS), 0))
        expect_lasted(s, "the timeout", start, TIMEOUT_NS);
}

static struct timespec *span(int64_t ns, struct timespec *t)
{
    *t = (struct timespec){ ns / 1000000000, ns % 1000000000 };
    return ns < 0 ? NULL : t;
}

static int by_poll(struct slot *s, int64_t ns)
{
    struct pollfd p = { .fd = s->fd[1], .events = POLLIN };
    int n =
        poll(&p, 1, ns < 0 ? -1 : (int)(ns > 1000 * MS ? 1000000 : ns / MS));

    if (n == 1)
        (void)expect(s, "revents", p.revents, POLLIN);
    return n;
}

static int by_raw_poll(struct slot *s, int64_t ns)
{
    struct pollfd p = { .fd = s->fd[1], .events = POLLIN };

    return (int)syscall(SYS_poll, &p, 1,
                        ns < 0           ? -1
                        : ns > 1000 * MS ? 1000000
                                         : ns / MS);
}

static int by_ppoll(struct slot *s, int64_t ns)
{
    struct pollfd p = { .fd = s->fd[1], .events = POLLIN };
    struct timespec t;
    sigset_t none;

    (void)sigemptyset(&none);
    return ppoll(&p, 1, span(ns, &t), &none);
}

/* Linux writes back the remaining time. */
static int by_select(struct slot *s, int64_t ns)
{
    struct timeval t = { ns / 1000000000, ns % 1000000000 / 1000 };
    fd_set set;
    int n;

    FD_ZERO(&set);
    FD_SET(s->fd[1], &set);
    n = select(s->fd[1] + 1, &set, NULL, NULL, ns < 0 ? NULL : &t);
    if (n >= 0)
        (void)expect(s, "the set", !!FD_ISSET(s->fd[1], &set), n);
    if (n == 0)
        (void)expect(s, "time left", t.tv_sec * 1000000 + t.tv_usec, 0);
    return n;
}

static int by_pselect(struct slot *s, int64_t ns)
{
    struct timespec t;
    sigset_t none;
    fd_set set;

    FD_ZERO(&set);
    FD_SET(s->fd[1], &set);
    (void)sigemptyset(&none);
    return pselect(s->fd[1] + 1, &set, NULL, NULL, span(ns, &t), &none);
}

static void add_epoll(struct slot *s)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = 4711 };

    s->fd[2] = epoll_create1(EPOLL_CLOEXEC);
    must(epoll_ctl(s->fd[2], EPOLL_CTL_ADD, s->fd[1], &event), "epoll_ctl");
}

static int compared(struct slot *s, int n, const struct epoll_event *event)
{
    if (n == 1)
        (void)expect(s, "the event's data", (long)event->data.u64, 4711);
    return n;
}

static int milliseconds(int64_t ns)
{
    return ns < 0 ? -1 : (int)(ns > 1000 * MS ? 1000000 : ns / MS);
}

static int by_epoll_wait(struct slot *s, int64_t ns)
{
    struct epoll_event event;

    add_epoll(s);
    return compared(s, epoll_wait(s->fd[2], &event, 1, milliseconds(ns)),
                    &event);
}

static int by_epoll_pwait(struct slot *s, int64_t ns)
{
    struct epoll_event event;
    sigset_t none;

    add_epoll(s);
    (void)sigemptyset(&none);
    return compared(
        s, epoll_pwait(s->fd[2], &event, 1, milliseconds(ns), &none), &event);
}

static int by_epoll_pwait2(struct slot *s, int64_t ns)
{
    struct epoll_event event;
    struct timespec t;

    add_epoll(s);
    return compared(s, epoll_pwait2(s->fd[2], &event, 1, span(ns, &t), NULL),
                    &event);
}

static void run_poll(struct slot *s)
{
    check_wait(s, by_poll);
}

static void run_raw_poll(struct slot *s)
{
    check_wait(s, by_raw_poll);
}

static void run_ppoll(struct slot *s)
{
    check_wait(s, by_ppoll);
}

static void run_select(struct slot *s)
{
    check_wait(s, by_select);
}

static void run_pselect(struct slot *s)
{
    check_wait(s, by_pselect);
}

static void run_epoll_wait(struct slot *s)
{
    check_wait(s, by_epoll_wait);
}

static void run_epoll_pwait(struct slot *s)
{
    check_wait(s, by_epoll_pwait);
}

static void run_epoll_pwait2(struct slot *s)
{
    struct timespec none = { 0, 0 };
    struct epoll_event event;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    bool is_there = epoll_pwait2(fd, &event, 1, &none, NULL) == 0;

    (void)close(fd);
    if (is_there)
        check_wait(s, by_epoll_pwait2);
    else
        skip(s, "the kernel has no epoll_pwait2");
}

/* Waits without descriptors. */
static void run_empty_poll(struct slot *s)
{
    int64_t start = now_ns();

    if (expect(s, "poll", poll(NULL, 0, 3), 0))
        expect_lasted(s, "poll", start, 3 * MS);
}

static void run_empty_select(struct slot *s)
{
    struct timeval t = { 0, 3000 };
    int64_t start = now_ns();

    if (expect(s, "select", select(0, NULL, NULL, NULL, &t), 0))
        expect_lasted(s, "select", start, 3 * MS);
}

const struct call poll_calls[] = {
    { "poll", run_poll, NULL, NULL, 0 },
    { "raw-poll", run_raw_poll, NULL, NULL, 0 },
    { "ppoll", run_ppoll, NULL, NULL, 0 },
    { "select", run_select, NULL, NULL, 0 },
    { "pselect", run_pselect, NULL, NULL, 0 },
    { "epoll_wait", run_epoll_wait, NULL, NULL, 0 },
    { "epoll_pwait", run_epoll_pwait, NULL, NULL, 0 },
    { "epoll_pwait2", run_epoll_pwait2, NULL, NULL, 0 },
    { "poll-nothing", run_empty_poll, NULL, NULL, 0 },
    { "select-nothing", run_empty_select, NULL, NULL, 0 },
    { 0 },
};
