/*
 * waiters.c - claims, keeps and releases slots; charges waiters at an unlock.
 *
 * A thread keeps its slot after a wait unless the slot is far from the start of
 * its bucket, or half of all slots are kept already: threads that do not wait
 * must leave room for threads that do. The scan length of a bucket shrinks
 * again when an unlocker finds that its last part is empty.
 */
#include "signal/waits/waiters.h"

#include <stdalign.h>
#include <unistd.h>

#include "base/assert/assert.h"

#define SLOTS 8192            /* a power of two */
#define MAX_PROBES 2048       /* slots that a claim tries */
#define MAX_KEPT_DISTANCE 256 /* slots from the start of the bucket */
#define MAX_KEPT_SLOTS (SLOTS / 2)
#define MAX_PREFETCHED 8
#define NO_LOCK_YET ((uintptr_t)1) /* claimed; the lock is not stored yet */

/* A scan word: the scan length, and above it the number of claims beyond
 * MIN_SCAN_LENGTH. */
#define SCAN_LENGTH_MASK ((uint32_t)0xfff)
#define ONE_CLAIM (SCAN_LENGTH_MASK + 1)
#define MIN_SCAN_LENGTH 64 /* a scan is not made shorter than this */

struct waiter {
    alignas(64) _Atomic uint32_t owner; /* bucket + 1; 0 if the slot is free */
    _Atomic uintptr_t lock;    /* address; 0 if the owner does not wait */
    _Atomic uint64_t since_ns; /* charged up to here; 0 if not sampled */
};

_Atomic uint32_t cp_waiters_sampled[CP_WAITERS_BUCKETS];
_Atomic uint64_t cp_waiters_unlisted;
static _Atomic uint32_t scan_words[CP_WAITERS_BUCKETS];
static struct waiter waiters[SLOTS];
static _Atomic uint32_t n_kept; /* slots that threads keep */

_Static_assert((SLOTS & (SLOTS - 1)) == 0, "an index is masked");
_Static_assert((CP_WAITERS_BUCKETS & (CP_WAITERS_BUCKETS - 1)) == 0,
               "a bucket is masked");
_Static_assert(MAX_PROBES <= SCAN_LENGTH_MASK, "a scan length fits");

static struct waiter *slot_at(uint32_t bucket, uint32_t i)
{
    return &waiters[(bucket * (SLOTS / CP_WAITERS_BUCKETS) + i) & (SLOTS - 1)];
}

/* The bucket of a slot, masked: a free slot must not lead outside the table. */
static uint32_t bucket_of(const struct waiter *w)
{
    return (atomic_load_explicit(&w->owner, memory_order_relaxed) - 1) &
           (CP_WAITERS_BUCKETS - 1);
}

/*
 * Makes the scan length at least n. A claim beyond MIN_SCAN_LENGTH changes the
 * word in any case, so that a concurrent shorten_scan fails (see waiters.h).
 */
static void extend_scan(uint32_t bucket, uint32_t n)
{
    uint32_t old = atomic_load(&scan_words[bucket]), new;

    CP_ASSERT(bucket < CP_WAITERS_BUCKETS && n > 0 && n <= MAX_PROBES);
    do {
        new = old;
        if ((old & SCAN_LENGTH_MASK) < n)
            new = (old & ~SCAN_LENGTH_MASK) | n;
        if (n > MIN_SCAN_LENGTH)
            new += ONE_CLAIM;
    } while (new != old &&
             !atomic_compare_exchange_weak(&scan_words[bucket], &old, new));
}

/*
 * Shortens the scan to n slots, unless the word has changed since it was read.
 */
static void shorten_scan(uint32_t bucket, uint32_t read, uint32_t n)
{
    if (n < MIN_SCAN_LENGTH)
        n = MIN_SCAN_LENGTH;
    if (n <= (read & SCAN_LENGTH_MASK) / 2)
        (void)atomic_compare_exchange_strong(&scan_words[bucket], &read,
                                             (read & ~SCAN_LENGTH_MASK) | n);
}

