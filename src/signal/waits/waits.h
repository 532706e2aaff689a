/*
 * locks - who waits for whom, and how long.
 *
 * Runs inside the hooks of mutexes and their kin, of any number of threads at
 * once: no lock of its own, nothing allocated.
 *
 * Two tables. `block` has the stacks that waited. `mutex` has the stacks that
 * let go of what others were waiting for: one wait in mutex_fraction is
 * followed (waiters.h), and whoever unlocks charges itself with the time that
 * those have waited since they were last charged for. So the sums of both
 * tables are of the same waiting.
 *
 * What is done between getting a lock and giving it back makes all others wait
 * longer, so as little as can be is done there: of a wait that is surely or
 * likely recorded the stack is taken before it, and the one who unlocks takes
 * its own when it has unlocked.
 *
 * A lock that nobody waits for is looked at once, at its unlock; when the
 * profiles are off, not at all.
 */
#ifndef CP_WAITS_H
#define CP_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/tables/samples.h"
#include "signal/trace/trace.h"
#include "signal/unwinder/regs.h"
#include "signal/waits/waiters.h"

/* Counts are kept in parts, because a sample may stand for 3.7 events. */
#define CP_WAITS_COUNT_SCALE 1024

struct cp_waits {
    _Atomic uint32_t is_enabled;     /* a rate is not 0, or a trace runs */
    _Atomic uint32_t is_io_enabled;  /* I/O is looked at, for one of them */
    _Atomic uint32_t is_block_io;    /* block_rate_ns is not 0, and io asked */
    _Atomic uint32_t is_traced;      /* a trace runs */
    _Atomic uint32_t is_published;   /* I/O is looked at, to say where it is */
    _Atomic uint64_t block_rate_ns;  /* 0: off; 1: every wait */
    _Atomic uint64_t mutex_fraction; /* 0: off; N: one wait in N */
    uint64_t (*now_ns)(void); /* libc's clock, which needs no system call */
    void (*on_change)(void);  /* of the above; the hooks', if there are any */
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

/* The monotonic clock, by which all waits are measured. */
uint64_t cp_waits_now_ns(void);

/*
 * A threshold that is drawn for a wait: it is in the block profile if it lasts
 * longer than that, so with a chance of its length / rate.
 */
struct cp_wait_threshold {
    uint64_t rate; /* 0: it is not, the profile is off */
    uint64_t ns;   /* below the rate */
};

/* A wait that has begun. */
struct cp_wait {
    uint64_t begin_ns; /* 0: nobody wants to know */
    struct cp_wait_threshold threshold;
    struct cp_waiter_slot waiter;
    unsigned call;               /* calls.h */
    struct cp_signal_slot *slot; /* of block, if the stack is known already */
    struct cp_trace_wait traced;
    bool is_published; /* in the thread's record alone */
};

/* Begins to wait, in this call (calls.h) and for that; NULL: not a thing. */
void cp_wait_begin(struct cp_wait *wait, unsigned call, const void *lock,
                   uintptr_t caller);

/*
 * The same for a sleep or a call of I/O; cp_wait_end_io must follow. By `here`,
 * the registers of the hook, its stack can be found while the call lasts;
 * `entry` is the function that the hook is of.
 */
void cp_wait_begin_io(struct cp_wait *wait, unsigned call,
                      const struct cp_signal_regs *here, uintptr_t entry,
                      uintptr_t caller);

/*
 * Has waited, and charges the caller's stack; cp_wait_abort: in vain, the
 * lock said so.
 */
void cp_wait_end(const struct cp_wait *wait, uintptr_t caller);
void cp_wait_abort(const struct cp_wait *wait);

/*
 * The same for a call that may not have had to wait, and what it returned:
 * short ones are not in the profile.
 */
void cp_wait_end_io(const struct cp_wait *wait, int64_t result,
                    uintptr_t caller);

/* In the child of a fork, where nobody else waits. */
void cp_waits_reset_after_fork(void);

/* What is known before a lock is let go of, to be told afterwards. */
struct cp_unlock_event {
    uint64_t wake_ns;              /* for a trace that wants to know; else 0 */
    struct cp_waiters_found found; /* whom the caller let wait */
};

/* Has an unlock to be looked at, by the profiles or by a trace? */
static inline bool cp_waits_have_waiters(const void *lock)
{
    return cp_waiters_has_sampled(lock) ||
           cp_trace_has_waiters((uint64_t)(uintptr_t)lock);
}

/* Before an unlock; before_wake: of what has no holder. */
struct cp_unlock_event cp_waits_before_unlock(const void *lock);
struct cp_unlock_event cp_waits_before_wake(const void *thing);

/* It is let go of. */
void cp_waits_after_unlock(const void *lock, const struct cp_unlock_event *go,
                           uintptr_t caller);

#endif
