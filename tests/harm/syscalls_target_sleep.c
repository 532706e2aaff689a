/*
 * syscalls_target_sleep.c - sleeps never end early or with EINTR. A long one
 * would never end if each signal restarted it.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SLEEP_NS (2 * MS)
#define LONG_SLEEP_NS (40 * MS)
#define N_SLEEPERS 25

static void run_nanosleep(struct slot *s)
{
    struct timespec t = { 0, SLEEP_NS };
    int64_t start = now_ns();

    (void)expect(s, "nanosleep", nanosleep(&t, NULL), 0);
    expect_lasted(s, "nanosleep", start, SLEEP_NS);
}

static void run_raw_nanosleep(struct slot *s)
{
    struct timespec t = { 0, SLEEP_NS }, left = { 77, 77 };
    int64_t start = now_ns();

    (void)expect(s, "nanosleep", syscall(SYS_nanosleep, &t, &left), 0);
    expect_lasted(s, "nanosleep", start, SLEEP_NS);
    (void)expect(s, "time left", left.tv_sec, 77);
}

static void run_long_nanosleep(struct slot *s)
{
    struct timespec t = { 0, LONG_SLEEP_NS };
    int64_t start = now_ns();

    (void)expect(s, "nanosleep", nanosleep(&t, NULL), 0);
    expect_lasted(s, "nanosleep", start, LONG_SLEEP_NS);
}

static void run_relative(struct slot *s)
{
    static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC,
                                        CLOCK_BOOTTIME };
    struct timespec t = { 0, SLEEP_NS };
    int64_t start = now_ns();

    (void)expect_code(s, "clock_nanosleep",
                      clock_nanosleep(clocks[draw(s, 3)], 0, &t, NULL), 0);
    expect_lasted(s, "clock_nanosleep", start, SLEEP_NS);
}

static void run_absolute(struct slot *s)
{
    int64_t start = now_ns();
    struct timespec t = after_ns(CLOCK_MONOTONIC, SLEEP_NS);

    (void)expect_code(s, "clock_nanosleep",
                      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL),
                      0);
    expect_lasted(s, "clock_nanosleep", start, SLEEP_NS);
}

/* The peer computes until the sleep is over. */
static void compute(struct slot *s)
{
    while (!s->is_acked)
        burn(50000);
}

static int64_t process_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void run_processor_clock(struct slot *s)
{
    struct timespec t = { 0, MS };
    int64_t before;

    peer_begin(s, compute);
    before = process_ns();
    (void)expect_code(s, "clock_nanosleep",
                      clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &t, NULL),
                      0);
    if (process_ns() - before < MS)
        differ(s, "clock_nanosleep is early by the processor's clock");
    s->is_acked = 1;
    peer_end(s);
}

static void run_usleep(struct slot *s)
{
    int64_t start = now_ns();

    (void)expect(s, "usleep", usleep(SLEEP_NS / 1000), 0);
    expect_lasted(s, "usleep", start, SLEEP_NS);
}

static void *sleep_second(void *left)
{
    *(unsigned *)left = sleep(1);
    return NULL;
}

/* sleep() takes whole seconds, so many threads sleep at a time. */
static void run_sleep(struct slot *s)
{
    pthread_t threads[N_SLEEPERS];
    unsigned left[N_SLEEPERS];
    int64_t start = now_ns();

    for (int i = 1; i < N_SLEEPERS; i++)
        must(pthread_create(&threads[i], NULL, sleep_second, &left[i]),
             "pthread_create");
    (void)sleep_second(&left[0]);
    expect_lasted(s, "sleep", start, 1000 * MS);
    for (int i = 1; i < N_SLEEPERS; i++)
        must(pthread_join(threads[i], NULL), "pthread_join");
    for (int i = 0; i < N_SLEEPERS; i++)
        (void)expect(s, "sleep", left[i], 0);
}

static void run_timerfd(struct slot *s)
{
    struct itimerspec t = { .it_value = { 0, SLEEP_NS } };
    int64_t start = now_ns();
    uint64_t n = 0;

    s->fd[0] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    must(timerfd_settime(s->fd[0], 0, &t, NULL), "timerfd_settime");
    (void)expect(s, "read of a timer", read(s->fd[0], &n, sizeof(n)),
                 sizeof(n));
    (void)expect(s, "expirations", (long)n, 1);
    expect_lasted(s, "the timer", start, SLEEP_NS);
}

const struct call sleep_calls[] = {
    { "nanosleep", run_nanosleep, NULL, NULL, 0 },
    { "nanosleep-40ms", run_long_nanosleep, NULL, NULL, 0 },
    { "raw-nanosleep", run_raw_nanosleep, NULL, NULL, 0 },
    { "clock_nanosleep-relative", run_relative, NULL, NULL, 0 },
    { "clock_nanosleep-absolute", run_absolute, NULL, NULL, 0 },
    { "clock_nanosleep-cpu", run_processor_clock, NULL, NULL, 0 },
    { "usleep", run_usleep, NULL, NULL, 0 },
    { "sleep", run_sleep, NULL, NULL, N_SLEEPERS },
    { "timerfd-read", run_timerfd, NULL, NULL, 0 },
    { 0 },
};
