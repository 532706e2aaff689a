/*
 * syscalls_target_futex.c - futex system calls that are woken or time out. No
 * other code uses the futex words, so that there is no spurious wake-up.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMEOUT_NS (3 * MS)
#define LONG_TIMEOUT_NS (40 * MS)

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

struct waited { /* struct futex_waitv, which old headers lack */
    uint64_t val, uaddr;
    uint32_t flags, reserved;
};

static long futex(struct slot *s, int op, uint32_t value,
                  const struct timespec *t)
{
    return syscall(SYS_futex, &s->word, op | FUTEX_PRIVATE_FLAG, value, t, NULL,
                   FUTEX_BITSET_MATCH_ANY);
}

/* Wakes until a waiter was woken or has seen the new value. */
static void wake_late(struct slot *s)
{
    short_delay(s);
    s->word = 1;
    while (futex(s, FUTEX_WAKE, INT_MAX, NULL) == 0 && !s->is_acked)
        pause_ns(50000);
}

/* 0 after a wake-up; EAGAIN if it came before the wait. */
static void check_wake(struct slot *s, int op, const struct timespec *t)
{
    long result;

    s->word = 0;
    peer_begin(s, wake_late);
    result = futex(s, op, 0, t);
    if (result != 0 && errno != EAGAIN)
        (void)expect(s, "futex", result, 0);
    (void)expect(s, "the word at the return", (long)s->word, 1);
    s->is_acked = 1;
    peer_end(s);
}

static void run_wait(struct slot *s)
{
    check_wake(s, FUTEX_WAIT, NULL);
}

static void run_wait_timed(struct slot *s)
{
    struct timespec t = { 3600, 0 };

    check_wake(s, FUTEX_WAIT, &t);
}

static void run_bitset(struct slot *s)
{
    struct timespec t = after_ns(CLOCK_MONOTONIC, LONG_NS);

    check_wake(s, FUTEX_WAIT_BITSET, &t);
}

static void check_timeout(struct slot *s, int op, const struct timespec *t,
                          int64_t start, int64_t ns)
{
    s->word = 0;
    if (expect_error(s, "futex", futex(s, op, 0, t), ETIMEDOUT))
        expect_lasted(s, "futex", start, ns);
}

static void run_wait_timeout(struct slot *s)
{
    struct timespec t = { 0, TIMEOUT_NS };

    check_timeout(s, FUTEX_WAIT, &t, now_ns(), TIMEOUT_NS);
}

static void run_long_timeout(struct slot *s)
{
    struct timespec t = { 0, LONG_TIMEOUT_NS };

    check_timeout(s, FUTEX_WAIT, &t, now_ns(), LONG_TIMEOUT_NS);
}

static void run_bitset_timeout(struct slot *s)
{
    int64_t start = now_ns();
    struct timespec t = after_ns(CLOCK_MONOTONIC, TIMEOUT_NS);

    check_timeout(s, FUTEX_WAIT_BITSET, &t, start, TIMEOUT_NS);
}

static void run_realtime_timeout(struct slot *s)
{
    struct timespec t = after_ns(CLOCK_REALTIME, TIMEOUT_NS);

    check_timeout(s, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, &t, 0, 0);
}

/* The peer holds the lock for a moment, or until the call has timed out. */
static void hold_pi(struct slot *s)
{
    bool is_short = !s->is_long;

    if (futex(s, FUTEX_LOCK_PI, 0, NULL) != 0)
        s->is_garbled = true;
    s->n_arrived = 1;
    __atomic_store_n(&s->child, 1, __ATOMIC_SEQ_CST);
    while (!is_short && !s->is_acked)
        pause_ns(100000);
    if (is_short)
        short_delay(s);
    (void)futex(s, FUTEX_UNLOCK_PI, 0, NULL);
}

