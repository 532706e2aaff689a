/*
 * locks.c - see locks.h.
 *
 * A place in the list of waiters belongs to the thread that claimed it; the
 * unlocker moves its time forward by exchange, so no time is charged twice.
 */
#include "signal/locks.h"

#include <sys/syscall.h>
#include <time.h>

#include "signal/capture.h"
#include "signal/syscall.h"

#define BUCKET 8 /* waiters that are listed under one bucket */

struct waiter {
    _Atomic uintptr_t lock;    /* 0: free */
    _Atomic uint64_t since_ns; /* not charged yet; 0: not known */
};

struct cp_locks cp_locks;
_Atomic uint8_t cp_waiters_in[CP_WAITERS_BUCKETS];
static struct waiter waiters[CP_WAITERS_BUCKETS * BUCKET];
static _Atomic uint64_t random_state = 0x853c49e6748fea9bu;

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)CP_SYSCALL(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t random_below(uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t x = atomic_fetch_add_explicit(&random_state, 0x9e3779b97f4a7c15u,
                                           memory_order_relaxed);

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (uint64_t)((wide)x * n >> 64);
}

static uint32_t enlist(const void *lock, uint64_t since_ns)
{
    uint32_t bucket = cp_waiters_bucket(lock);

    for (uint32_t i = bucket * BUCKET; i < (bucket + 1) * BUCKET; i++) {
        uintptr_t nobody = 0;

        if (!atomic_compare_exchange_strong(&waiters[i].lock, &nobody,
                                            (uintptr_t)lock))
            continue;
        atomic_store(&waiters[i].since_ns, since_ns);
        atomic_fetch_add(&cp_waiters_in[bucket], 1);
        return i + 1;
    }
    atomic_fetch_add(&cp_locks.n_unlisted, 1);
    return 0;
}

static void strike_off(uint32_t place)
{
    struct waiter *w = &waiters[place - 1];

    atomic_fetch_sub(&cp_waiters_in[(place - 1) / BUCKET], 1);
    atomic_store(&w->since_ns, 0);
    atomic_store(&w->lock, 0);
}

struct cp_wait cp_wait_begin(const void *lock)
{
    struct cp_wait wait = { .begin_ns = now_ns() };

    if (lock && atomic_load(&cp_locks.mutex_fraction))
        wait.place = enlist(lock, wait.begin_ns);
    return wait;
}

void cp_wait_end(struct cp_wait wait, enum cp_locks_what what, uintptr_t caller)
{
    uint64_t rate = atomic_load(&cp_locks.block_rate_ns);
    uint64_t now = now_ns(), ns = now > wait.begin_ns ? now - wait.begin_ns : 1;

    if (wait.place)
        strike_off(wait.place);
    if (rate == 0 || !cp_locks.block.slots)
        return;
    if (ns >= rate) {
        (void)cp_signal_capture(&cp_locks.block, caller, what, CP_LOCKS_PARTS,
                                ns);
        return;
    }
    /* A short wait is taken with the chance ns / rate, and stands for more. */
    if (random_below(rate) < ns)
        (void)cp_signal_capture(&cp_locks.block, caller, what,
                                CP_LOCKS_PARTS * rate / ns, rate);
}

/* What the waiters for a lock have waited since they were last asked. */
static uint64_t collect(const void *lock, uint64_t now, uint64_t *n)
{
    uint32_t bucket = cp_waiters_bucket(lock);
    uint64_t sum = 0;

    for (uint32_t i = bucket * BUCKET; i < (bucket + 1) * BUCKET; i++) {
        uint64_t since;

        if (atomic_load(&waiters[i].lock) != (uintptr_t)lock)
            continue;
        since = atomic_load(&waiters[i].since_ns);
        if (since >= now ||
            !atomic_compare_exchange_strong(&waiters[i].since_ns, &since, now))
            continue;
        sum += now - since;
        ++*n;
    }
    return sum;
}

void cp_locks_charge(const void *lock, uintptr_t caller)
{
    uint64_t fraction = atomic_load(&cp_locks.mutex_fraction);
    uint64_t n = 0, ns;

    if (fraction == 0 || !cp_locks.mutex.slots)
        return;
    ns = collect(lock, now_ns(), &n);
    if (n == 0 || (fraction > 1 && random_below(fraction) != 0))
        return;
    (void)cp_signal_capture(&cp_locks.mutex, caller, 0,
                            CP_LOCKS_PARTS * fraction, ns * fraction);
}
