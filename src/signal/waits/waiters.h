/*
 * waiters - who waits for which lock, and since when.
 *
 * Whoever waits for a lock has a place in a list under the lock's address; one
 * in so many is followed: whoever unlocks learns how long those have waited
 * since the last one who unlocked. Threads come and go by stores into a place
 * that is theirs and that they keep, so that those who wait for one lock do
 * not wait for each other's cache lines besides.
 *
 * Any number of threads at once; no lock of its own, nothing allocated.
 */
#ifndef CP_SIGNAL_WAITERS_H
#define CP_SIGNAL_WAITERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/tables/thread.h"

#define CP_WAITERS_BUCKETS 1024 /* a power of two */

/* Those that are followed, by their lock. */
extern _Atomic uint32_t cp_waiters_sampled[CP_WAITERS_BUCKETS]
    __attribute__((visibility("hidden")));

/* Waiters that found no room in the list. */
extern _Atomic uint64_t cp_waiters_unlisted;

static inline uint32_t cp_waiters_bucket(const void *lock)
{
    uint64_t h = (uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15u;

    return (uint32_t)(h >> 54);
}

/* Is one that is followed waiting for it, or for one that looks like it? */
static inline bool cp_waiters_has_sampled(const void *lock)
{
    return __builtin_expect(
        atomic_load_explicit(&cp_waiters_sampled[cp_waiters_bucket(lock)],
                             memory_order_relaxed) != 0,
        0);
}

/* A place in the list; zeroed: none. */
struct cp_waiter_slot {
    uint32_t number; /* + 1 */
    bool is_kept;    /* when it is left */
    bool is_sampled;
};

/* The calling thread waits for the lock; since_ns 0: it is not followed. */
struct cp_waiter_slot cp_waiters_enter(const void *lock, uint64_t since_ns);

/* It does not any more. */
void cp_waiters_exit(struct cp_waiter_slot place);

/* What was found at a lock. */
struct cp_waiters_found {
    uint64_t ns; /* that those who are followed waited and nobody knew of */
    uint32_t n_sampled, n_all;
};

/* How many places an unlocker looks at. */
uint32_t cp_waiters_scan_length(const void *lock);

/* The places of those who wait are about to be asked for. */
void cp_waiters_prefetch(const void *lock);

/* Who waits for it now, by the holder who is about to let go of it. */
struct cp_waiters_found cp_waiters_collect(const void *lock, uint64_t now_ns);

/* The thread is no more: gives its place back. */
void cp_waiters_unregister(struct cp_signal_thread *t);

/* In the child of a fork, where nobody else waits. */
void cp_waiters_reset_after_fork(void);

#endif
