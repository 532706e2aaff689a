/*
 * waits - measures waits for the block profile, the mutex profile and the
 * execution trace.
 *
 * Two sample tables. `block` has the stacks that waited. `mutex` has the stacks
 * that unlocked while others waited: one wait in mutex_fraction is sampled
 * (waiters.h), and the thread that unlocks is charged with the time that the
 * sampled threads have waited since the last unlock. So the totals of both
 * tables represent the same waits.
 *
 * Work between lock and unlock makes all other threads wait longer. So a stack
 * is captured before the wait if the wait is likely to be recorded, and the
 * stack of an unlocker after its unlock.
 *
 * Context: hooks of libc's functions, any number of threads at once.
 * Locking: none; nothing is allocated.
 * Ordering: the switches are relaxed: a hook may see a change late. The runtime
 *   allocates a table before it sets the rate, and never frees it.
 * Failure: a sample that does not fit is added to the table's lost samples.
 */
#ifndef CP_WAITS_H
#define CP_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/trace/trace.h"
#include "signal/waits/waiters.h"

/* Counts are in units of 1 / 1024: a sample may stand for 3.7 waits. */
#define CP_WAITS_COUNT_SCALE 1024

struct cp_waits {
    _Atomic uint32_t is_enabled;     /* a profile or a trace is on */
    _Atomic uint32_t is_io_enabled;  /* I/O calls are measured */
    _Atomic uint32_t is_block_io;    /* the block profile records I/O calls */
    _Atomic uint32_t is_traced;      /* an execution trace runs */
    _Atomic uint32_t is_published;   /* I/O calls are published in the record */
    _Atomic uint64_t block_rate_ns;  /* 0 means off; 1 means every wait */
    _Atomic uint64_t mutex_fraction; /* 0 means off; N means one wait in N */
    uint64_t (*now_ns)(void);        /* vDSO clock; NULL: use a system call */
    void (*on_change)(void);         /* called after a change, or NULL */
    struct cp_signal_samples block, mutex;
};

extern struct cp_waits cp_waits __attribute__((visibility("hidden")));

static inline bool cp_waits_are_enabled(void)
{
    return __builtin_expect(
        atomic_load_explicit(&cp_waits.is_enabled, memory_order_relaxed), 0);
}

static inline bool cp_waits_io_is_enabled(void)
{
    return __builtin_expect(
        atomic_load_explicit(&cp_waits.is_io_enabled, memory_order_relaxed), 0);
}

/* CLOCK_MONOTONIC, ns; all waits are measured by it. */
uint64_t cp_waits_now_ns(void);

/*
 * A threshold drawn for a wait. The wait is recorded if it lasts longer, so
 * with probability length / rate.
 */
struct cp_wait_threshold {
    uint64_t rate; /* ns; 0 if the profile is off */
    uint64_t ns;   /* uniform in 0 to rate - 1 */
};

/* A wait in progress. */
struct cp_wait {
    uint64_t begin_ns; /* 0 if the wait is not measured */
    struct cp_wait_threshold threshold;
    struct cp_waiter_slot waiter;
    unsigned call;               /* calls.h */
    struct cp_signal_slot *slot; /* stack in `block`; NULL: not captured */
    struct cp_trace_wait traced;
    bool is_published; /* in the thread's record, without a trace */
};

/*
 * Call before a wait in function `call` (calls.h). `lock` is the object that
 * the thread waits for, or NULL.
 */
void cp_wait_begin(struct cp_wait *wait, unsigned call, const void *lock,
                   uintptr_t caller);

/*
 * Call before a sleep or an I/O call; cp_wait_end_io must follow. `here` are
 * the registers of the hook, from which another thread can walk the stack
 * during the call. `entry` is the address of the hooked function.
 */
void cp_wait_begin_io(struct cp_wait *wait, unsigned call,
                      const struct cp_signal_regs *here, uintptr_t entry,
                      uintptr_t caller);

/*
 * Call one of these after a wait. cp_wait_end records it with the caller's
 * stack. cp_wait_abort drops it, for a lock function that failed without
 * waiting.
 */
void cp_wait_end(const struct cp_wait *wait, uintptr_t caller);
void cp_wait_abort(const struct cp_wait *wait);

/*
 * Call after a sleep or an I/O call that returned `result`. The block profile
 * does not record calls shorter than CP_WAIT_IO_MIN_NS.
 */
void cp_wait_end_io(const struct cp_wait *wait, int64_t result,
                    uintptr_t caller);

/* Empties the list of waiters in the child of a fork. */
void cp_waits_reset_after_fork(void);

/* An unlock: measured before it happens, recorded after it. */
struct cp_unlock_event {
    uint64_t wake_ns;              /* time for the trace; 0 if not traced */
    struct cp_waiters_found found; /* waiters that the caller is charged for */
};

/*
 * Whether threads may wait for the lock whose waits a profile or a trace needs.
 */
static inline bool cp_waits_have_waiters(const void *lock)
{
    return cp_waiters_has_sampled(lock) ||
           cp_trace_has_waiters((uint64_t)(uintptr_t)lock);
}

/* Call before an unlock, or before a wake of an object that has no holder. */
struct cp_unlock_event cp_waits_before_unlock(const void *lock);
struct cp_unlock_event cp_waits_before_wake(const void *thing);

/* Call after the unlock or the wake. */
void cp_waits_after_unlock(const void *lock, const struct cp_unlock_event *go,
                           uintptr_t caller);

#endif
