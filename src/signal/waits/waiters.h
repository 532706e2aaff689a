/*
 * waiters - the list of threads that wait for a lock, by the lock's address.
 *
 * A thread that waits for a lock has a slot in the list. One wait in
 * mutex_fraction is sampled: the slot has its start time. A thread that unlocks
 * collects the time that the sampled waiters of the lock have waited since the
 * last unlock, and is charged with it.
 *
 * A thread keeps its slot after the wait, because it often waits for the same
 * lock again. A wait then costs only stores to its own cache line, so waiters
 * of one lock do not also contend for the list.
 *
 * Context: hooks of the lock functions, any number of threads at once.
 * Locking: none. The thread that collects holds the lock in question.
 * Ordering: below.
 * Failure: a waiter that finds no free slot is counted in cp_waiters_unlisted;
 *   no unlock is charged for it.
 *
 * Layout. The list is an array of slots, a hash table with open addressing. The
 * slots of a lock are found from the start index of its bucket on, within the
 * scan length of the bucket.
 *
 *     waiter (owner of the slot)           unlocker
 *     W1 CAS owner from 0 to its bucket    U1 read the clock: now
 *     W2 extend the scan length            U2 load the scan length
 *     W3 store since_ns                    U3 load lock (acquire): equal?
 *     W4 store lock (release)              U4 load since_ns
 *     W5 wait                              U5 CAS since_ns from that to now
 *     W6 store 0 to lock (release)            and charge now - since_ns
 *     W7 store 0 to owner, or keep it      U6 CAS the scan length to less
 *
 * Invariants, and why they hold:
 *   - No time is charged twice: U5 moves since_ns forward by CAS, so two
 *     unlockers never charge the same interval.
 *   - No time of a different lock is charged. If the owner starts a new wait
 *     after U3, then its new since_ns is later than `now` (the clock is
 *     monotonic). U4 sees that and skips it, or U4 has seen the old value and
 *     U5 fails.
 *   - Every slot of a bucket is within its scan length. W2 changes the word of
 *     the scan length each time it claims a slot beyond MIN_SCAN_LENGTH,
 * because the word counts these claims in its high bits. So if W2 is between U2
 * and U6, U6 fails. If W2 is before U2, the scan sees the owner of W1.
 *   - Only the owner stores to lock; only the owner and unlockers change
 *     since_ns.
 *
 * Worst case: an unlock that misses a new waiter charges nothing, and the next
 * unlock charges that time too. If exactly 2^20 claims happen between U2 and
 * U6, waiters beyond the shorter scan length are not charged until the next
 * claim. A thread that asynchronous cancellation ends inside a wait leaks its
 * slot if it did not keep it.
 */
#ifndef CP_SIGNAL_WAITERS_H
#define CP_SIGNAL_WAITERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/tables/thread.h"

#define CP_WAITERS_BUCKETS 1024 /* a power of two */

/* Sampled waiters, by bucket of their lock; a hint for the unlock hooks. */
extern _Atomic uint32_t cp_waiters_sampled[CP_WAITERS_BUCKETS]
    __attribute__((visibility("hidden")));

/* Waits that found no free slot, since the start of the process. */
extern _Atomic uint64_t cp_waiters_unlisted;

/* The bucket of a lock: 0 to CP_WAITERS_BUCKETS - 1. */
static inline uint32_t cp_waiters_bucket(const void *lock)
{
    uint64_t h = (uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15u;

    return (uint32_t)(h >> 54);
}

/*
 * Whether a sampled thread may be waiting for the lock. False positives occur:
 * all locks of a hash bucket share a counter.
 */
static inline bool cp_waiters_has_sampled(const void *lock)
{
    return __builtin_expect(
        atomic_load_explicit(&cp_waiters_sampled[cp_waiters_bucket(lock)],
                             memory_order_relaxed) != 0,
        0);
}

/* The slot of a wait. All fields are 0 if the wait has no slot. */
struct cp_waiter_slot {
    uint32_t number; /* index + 1; 0 if none */
    bool is_kept;    /* the thread keeps the slot after the wait */
    bool is_sampled; /* the wait is sampled */
};

/*
 * Call before a wait of the calling thread. since_ns is 0 if the wait is not
 * sampled.
 */
struct cp_waiter_slot cp_waiters_enter(const void *lock, uint64_t since_ns);

/* Call after the wait. */
void cp_waiters_exit(struct cp_waiter_slot slot);

struct cp_waiters_found {
    uint64_t ns;        /* waited by sampled waiters and not charged before */
    uint32_t n_sampled; /* waiters that contribute to ns */
    uint32_t n_all;     /* all waiters of the lock */
};

/* Number of slots that a collect reads. */
uint32_t cp_waiters_scan_length(const void *lock);

/* Prefetches the slots that a collect reads first. */
void cp_waiters_prefetch(const void *lock);

/* Call before an unlock: charges the waiters of the lock up to now_ns. */
struct cp_waiters_found cp_waiters_collect(const void *lock, uint64_t now_ns);

/* Releases the slot that an exited thread kept. */
void cp_waiters_unregister(struct cp_signal_thread *t);

/* Empties the list in the child of a fork, where no other thread exists. */
void cp_waiters_reset_after_fork(void);

#endif