uint32_t cp_waiters_scan_length(const void *lock)
{
    return atomic_load_explicit(&scan_words[cp_waiters_bucket(lock)],
                                memory_order_relaxed) &
           SCAN_LENGTH_MASK;
}

static void release_slot(struct waiter *w)
{
    atomic_store_explicit(&w->lock, 0, memory_order_relaxed);
    atomic_store_explicit(&w->owner, 0, memory_order_release);
}

/*
 * Claims a free slot for the bucket. Returns NULL if MAX_PROBES slots are in
 * use.
 */
static struct waiter *claim(uint32_t bucket, bool *is_close)
{
    for (uint32_t i = 0; i < MAX_PROBES; i++) {
        struct waiter *w = slot_at(bucket, i);
        uint32_t free_owner = 0;

        if (atomic_load_explicit(&w->owner, memory_order_relaxed) ||
            !atomic_compare_exchange_strong(&w->owner, &free_owner, bucket + 1))
            continue;
        atomic_store_explicit(&w->lock, NO_LOCK_YET, memory_order_relaxed);
        extend_scan(bucket, i + 1);
        *is_close = i < MAX_KEPT_DISTANCE;
        return w;
    }
    atomic_fetch_add(&cp_waiters_unlisted, 1);
    return NULL;
}

/*
 * Returns the slot that the thread keeps, or NULL if it keeps none or if an
 * outer wait already uses it.
 */
static struct waiter *kept_slot(struct cp_signal_thread *t)
{
    uint32_t number =
        t ? atomic_load_explicit(&t->waits.waiter_slot, memory_order_relaxed)
          : 0;
    struct waiter *w = number ? &waiters[number - 1] : NULL;

    CP_ASSERT(number <= SLOTS);
    CP_ASSERT(!w || atomic_load(&w->owner) != 0);
    if (w && atomic_load_explicit(&w->lock, memory_order_relaxed) == 0)
        return w;
    return NULL;
}

/*
 * Whether the thread may keep a slot: it keeps none yet, and the threads do not
 * keep too many.
 */
static bool may_keep(const struct cp_signal_thread *t)
{
    if (atomic_load(&t->waits.waiter_slot) != 0)
        return false;
    if (atomic_fetch_add(&n_kept, 1) < MAX_KEPT_SLOTS)
        return true;
    atomic_fetch_sub(&n_kept, 1);
    return false;
}

/*
 * Claims a slot and lets the thread keep it instead of its old one. If a signal
 * handler of the program interrupts a wait and waits itself, its wait gets a
 * slot that is not kept; the slot of the outer wait stays.
 */
static struct waiter *claim_and_keep(struct cp_signal_thread *t,
                                     uint32_t bucket, bool *is_kept)
{
    struct waiter *w = claim(bucket, is_kept), *old = kept_slot(t);
    uint32_t number;

    *is_kept = w && t && *is_kept && (old || may_keep(t));
    if (!*is_kept)
        return w;
    number =
        atomic_exchange(&t->waits.waiter_slot, (uint32_t)(w - waiters) + 1);
    if (number)
        release_slot(&waiters[number - 1]);
    return w;
}

struct cp_waiter_slot cp_waiters_enter(const void *lock, uint64_t since_ns)
{
    uint32_t bucket = cp_waiters_bucket(lock);
    struct cp_signal_thread *t = cp_signal_self;
    struct cp_waiter_slot slot = { .is_kept = true,
                                   .is_sampled = since_ns != 0 };
    struct waiter *w = kept_slot(t);

