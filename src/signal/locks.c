/*
 * locks.c - see locks.h.
 *
 * A place in the list of waiters belongs to the thread that claimed it. It is
 * looked for from the place of the lock's bucket on, so those that wait for one
 * lock lie together; how far from it they are, at most, is kept for each
 * bucket. The unlocker moves a waiter's time forward by exchange, so no time is
 * charged twice; the times of two waiters are hardly ever the same, so an
 * exchange does not succeed with a place that has changed hands meanwhile.
 */
#include "signal/locks.h"

#include <sys/syscall.h>
#include <time.h>

#include "signal/calls.h"
#include "signal/capture.h"
#include "signal/syscall.h"

#define PLACES 8192      /* a power of two */
#define MOST_PLACES 2048 /* that are tried */
#define CLAIMED ((uintptr_t)1)

struct waiter {
    _Atomic uintptr_t lock;    /* 0: free, CLAIMED: not filled in yet */
    _Atomic uint64_t since_ns; /* not charged yet */
};

struct cp_locks cp_locks;
_Thread_local bool cp_locks_hidden;
_Atomic uint32_t cp_waiters_in[CP_WAITERS_BUCKETS];
static _Atomic uint32_t reaches[CP_WAITERS_BUCKETS]; /* of each bucket */
static struct waiter waiters[PLACES];
static _Atomic uint64_t random_state = 0x853c49e6748fea9bu;

uint64_t cp_locks_now_ns(void)
{
    struct timespec t;

    if (cp_locks.now_ns)
        return cp_locks.now_ns();
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

static struct waiter *place_of(uint32_t bucket, uint32_t i)
{
    return &waiters[(bucket * (PLACES / CP_WAITERS_BUCKETS) + i) &
                    (PLACES - 1)];
}

/* All of the bucket's are within this many places. */
static void extend_reach(uint32_t bucket, uint32_t n)
{
    uint32_t reach = atomic_load(&reaches[bucket]);

    while (reach < n &&
           !atomic_compare_exchange_weak(&reaches[bucket], &reach, n))
        ;
}

static void enlist(const void *lock, struct cp_wait *wait)
{
    uint32_t bucket = cp_waiters_bucket(lock);

    for (uint32_t i = 0; i < MOST_PLACES; i++) {
        struct waiter *w = place_of(bucket, i);
        uintptr_t nobody = 0;

        if (atomic_load_explicit(&w->lock, memory_order_relaxed) ||
            !atomic_compare_exchange_strong(&w->lock, &nobody, CLAIMED))
            continue;
        extend_reach(bucket, i + 1);
        atomic_store(&w->since_ns, wait->begin_ns);
        atomic_store(&w->lock, (uintptr_t)lock);
        atomic_fetch_add(&cp_waiters_in[bucket], 1);
        wait->place = (uint32_t)(w - waiters) + 1;
        wait->bucket = bucket;
        return;
    }
    atomic_fetch_add(&cp_locks.n_unlisted, 1);
}

static void unlist(const struct cp_wait *wait)
{
    if (!wait->place)
        return;
    atomic_fetch_sub(&cp_waiters_in[wait->bucket], 1);
    atomic_store(&waiters[wait->place - 1].lock, 0);
}

void cp_wait_forget(const struct cp_wait *wait)
{
    unlist(wait);
    cp_trace_wait_forget(&wait->traced);
}

void cp_locks_forget_waiters(void)
{
    for (size_t i = 0; i < PLACES; i++)
        atomic_store(&waiters[i].lock, 0);
    for (size_t i = 0; i < CP_WAITERS_BUCKETS; i++)
        atomic_store(&cp_waiters_in[i], 0);
}

/* Locks have a holder, who is charged for those that wait. */
static bool has_holder(unsigned call)
{
    return call <= CP_WAIT_SPIN;
}

void cp_wait_begin(struct cp_wait *wait, unsigned call, const void *lock,
                   uintptr_t caller)
{
    uint64_t key = (uint64_t)(uintptr_t)lock;

    *wait = (struct cp_wait){ .begin_ns = cp_locks_now_ns(), .call = call };
    if (has_holder(call) && atomic_load(&cp_locks.mutex_fraction))
        enlist(lock, wait);
    if (!cp_trace_is_on())
        return;
    if (call == CP_WAIT_BARRIER) /* who comes last lets all others go */
        cp_locks_woke(lock, wait->begin_ns, caller);
    wait->traced = cp_trace_wait_begin(call, key, wait->begin_ns, caller);
}

static void record(uint64_t ns, enum cp_locks_what what, uintptr_t caller)
{
    uint64_t rate = atomic_load(&cp_locks.block_rate_ns);

    if (rate == 0 || !cp_locks.block.slots || cp_locks_hidden)
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

/* How long it took, at least 1; and that is written down. */
static uint64_t finish(const struct cp_wait *wait, uint64_t arg,
                       uintptr_t caller)
{
    uint64_t now = cp_locks_now_ns();
    struct cp_trace_event e = { .time_ns = now,
                                .begin_ns = wait->begin_ns,
                                .arg = arg,
                                .call = (uint8_t)wait->call };

    if (wait->traced.session)
        cp_trace_wait_end(&wait->traced, &e, caller);
    return now > wait->begin_ns ? now - wait->begin_ns : 1;
}

void cp_wait_end(const struct cp_wait *wait, uintptr_t caller)
{
    unlist(wait);
    record(finish(wait, wait->traced.lock, caller), cp_call_what(wait->call),
           caller);
}

void cp_wait_end_io(const struct cp_wait *wait, int64_t result,
                    uintptr_t caller)
{
    uint64_t ns = finish(wait, (uint64_t)result, caller);

    if (ns >= CP_WAIT_IO_LEAST_NS &&
        atomic_load_explicit(&cp_locks.is_block_io, memory_order_relaxed))
        record(ns, cp_call_what(wait->call), caller);
}

void cp_locks_woke(const void *lock, uint64_t time_ns, uintptr_t caller)
{
    struct cp_trace_event e = { .time_ns = time_ns,
                                .arg = (uint64_t)(uintptr_t)lock,
                                .kind = CP_TRACE_WAKE };

    cp_trace_note(e, NULL, caller);
}

/* What the waiters for a lock have waited since they were last asked. */
static uint64_t collect(const void *lock, uint64_t now, uint64_t *n)
{
    uint32_t bucket = cp_waiters_bucket(lock);
    uint32_t reach = atomic_load(&reaches[bucket]);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < reach; i++) {
        struct waiter *w = place_of(bucket, i);
        uint64_t since = atomic_load(&w->since_ns);

        if (atomic_load(&w->lock) != (uintptr_t)lock || since >= now ||
            !atomic_compare_exchange_strong(&w->since_ns, &since, now))
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
    ns = collect(lock, cp_locks_now_ns(), &n);
    if (n == 0 || (fraction > 1 && random_below(fraction) != 0))
        return;
    (void)cp_signal_capture(&cp_locks.mutex, caller, 0,
                            CP_LOCKS_PARTS * fraction, ns * fraction);
}
