/*
 * locks - who waits for whom, and how long.
 *
 * Runs inside the hooks of mutexes and their kin, of any number of threads at
 * once: no lock of its own, nothing allocated.
 *
 * Two tables. `block` has the stacks that waited. `mutex` has the stacks that
 * let go of what others were waiting for: a thread that waits for a lock is
 * entered in a list under the lock's address, and whoever unlocks it charges
 * itself with the time that each of them has waited since it was last charged
 * for. So the sums of both tables are of the same waiting.
 *
 * The price of a lock that nobody waits for is one load when the profiles are
 * off, and a second one at its unlock when they are on.
 */
#ifndef CP_SIGNAL_LOCKS_H
#define CP_SIGNAL_LOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/samples.h"
#include "signal/trace.h"

/* Counts are kept in parts, because a sample may stand for 3.7 events. */
#define CP_LOCKS_PARTS 1024

/* What was waited for; the state of a block sample. */
enum cp_locks_what {
    CP_WAIT_MUTEX = 1,
    CP_WAIT_READ,
    CP_WAIT_WRITE,
    CP_WAIT_SPIN,
    CP_WAIT_COND,
    CP_WAIT_SEM,
    CP_WAIT_BARRIER,
    CP_WAIT_JOIN,
    CP_WAIT_SLEEP,
    CP_WAIT_IO,
    CP_WAIT_POLL,
    CP_WAIT_CHILD,
    CP_WAIT_KINDS,
};

struct cp_locks {
    _Atomic uint32_t is_on;          /* a rate is not 0, or a trace runs */
    _Atomic uint32_t is_io_on;       /* I/O is looked at, for one of them */
    _Atomic uint32_t is_block_io;    /* block_rate_ns is not 0, and io asked */
    _Atomic uint64_t block_rate_ns;  /* 0: off; 1: every wait */
    _Atomic uint64_t mutex_fraction; /* 0: off; N: one unlock in N */
    uint64_t (*now_ns)(void); /* libc's clock, which needs no system call */
    struct cp_signal_samples block, mutex;
    _Atomic uint64_t n_unlisted; /* waiters that found no room in the list */
};

extern struct cp_locks cp_locks;

/* Waits of the library's own threads are not counted. */
extern _Thread_local bool cp_locks_hidden
    __attribute__((tls_model("initial-exec")));

static inline bool cp_locks_are_on(void)
{
    return __builtin_expect(
        atomic_load_explicit(&cp_locks.is_on, memory_order_relaxed), 0);
}

static inline bool cp_locks_io_is_on(void)
{
    return __builtin_expect(
        atomic_load_explicit(&cp_locks.is_io_on, memory_order_relaxed), 0);
}

/* The monotonic clock, by which all waits are measured. */
uint64_t cp_locks_now_ns(void);

/* A wait that has begun. */
struct cp_wait {
    uint64_t begin_ns;
    uint32_t place; /* in the list, + 1; 0: not in it */
    uint32_t bucket;
    unsigned call; /* calls.h */
    struct cp_trace_wait traced;
};

/* Begins to wait, in this call (calls.h) and for that; NULL: not a thing. */
void cp_wait_begin(struct cp_wait *wait, unsigned call, const void *lock,
                   uintptr_t caller);

/*
 * Has waited, and charges the caller's stack; cp_wait_forget: in vain, the
 * lock said so.
 */
void cp_wait_end(const struct cp_wait *wait, uintptr_t caller);
void cp_wait_forget(const struct cp_wait *wait);

/*
 * The same for a call that may not have had to wait, and what it returned:
 * short ones are not in the profile.
 */
#define CP_WAIT_IO_LEAST_NS 20000
void cp_wait_end_io(const struct cp_wait *wait, int64_t result,
                    uintptr_t caller);

#define CP_WAITERS_BUCKETS 1024 /* a power of two */

/* In the child of a fork, where nobody else waits. */
void cp_locks_forget_waiters(void);

extern _Atomic uint32_t cp_waiters_in[CP_WAITERS_BUCKETS];

static inline uint32_t cp_waiters_bucket(const void *lock)
{
    uint64_t h = (uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15u;

    return (uint32_t)(h >> 54);
}

/* Before an unlock: does somebody wait? Then the caller is charged. */
void cp_locks_charge(const void *lock, uintptr_t caller);

/*
 * Somebody who waits for this has been let go, at that time: it is written
 * down in a trace.
 */
void cp_locks_woke(const void *lock, uint64_t time_ns, uintptr_t caller);

/* Does a trace want to know? Then the time, for cp_locks_woke; else 0. */
static inline uint64_t cp_locks_before_wake(const void *lock)
{
    if (cp_locks_are_on() && cp_trace_is_awaited((uint64_t)(uintptr_t)lock))
        return cp_locks_now_ns();
    return 0;
}

/* Has an unlock to be looked at, by the profiles or by a trace? */
static inline bool cp_locks_have_waiters(const void *lock)
{
    return atomic_load_explicit(&cp_waiters_in[cp_waiters_bucket(lock)],
                                memory_order_relaxed) ||
           cp_trace_is_awaited((uint64_t)(uintptr_t)lock);
}

static inline uint64_t cp_locks_before_unlock(const void *lock,
                                              uintptr_t caller)
{
    if (!cp_locks_are_on())
        return 0;
    if (atomic_load_explicit(&cp_waiters_in[cp_waiters_bucket(lock)],
                             memory_order_relaxed))
        cp_locks_charge(lock, caller);
    return cp_locks_before_wake(lock);
}

/*
 * Makes symbol_watched, for a hook to go on to while somebody wants to know:
 * calls the next function, which lets others go, and only then takes the
 * stack. Apart from the hook, which is to be short when nobody does.
 */
#define CP_LOCKS_LET_GO(symbol, type, before_ns)                               \
    static __attribute__((noinline)) int symbol##_watched(                     \
        type *lock, __typeof__(symbol) *next, uintptr_t caller)                \
    {                                                                          \
        uint64_t woke_ns = (before_ns);                                        \
        int status = next(lock);                                               \
                                                                               \
        if (woke_ns)                                                           \
            cp_locks_woke((const void *)lock, woke_ns, caller);                \
        return status;                                                         \
    }

#define CP_LOCKS_UNLOCK(symbol, type)                                          \
    CP_LOCKS_LET_GO(symbol, type,                                              \
                    cp_locks_before_unlock((const void *)lock, caller))

#define CP_LOCKS_WAKE(symbol, type)                                            \
    CP_LOCKS_LET_GO(symbol, type, cp_locks_before_wake((const void *)lock))

#endif
