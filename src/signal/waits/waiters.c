/*
 * waiters.c - see waiters.h.
 *
 * A place is looked for from the place of the lock's bucket on, so those that
 * wait for one lock lie together; how far from it they are, at most, is kept
 * for each bucket, and less again when an unlocker finds that it is too much:
 * many may have waited once. A thread keeps the place when it has waited, for
 * it often waits for the same lock again; it gives up one that is far from its
 * bucket, or if half of all are kept already, lest threads that do not wait
 * take the room of those that do.
 *
 * The unlocker moves a waiter's time forward by exchange, so no time is told
 * twice; the times of two waits are hardly ever the same, so an exchange does
 * not succeed with a place whose owner waits for something else meanwhile.
 */
#include "signal/waits/waiters.h"

#include <stdalign.h>
#include <stddef.h>
#include <unistd.h>

#include "signal/tables/thread.h"

#define PLACES 8192     /* a power of two */
#define MAX_PLACES 2048 /* that are tried */
#define MAX_KEPT 256    /* of those: that may be kept */
#define MAX_ALL_KEPT (PLACES / 2)
#define MAX_FETCHED 8
#define NO_LOCK_YET ((uintptr_t)1)

/* A reach is in the low bits; above it the claims beyond MIN_SCAN_LENGTH. */
#define SCAN_LENGTH_MASK ((uint32_t)0xfff)
#define ONE_CLAIM (SCAN_LENGTH_MASK + 1)
#define MIN_SCAN_LENGTH 64 /* it does not become less */

struct waiter {
    alignas(64) _Atomic uint32_t owner; /* its bucket + 1; 0: there is none */
    _Atomic uintptr_t lock;             /* 0: the owner does not wait */
    _Atomic uint64_t since_ns; /* not told yet; 0: it is not followed */
};

_Atomic uint32_t cp_waiters_sampled[CP_WAITERS_BUCKETS];
_Atomic uint64_t cp_waiters_unlisted;
static _Atomic uint32_t reaches[CP_WAITERS_BUCKETS]; /* of each bucket */
static struct waiter waiters[PLACES];
static _Atomic uint32_t n_kept;

static struct waiter *place_of(uint32_t bucket, uint32_t i)
{
    return &waiters[(bucket * (PLACES / CP_WAITERS_BUCKETS) + i) &
                    (PLACES - 1)];
}

/* The owner's. One that is lost in between must not lead out of a table. */
static uint32_t bucket_of(const struct waiter *w)
{
    return (atomic_load_explicit(&w->owner, memory_order_relaxed) - 1) &
           (CP_WAITERS_BUCKETS - 1);
}

/*
 * All of the bucket's are within this many places. Who claims one that may be
 * cut off says so even if it is within reach: whoever is cutting fails then.
 */
static void extend_scan(uint32_t bucket, uint32_t n)
{
    uint32_t old = atomic_load(&reaches[bucket]), new;

    do {
        new = old;
        if ((old & SCAN_LENGTH_MASK) < n)
            new = (old & ~SCAN_LENGTH_MASK) | n;
        if (n > MIN_SCAN_LENGTH)
            new += ONE_CLAIM;
    } while (new != old &&
             !atomic_compare_exchange_weak(&reaches[bucket], &old, new));
}

/* Nobody was found beyond n places, after the reach was read. */
static void shorten_scan(uint32_t bucket, uint32_t read, uint32_t n)
{
    if (n < MIN_SCAN_LENGTH)
        n = MIN_SCAN_LENGTH;
    if (n <= (read & SCAN_LENGTH_MASK) / 2)
        (void)atomic_compare_exchange_strong(&reaches[bucket], &read,
                                             (read & ~SCAN_LENGTH_MASK) | n);
}

uint32_t cp_waiters_scan_length(const void *lock)
{
    return atomic_load_explicit(&reaches[cp_waiters_bucket(lock)],
                                memory_order_relaxed) &
           SCAN_LENGTH_MASK;
}

static void give_back(struct waiter *w)
{
    atomic_store_explicit(&w->lock, 0, memory_order_relaxed);
    atomic_store_explicit(&w->owner, 0, memory_order_release);
}

/* A free place of the bucket; NULL: there is none. */
static struct waiter *claim(uint32_t bucket, bool *is_near)
{
    for (uint32_t i = 0; i < MAX_PLACES; i++) {
        struct waiter *w = place_of(bucket, i);
        uint32_t nobody = 0;

        if (atomic_load_explicit(&w->owner, memory_order_relaxed) ||
            !atomic_compare_exchange_strong(&w->owner, &nobody, bucket + 1))
            continue;
        atomic_store_explicit(&w->lock, NO_LOCK_YET, memory_order_relaxed);
        extend_scan(bucket, i + 1);
        *is_near = i < MAX_KEPT;
        return w;
    }
    atomic_fetch_add(&cp_waiters_unlisted, 1);
    return NULL;
}

/* The place that the thread has kept, if it does not wait there already. */
static struct waiter *kept(struct cp_signal_thread *t)
{
    uint32_t number =
        t ? atomic_load_explicit(&t->waits.waiter_slot, memory_order_relaxed)
          : 0;
    struct waiter *w = number ? &waiters[number - 1] : NULL;

