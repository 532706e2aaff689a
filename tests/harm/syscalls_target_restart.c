/*
 * syscalls_target_restart.c - the program's own signals during calls: with
 * SA_RESTART the call continues, without it the call returns EINTR, and each
 * signal is handled exactly once.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SLEEP_NS (4 * MS)

static void count(int number)
{
    (void)number;
    if (my_slot)
        my_slot->n_handled++;
}

/* SIGRTMAX has SA_RESTART; SIGUSR1 does not. */
__attribute__((constructor)) static void install(void)
{
    const struct sigaction action = { .sa_handler = count,
                                      .sa_flags = SA_RESTART };

    (void)sigaction(SIGRTMAX - 3, &action, NULL);
}

static void signal_then_feed(struct slot *s)
{
    short_delay(s);
    (void)pthread_kill(s->thread, SIGRTMAX - 3);
    feed_slowly(s);
}

static void run_restarted_read(struct slot *s)
{
    ssize_t n;

    open_pipe_in(s);
    s->total = 1;
    peer_begin(s, signal_then_feed);
    n = read(s->fd[1], s->room, 10);
    (void)expect(s, "read with SA_RESTART", n, 1);
    peer_end(s);
    (void)expect(s, "signals handled", s->n_handled, 1);
}

static void interrupt_then_feed(struct slot *s)
{
    short_delay(s);
    (void)pthread_kill(s->thread, SIGUSR1);
    pause_ns(300000);
    feed_slowly(s);
}

/* EINTR comes only from the program's own signal. */
static void run_interrupted_read(struct slot *s)
{
    ssize_t n;

    open_pipe_in(s);
    s->total = 1;
    peer_begin(s, interrupt_then_feed);
    n = read(s->fd[1], s->room, 10);
    if (n != 1) {
        (void)expect_error(s, "read without SA_RESTART", n, EINTR);
        (void)expect(s, "signals before EINTR", s->n_handled, 1);
        (void)read_all(s->fd[1], s->room, 1);
    }
    peer_end(s);
    (void)expect(s, "signals handled", s->n_handled, 1);
}

static void interrupt_once(struct slot *s)
{
    short_delay(s);
    (void)pthread_kill(s->thread, SIGUSR1);
}

/* Sleeps again for the remaining time; the sum is never too short. */
static void run_interrupted_sleep(struct slot *s)
{
    struct timespec t = { 0, SLEEP_NS }, left = { 0, 0 };
    int64_t start = now_ns();

    peer_begin(s, interrupt_once);
    if (nanosleep(&t, &left) != 0) {
        (void)expect(s, "signals before EINTR", s->n_handled, 1);
        (void)expect(s, "nanosleep of the rest", nanosleep(&left, NULL), 0);
    }
    expect_lasted(s, "nanosleep", start, SLEEP_NS);
    peer_end(s);
    (void)expect(s, "signals handled", s->n_handled, 1);
}

static void run_interrupted_poll(struct slot *s)
{
    int64_t start = now_ns();
    int n;

    peer_begin(s, interrupt_once);
    n = poll(NULL, 0, 4);
    if (n == 0) {
        expect_lasted(s, "poll", start, SLEEP_NS);
    } else {
        (void)expect_error(s, "poll", n, EINTR);
        (void)expect(s, "signals before EINTR", s->n_handled, 1);
    }
    peer_end(s);
    (void)expect(s, "signals handled", s->n_handled, 1);
}

static void stop_and_continue(struct slot *s)
{
    short_delay(s);
    (void)pthread_kill(s->thread, SIGUSR1);
    drain_slowly(s);
}

/* A write that the program's own handler interrupts returns its bytes. */
static void run_interrupted_write(struct slot *s)
{
    ssize_t n;
    size_t at;

    open_pipe_out(s);
    peer_begin(s, stop_and_continue);
    n = write(s->fd[1], s->data, s->total);
    at = n > 0 ? (size_t)n : 0;
    if (at < s->total) {
        (void)expect(s, "signals before a short write", s->n_handled, 1);
        (void)write_all(s->fd[1], s->data + at, s->total - at);
    }
    peer_end(s);
    (void)expect(s, "the reader", (long)s->n_arrived, (long)s->total);
    if (s->is_garbled)
        differ(s, "the reader gets other bytes");
    (void)expect(s, "signals handled", s->n_handled, 1);
}

const struct call restart_calls[] = {
    { "own-signal-restarts-read", run_restarted_read, NULL, NULL, 0 },
    { "own-signal-ends-read", run_interrupted_read, NULL, NULL, 0 },
    { "own-signal-ends-nanosleep", run_interrupted_sleep, NULL, NULL, 0 },
    { "own-signal-ends-poll", run_interrupted_poll, NULL, NULL, 0 },
    { "own-signal-cuts-write", run_interrupted_write, NULL, NULL, 0 },
    { 0 },
};