static void begin_holding(struct slot *s, bool is_long)
{
    s->word = 0;
    s->child = 0;
    s->is_long = is_long;
    peer_begin(s, hold_pi);
    while (!__atomic_load_n(&s->child, __ATOMIC_SEQ_CST))
        pause_ns(50000);
}

static void run_lock_pi(struct slot *s)
{
    struct timespec t = after_ns(CLOCK_REALTIME, LONG_NS);

    begin_holding(s, false);
    if (expect(s, "FUTEX_LOCK_PI", futex(s, FUTEX_LOCK_PI, 0, &t), 0)) {
        (void)expect(s, "the owner", (long)(s->word & FUTEX_TID_MASK), s->tid);
        (void)futex(s, FUTEX_UNLOCK_PI, 0, NULL);
    }
    peer_end(s);
}

static void run_lock_pi_timeout(struct slot *s)
{
    struct timespec t;
    int64_t start;

    begin_holding(s, true);
    start = now_ns();
    t = after_ns(CLOCK_REALTIME, TIMEOUT_NS);
    (void)expect_error(s, "FUTEX_LOCK_PI", futex(s, FUTEX_LOCK_PI, 0, &t),
                       ETIMEDOUT);
    expect_lasted(s, "FUTEX_LOCK_PI", start, TIMEOUT_NS - MS);
    s->is_acked = 1;
    peer_end(s);
}

static long waitv(struct slot *s, _Atomic uint32_t *other,
                  const struct timespec *t)
{
    struct waited words[2] = {
        { 0, (uintptr_t)other, 2 | FUTEX_PRIVATE_FLAG, 0 },
        { 0, (uintptr_t)&s->word, 2 | FUTEX_PRIVATE_FLAG, 0 },
    };

    return syscall(SYS_futex_waitv, words, 2, 0, t, CLOCK_MONOTONIC);
}

static void run_waitv(struct slot *s)
{
    struct timespec t = after_ns(CLOCK_MONOTONIC, LONG_NS);
    _Atomic uint32_t other = 0;
    long result;

    if (syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) < 0 && errno == ENOSYS) {
        skip(s, "the kernel has no futex_waitv");
        return;
    }
    s->word = 0;
    peer_begin(s, wake_late);
    result = waitv(s, &other, draw(s, 2) ? &t : NULL);
    if (result < 0 && errno != EAGAIN)
        (void)expect(s, "futex_waitv", result, 1);
    s->is_acked = 1;
    peer_end(s);
}

static void run_waitv_timeout(struct slot *s)
{
    int64_t start = now_ns();
    struct timespec t = after_ns(CLOCK_MONOTONIC, TIMEOUT_NS);
    _Atomic uint32_t other = 0;
    long result;

    s->word = 0;
    result = waitv(s, &other, &t);
    if (result < 0 && errno == ENOSYS)
        skip(s, "the kernel has no futex_waitv");
    else if (expect_error(s, "futex_waitv", result, ETIMEDOUT))
        expect_lasted(s, "futex_waitv", start, TIMEOUT_NS);
}

const struct call futex_calls[] = {
    { "futex-wait", run_wait, NULL, NULL, 0 },
    { "futex-wait-timed", run_wait_timed, NULL, NULL, 0 },
    { "futex-wait-bitset", run_bitset, NULL, NULL, 0 },
    { "futex-wait-times-out", run_wait_timeout, NULL, NULL, 0 },
    { "futex-wait-times-out-40ms", run_long_timeout, NULL, NULL, 0 },
    { "futex-bitset-times-out", run_bitset_timeout, NULL, NULL, 0 },
    { "futex-realtime-times-out", run_realtime_timeout, NULL, NULL, 0 },
    { "futex-lock-pi", run_lock_pi, NULL, NULL, 0 },
    { "futex-lock-pi-times-out", run_lock_pi_timeout, NULL, NULL, 0 },
    { "futex-waitv", run_waitv, NULL, NULL, 0 },
    { "futex-waitv-times-out", run_waitv_timeout, NULL, NULL, 0 },
    { 0 },
};