    if (w && atomic_load_explicit(&w->lock, memory_order_relaxed) == 0)
        return w;
    return NULL;
}

/* May a thread that has none keep one? */
static bool may_keep(const struct cp_signal_thread *t)
{
    if (atomic_load(&t->waits.waiter_slot) != 0)
        return false;
    if (atomic_fetch_add(&n_kept, 1) < MAX_ALL_KEPT)
        return true;
    atomic_fetch_sub(&n_kept, 1);
    return false;
}

/*
 * A new one, for the thread to keep in place of the old one. A handler of the
 * program that interrupts a wait and waits itself does not get that far: the
 * place of the wait stays.
 */
static struct waiter *find(struct cp_signal_thread *t, uint32_t bucket,
                           bool *is_kept)
{
    struct waiter *w = claim(bucket, is_kept), *old = kept(t);
    uint32_t number;

    *is_kept = w && t && *is_kept && (old || may_keep(t));
    if (!*is_kept)
        return w;
    number =
        atomic_exchange(&t->waits.waiter_slot, (uint32_t)(w - waiters) + 1);
    if (number)
        give_back(&waiters[number - 1]);
    return w;
}

struct cp_waiter_slot cp_waiters_enter(const void *lock, uint64_t since_ns)
{
    uint32_t bucket = cp_waiters_bucket(lock);
    struct cp_signal_thread *t = cp_signal_self;
    struct cp_waiter_slot place = { .is_kept = true,
                                    .is_sampled = since_ns != 0 };
    struct waiter *w = kept(t);

    if (!w || bucket_of(w) != bucket)
        w = find(t, bucket, &place.is_kept);
    if (!w)
        return (struct cp_waiter_slot){ 0 };
    atomic_store_explicit(&w->lock, NO_LOCK_YET, memory_order_relaxed);
    atomic_store_explicit(&w->since_ns, since_ns, memory_order_relaxed);
    atomic_store_explicit(&w->lock, (uintptr_t)lock, memory_order_release);
    if (since_ns)
        atomic_fetch_add(&cp_waiters_sampled[bucket], 1);
    place.number = (uint32_t)(w - waiters) + 1;
    return place;
}

void cp_waiters_exit(struct cp_waiter_slot place)
{
    struct waiter *w;

    if (!place.number)
        return;
    w = &waiters[place.number - 1];
    if (place.is_sampled)
        atomic_fetch_sub(&cp_waiters_sampled[bucket_of(w)], 1);
    if (place.is_kept)
        atomic_store_explicit(&w->lock, 0, memory_order_release);
    else
        give_back(w);
}

/* What it has waited since it was last asked; 0: it is not followed. */
static uint64_t ask(struct waiter *w, uint64_t now_ns)
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
             reach = cp_waiters_scan_length(lock);

    for (uint32_t i = 0; i < reach && i < MAX_FETCHED; i++)
        __builtin_prefetch(place_of(bucket, i), 1);
}

struct cp_waiters_found cp_waiters_collect(const void *lock, uint64_t now_ns)
{
    uint32_t bucket = cp_waiters_bucket(lock);
    uint32_t read = atomic_load(&reaches[bucket]), used = 0;
    struct cp_waiters_found found = { 0 };

    for (uint32_t i = 0; i < (read & SCAN_LENGTH_MASK); i++) {
        struct waiter *w = place_of(bucket, i);
        uint64_t ns;

        if (i >= MIN_SCAN_LENGTH && atomic_load(&w->owner) == bucket + 1)
            used = i + 1;
        if (atomic_load_explicit(&w->lock, memory_order_acquire) !=
            (uintptr_t)lock)
            continue;
        ns = ask(w, now_ns);
        found.ns += ns;
        found.n_sampled += ns != 0;
        found.n_all++;
    }
    shorten_scan(bucket, read, used);
    return found;
}

void cp_waiters_unregister(struct cp_signal_thread *t)
{
    uint32_t number = atomic_exchange(&t->waits.waiter_slot, 0);
    struct waiter *w;

    if (!number)
        return;
    atomic_fetch_sub(&n_kept, 1);
    w = &waiters[number - 1];
    /* Cancelled while it waited, or killed. */
    if (atomic_load(&w->lock) > NO_LOCK_YET && atomic_load(&w->since_ns))
        atomic_fetch_sub(&cp_waiters_sampled[bucket_of(w)], 1);
    give_back(w);
}

void cp_waiters_reset_after_fork(void)
{
    if (cp_signal_self)
        atomic_store(&cp_signal_self->waits.waiter_slot, 0);
    atomic_store(&n_kept, 0);
    for (uint32_t bucket = 0; bucket < CP_WAITERS_BUCKETS; bucket++) {
        uint32_t reach = atomic_load(&reaches[bucket]);

        if (!reach) /* nobody ever waited there */
            continue;
        for (uint32_t i = 0; i < (reach & SCAN_LENGTH_MASK); i++)
            give_back(place_of(bucket, i));
        atomic_store(&reaches[bucket], 0);
        atomic_store(&cp_waiters_sampled[bucket], 0);
    }
}
