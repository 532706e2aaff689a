/* waits.c - draws, records and charges waits. */
#include "signal/waits/waits.h"

#include <sys/syscall.h>
#include <time.h>

#include "signal/tables/calls.h"
#include "signal/tables/capture.h"
#include "signal/tables/random.h"
#include "signal/unwinder/syscall.h"

/* A threshold below rate / 4 makes a recording likely. */
#define EARLY_CAPTURE_FRACTION 4

struct cp_waits cp_waits;
static _Thread_local uint64_t rng;
static _Atomic uint64_t first_rng = 0x853c49e6748fea9bu;

uint64_t cp_waits_now_ns(void)
{
    struct timespec t;

    if (cp_waits.now_ns)
        return cp_waits.now_ns();
    (void)CP_SYSCALL(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns a uniform random number from 0 to n - 1. */
static uint64_t random_below(uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;

    if (rng == 0)
        rng = cp_random_mix(atomic_fetch_add(&first_rng, CP_RANDOM_STEP));
    return (uint64_t)((wide)cp_random_next(&rng) * n >> 64);
}

void cp_wait_abort(const struct cp_wait *wait)
{
    cp_waiters_exit(wait->waiter);
    cp_trace_wait_abort(&wait->traced);
}

void cp_waits_reset_after_fork(void)
{
    cp_waiters_reset_after_fork();
}

/* Whether the object has a holder that is charged for the waits. */
static bool has_holder(unsigned call)
{
    return call <= CP_WAIT_SPIN;
}

/* Traces that a waiter of this object was woken. */
static void trace_wake(const void *lock, uint64_t time_ns, uintptr_t caller)
{
    struct cp_trace_event e = { .time_ns = time_ns,
                                .arg = (uint64_t)(uintptr_t)lock,
                                .kind = CP_TRACE_WAKE };

    cp_trace_write(e, NULL, caller);
}

static bool is_block_on(uint64_t rate)
{
    return rate && cp_waits.block.slots && !cp_signal_is_internal;
}

/*
 * Decides whether a wait is sampled: one in `fraction`, or none if fraction is
 * 0.
 */
static bool draw_sampled(uint64_t fraction)
{
    return fraction == 1 || (fraction && random_below(fraction) == 0);
}

/*
 * Draws the threshold of a wait. If the wait is likely to be recorded, captures
 * the stack now and not when the thread holds the lock. Adding zero to the
 * counters of the sample fetches their cache line for later.
 */
static void draw_threshold(struct cp_wait *wait, uint64_t rate,
                           uintptr_t caller)
{
    wait->threshold.rate = rate;
    wait->threshold.ns = rate == 1 ? 0 : random_below(rate);
    CP_ASSERT(wait->threshold.ns < rate);
    if (wait->threshold.ns <= rate / EARLY_CAPTURE_FRACTION)
        wait->slot = cp_signal_capture(&cp_waits.block, caller,
                                       cp_call_wait_kind(wait->call), 0, 0);
}

void cp_wait_begin(struct cp_wait *wait, unsigned call, const void *lock,
                   uintptr_t caller)
{
    uint64_t rate =
        atomic_load_explicit(&cp_waits.block_rate_ns, memory_order_relaxed);
    uint64_t fraction = has_holder(call)
                            ? atomic_load_explicit(&cp_waits.mutex_fraction,
                                                   memory_order_relaxed)
                            : 0;
    bool is_sampled = draw_sampled(fraction), is_traced = cp_trace_is_on();

    CP_ASSERT(call > 0 && call < CP_WAIT_KINDS);
    *wait = (struct cp_wait){ .call = call };
    if (rate || is_sampled || is_traced)
        wait->begin_ns = cp_waits_now_ns();
    if (fraction)
        wait->waiter = cp_waiters_enter(lock, is_sampled ? wait->begin_ns : 0);
    if (is_block_on(rate))
        draw_threshold(wait, rate, caller);
    if (!is_traced)
        return;
    if (call == CP_WAIT_BARRIER) /* the last thread wakes all others */
        trace_wake(lock, wait->begin_ns, caller);
    wait->traced = cp_trace_wait_begin(call, (uint64_t)(uintptr_t)lock,
                                       wait->begin_ns, NULL, caller);
}

void cp_wait_begin_io(struct cp_wait *wait, unsigned call,
                      const struct cp_signal_regs *here, uintptr_t entry,
                      uintptr_t caller)
{
    CP_ASSERT(call > 0 && call < CP_CALLS);
    wait->call = call;
    wait->begin_ns = cp_waits_now_ns();
    wait->traced.session = 0;
    wait->is_published = false;
    if (cp_signal_self)
        atomic_store_explicit(&cp_signal_self->waits.entry, entry,
                              memory_order_relaxed);
    if (cp_trace_is_on())
        wait->traced =
            cp_trace_wait_begin(call, 0, wait->begin_ns, here, caller);
    else if (atomic_load_explicit(&cp_waits.is_published, memory_order_relaxed))
        wait->is_published = cp_trace_wait_publish(call, wait->begin_ns, here);
}

static void record(struct cp_wait_threshold threshold, uint64_t ns,
                   struct cp_signal_slot *slot, unsigned call, uintptr_t caller)
{
    uint64_t parts = CP_WAITS_COUNT_SCALE;

    CP_ASSERT(ns > 0 && threshold.rate > 0);
    /* A short wait is recorded with probability ns / rate, scaled up. */
    if (ns < threshold.rate) {
        if (ns <= threshold.ns)
            return;
        parts = parts * threshold.rate / ns;
        ns = threshold.rate;
    }
    if (slot)
        cp_signal_count(slot, parts, ns);
    else
        (void)cp_signal_capture(&cp_waits.block, caller,
                                cp_call_wait_kind(call), parts, ns);
}

/* Writes the trace event; returns the duration in ns, at least 1. */
static uint64_t finish(const struct cp_wait *wait, uint64_t arg,
                       uintptr_t caller)
{
    uint64_t now = cp_waits_now_ns();
    struct cp_trace_event e = { .time_ns = now,
                                .begin_ns = wait->begin_ns,
                                .arg = arg,
                                .call = (uint8_t)wait->call };

    if (wait->traced.session)
        cp_trace_wait_end(&wait->traced, &e, caller);
    else if (wait->is_published)
        cp_trace_wait_unpublish();
    return now > wait->begin_ns ? now - wait->begin_ns : 1;
}

void cp_wait_end(const struct cp_wait *wait, uintptr_t caller)
{
    uint64_t ns;

    cp_waiters_exit(wait->waiter);
    if (!wait->begin_ns)
        return;
    ns = finish(wait, wait->traced.lock, caller);
    if (wait->threshold.rate)
        record(wait->threshold, ns, wait->slot, wait->call, caller);
}

void cp_wait_end_io(const struct cp_wait *wait, int64_t result,
                    uintptr_t caller)
{
    uint64_t ns = finish(wait, (uint64_t)result, caller);
    struct cp_wait_threshold threshold = { .rate = atomic_load(
                                               &cp_waits.block_rate_ns) };

    if (ns < CP_WAIT_IO_MIN_NS || !is_block_on(threshold.rate) ||
        !atomic_load_explicit(&cp_waits.is_block_io, memory_order_relaxed))
        return;
    threshold.ns = random_below(threshold.rate);
    record(threshold, ns, NULL, wait->call, caller);
}

/*
 * Returns the count of a charged unlock, in units of 1 / CP_WAITS_COUNT_SCALE.
 * An unlock is charged if at least one of n waiters is sampled, with
 * probability p = 1 - (1 - 1 / fraction)^n, so it stands for 1 / p unlocks. The
 * loop computes p by squaring.
 */
static uint64_t parts_of(uint64_t fraction, uint32_t n_waiters)
{
    double chance = 0, power = 1 / (double)fraction;

    for (uint32_t n = n_waiters; n; n >>= 1) {
        if (n & 1)
            chance += power - chance * power;
        power += power - power * power;
    }
    CP_ASSERT(chance > 0 && chance <= 1);
    return (uint64_t)(CP_WAITS_COUNT_SCALE / chance + 0.5);
}

/* Charges the caller's stack in the mutex profile. */
static void charge(const struct cp_waiters_found *found, uintptr_t caller)
{
    uint64_t fraction = atomic_load(&cp_waits.mutex_fraction);

    if (fraction && cp_waits.mutex.slots)
        (void)cp_signal_capture(&cp_waits.mutex, caller, 0,
                                parts_of(fraction, found->n_all),
                                found->ns * fraction);
}

struct cp_unlock_event cp_waits_before_wake(const void *thing)
{
    struct cp_unlock_event event = { 0 };

    if (cp_trace_has_waiters((uint64_t)(uintptr_t)thing))
        event.wake_ns = cp_waits_now_ns();
    return event;
}

struct cp_unlock_event cp_waits_before_unlock(const void *lock)
{
    struct cp_unlock_event event = { 0 };
    uint64_t now_ns;

    if (!cp_waiters_has_sampled(lock))
        return cp_waits_before_wake(lock);
    cp_waiters_prefetch(lock);
    now_ns = cp_waits_now_ns();
    event.found = cp_waiters_collect(lock, now_ns);
    if (cp_trace_has_waiters((uint64_t)(uintptr_t)lock))
        event.wake_ns = now_ns;
    return event;
}

void cp_waits_after_unlock(const void *lock,
                           const struct cp_unlock_event *event,
                           uintptr_t caller)
{
    if (event->found.n_sampled)
        charge(&event->found, caller);
    if (event->wake_ns)
        trace_wake(lock, event->wake_ns, caller);
}