    if (!w || bucket_of(w) != bucket)
        w = claim_and_keep(t, bucket, &slot.is_kept);
    if (!w)
        return (struct cp_waiter_slot){ 0 };
    atomic_store_explicit(&w->lock, NO_LOCK_YET, memory_order_relaxed);
    atomic_store_explicit(&w->since_ns, since_ns, memory_order_relaxed);
    atomic_store_explicit(&w->lock, (uintptr_t)lock, memory_order_release);
    if (since_ns)
        atomic_fetch_add(&cp_waiters_sampled[bucket], 1);
    slot.number = (uint32_t)(w - waiters) + 1;
    return slot;
}

void cp_waiters_exit(struct cp_waiter_slot slot)
{
    struct waiter *w;

    if (!slot.number)
        return;
    CP_ASSERT(slot.number <= SLOTS);
    w = &waiters[slot.number - 1];
    if (slot.is_sampled)
        atomic_fetch_sub(&cp_waiters_sampled[bucket_of(w)], 1);
    if (slot.is_kept)
        atomic_store_explicit(&w->lock, 0, memory_order_release);
    else
        release_slot(w);
}

/* Charges a waiter up to now_ns. Returns the charged time in ns; may be 0. */
static uint64_t charge(struct waiter *w, uint64_t now_ns)
{
    uint64_t since = atomic_load_explicit(&w->since_ns, memory_order_relaxed);

    if (since == 0 || since >= now_ns ||
        !atomic_compare_exchange_strong(&w->since_ns, &since, now_ns))
        return 0;
    return now_ns - since;
}

void cp_waiters_prefetch(const void *lock)
{
    uint32_t bucket = cp_waiters_bucket(lock),
             length = cp_waiters_scan_length(lock);

    for (uint32_t i = 0; i < length && i < MAX_PREFETCHED; i++)
        __builtin_prefetch(slot_at(bucket, i), 1);
}

struct cp_waiters_found cp_waiters_collect(const void *lock, uint64_t now_ns)
{
    uint32_t bucket = cp_waiters_bucket(lock);
    uint32_t read = atomic_load(&scan_words[bucket]), used = 0;
    struct cp_waiters_found found = { 0 };

    for (uint32_t i = 0; i < (read & SCAN_LENGTH_MASK); i++) {
        struct waiter *w = slot_at(bucket, i);
        uint64_t ns;

        if (i >= MIN_SCAN_LENGTH && atomic_load(&w->owner) == bucket + 1)
            used = i + 1;
        if (atomic_load_explicit(&w->lock, memory_order_acquire) !=
            (uintptr_t)lock)
            continue;
        ns = charge(w, now_ns);
        found.ns += ns;
        found.n_sampled += ns != 0;
        found.n_all++;
    }
    CP_ASSERT(found.n_sampled <= found.n_all);
    shorten_scan(bucket, read, used);
    return found;
}

void cp_waiters_unregister(struct cp_signal_thread *t)
{
    uint32_t number = atomic_exchange(&t->waits.waiter_slot, 0);
    struct waiter *w;

    if (!number)
        return;
    CP_ASSERT(number <= SLOTS && atomic_load(&n_kept) > 0);
    atomic_fetch_sub(&n_kept, 1);
    w = &waiters[number - 1];
    /* The thread ended inside a wait. */
    if (atomic_load(&w->lock) > NO_LOCK_YET && atomic_load(&w->since_ns))
        atomic_fetch_sub(&cp_waiters_sampled[bucket_of(w)], 1);
    release_slot(w);
}

void cp_waiters_reset_after_fork(void)
{
    if (cp_signal_self)
        atomic_store(&cp_signal_self->waits.waiter_slot, 0);
    atomic_store(&n_kept, 0);
    for (uint32_t bucket = 0; bucket < CP_WAITERS_BUCKETS; bucket++) {
        uint32_t length = atomic_load(&scan_words[bucket]);

        if (!length) /* no thread ever waited in this bucket */
            continue;
        for (uint32_t i = 0; i < (length & SCAN_LENGTH_MASK); i++)
            release_slot(slot_at(bucket, i));
        atomic_store(&scan_words[bucket], 0);
        atomic_store(&cp_waiters_sampled[bucket], 0);
    }
}
