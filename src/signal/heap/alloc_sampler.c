/*
 * alloc_sampler.c - draws sampling distances, and implements the filter and the
 * live table of alloc_sampler.h.
 */
#include "signal/heap/alloc_sampler.h"

#include "base/assert/assert.h"
#include "signal/heap/usdt.h"
#include "signal/tables/random.h"
#include "signal/tables/capture.h"

#define KEY_CLAIMED 1 /* not an address: insertion in progress */
#define BUCKETS_PER_BLOCK 3

_Thread_local struct cp_alloc_thread cp_alloc_self;
struct cp_alloc_sampler cp_alloc_sampler;
_Alignas(64) _Atomic uint8_t cp_alloc_filter[1 << CP_ALLOC_FILTER_BITS];

/*
 * Returns the next random number of a thread, and seeds its generator at the
 * first call. The seed is a hash of a counter: all threads use one sequence,
 * and with adjacent start positions two threads would draw the same numbers.
 */
static uint64_t next_random(struct cp_alloc_thread *t)
{
    if (t->random == 0)
        t->random =
            cp_random_mix(atomic_fetch_add(&cp_alloc_sampler.seed, 1)) | 1;
    return cp_random_next(&t->random);
}

/* Returns the natural logarithm of x >= 1, with an error of about 1e-10. */
static double log_of(uint64_t x)
{
    int bits = 63 - __builtin_clzll(x);
    double m = (double)x / (double)((uint64_t)1 << bits); /* in [1, 2) */
    double z = (m - 1) / (m + 1), square = z * z, sum = 0;

    for (int k = 19; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return 2 * z * sum + bits * 0.693147180559945309;
}

uint64_t cp_alloc_draw_distance(struct cp_alloc_thread *t, uint64_t interval)
{
    const uint64_t top = (uint64_t)1 << 53;
    uint64_t u = (next_random(t) >> 11) + 1; /* in [1, top] */
    double bytes = (log_of(top) - log_of(u)) * (double)interval;

    CP_ASSERT(u >= 1 && u <= top && bytes >= 0);
    return (bytes < 4e18 ? (uint64_t)bytes : (uint64_t)4e18) + 1;
}

static uint64_t hash_of(uintptr_t address)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(address >> 4) * 0x9e3779b97f4a7c15u;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Index of the first slot of one of the three buckets of an address. */
static size_t bucket_of(uintptr_t address, int which)
{
    uint64_t h = hash_of(address);
    size_t overflow_mask = cp_alloc_sampler.live.n_overflow - 1;

    CP_ASSERT((overflow_mask & (overflow_mask + 1)) == 0);
    if (which == 0)
        return (size_t)(h >> 48 & (CP_LIVE_PRIMARY - 1)) * CP_LIVE_BUCKET;
    return (CP_LIVE_PRIMARY +
            ((size_t)(which == 1 ? h : h >> 24) & overflow_mask)) *
           CP_LIVE_BUCKET;
}

static void filter_add(uintptr_t address)
{
    _Atomic uint8_t *count = &cp_alloc_filter[cp_alloc_filter_at(address)];
    uint8_t old = atomic_load_explicit(count, memory_order_relaxed);

    while (old < UINT8_MAX && !atomic_compare_exchange_weak_explicit(
                                  count, &old, (uint8_t)(old + 1),
                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

/*
 * A counter that has reached its maximum never changes again, because its true
 * value is unknown.
 */
static void filter_remove(uintptr_t address)
{
    _Atomic uint8_t *count = &cp_alloc_filter[cp_alloc_filter_at(address)];
    uint8_t old = atomic_load_explicit(count, memory_order_relaxed);

    CP_ASSERT(old > 0);
    while (old < UINT8_MAX && !atomic_compare_exchange_weak_explicit(
                                  count, &old, (uint8_t)(old - 1),
                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

static bool insert_in(size_t first, uintptr_t address,
                      struct cp_live_entry entry)
{
    struct cp_live_table *live = &cp_alloc_sampler.live;

    CP_ASSERT(first + CP_LIVE_BUCKET <= cp_live_n_slots(live->n_overflow));
    CP_ASSERT(address > KEY_CLAIMED && entry.slot != 0);
    for (size_t i = first; i < first + CP_LIVE_BUCKET; i++) {
        uint64_t seen = 0;

        if (!atomic_compare_exchange_strong_explicit(
                &live->keys[i], &seen, KEY_CLAIMED, memory_order_acquire,
                memory_order_relaxed))
            continue;
        live->entries[i] = entry;
        atomic_store_explicit(&live->keys[i], address, memory_order_release);
        return true;
    }
    return false;
}

static bool insert(uintptr_t address, struct cp_live_entry entry)
{
    struct cp_alloc_counts *counts = &cp_alloc_sampler.counts;

    filter_add(address);
    for (int which = 0; which < BUCKETS_PER_BLOCK; which++) {
        if (which == 1)
            atomic_fetch_add_explicit(&counts->n_in_overflow, 1,
                                      memory_order_relaxed);
        if (insert_in(bucket_of(address, which), address, entry)) {
            atomic_fetch_add_explicit(&counts->n_live, 1, memory_order_relaxed);
            return true;
        }
    }
    atomic_fetch_sub_explicit(&counts->n_in_overflow, 1, memory_order_relaxed);
    filter_remove(address);
    atomic_fetch_add_explicit(&counts->n_lost, 1, memory_order_relaxed);
    return false;
}

static bool remove_from(size_t first, uintptr_t address,
                        struct cp_live_entry *out)
{
    struct cp_live_table *live = &cp_alloc_sampler.live;

    for (size_t i = first; i < first + CP_LIVE_BUCKET; i++) {
        if (atomic_load_explicit(&live->keys[i], memory_order_acquire) !=
            address)
            continue;
        *out = live->entries[i];
        atomic_store_explicit(&live->keys[i], 0, memory_order_release);
        return true;
    }
    return false;
}

/*
 * Removes the block. Returns the index of its bucket, or BUCKETS_PER_BLOCK if
 * the block is not in the table.
 */
static int find_and_remove(uintptr_t address, struct cp_live_entry *out)
{
    struct cp_alloc_counts *counts = &cp_alloc_sampler.counts;
    int which = 0;

    for (; which < BUCKETS_PER_BLOCK; which++) {
        if (which == 1 && atomic_load_explicit(&counts->n_in_overflow,
                                               memory_order_relaxed) == 0)
            return BUCKETS_PER_BLOCK;
        if (remove_from(bucket_of(address, which), address, out))
            break;
    }
    return which;
}

struct cp_live_entry cp_live_remove(void *block)
{
    struct cp_alloc_counts *counts = &cp_alloc_sampler.counts;
    struct cp_live_entry entry = { 0 };
    uintptr_t address = (uintptr_t)block;
    int which;

    if (!cp_alloc_sampler.live.keys || address <= KEY_CLAIMED)
        return entry;
    which = find_and_remove(address, &entry);
    if (which == BUCKETS_PER_BLOCK)
        return entry;
    CP_ASSERT(entry.slot != 0 && atomic_load(&counts->n_live) > 0);
    filter_remove(address);
    if (which > 0)
        atomic_fetch_sub_explicit(&counts->n_in_overflow, 1,
                                  memory_order_relaxed);
    atomic_fetch_sub_explicit(&counts->n_live, 1, memory_order_relaxed);
    return entry;
}

bool cp_live_contains(void *block, uint32_t slot)
{
    const struct cp_live_table *live = &cp_alloc_sampler.live;

    for (int which = 0; which < BUCKETS_PER_BLOCK; which++) {
        size_t first = bucket_of((uintptr_t)block, which);

        for (size_t i = first; i < first + CP_LIVE_BUCKET; i++)
            if (atomic_load(&live->keys[i]) == (uintptr_t)block &&
                live->entries[i].slot == slot)
                return true;
    }
    return false;
}

void cp_live_insert(void *block, struct cp_live_entry entry)
{
    if (entry.slot && !insert((uintptr_t)block, entry))
        cp_alloc_count_free(block, entry); /* its free will not be seen */
}

/* Bytes that a sample stands for; an approximation for the high water. */
static uint64_t weight_of(uint64_t size)
{
    uint64_t interval =
        atomic_load_explicit(&cp_alloc_sampler.interval, memory_order_relaxed);

    return size > interval ? size : interval;
}

void cp_alloc_count_free(const void *block, struct cp_live_entry entry)
{
    struct cp_signal_slot *slot;

    if (!entry.slot)
        return;
    CP_USDT_HEAP_FREE(block, entry.size);
    CP_ASSERT(entry.slot <= cp_alloc_sampler.samples.n_slots);
    slot = &cp_alloc_sampler.samples.slots[entry.slot - 1];
    atomic_fetch_add_explicit(&slot->freed, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->freed_value, entry.size,
                              memory_order_relaxed);
    atomic_fetch_sub_explicit(&cp_alloc_sampler.counts.live_bytes, entry.weight,
                              memory_order_relaxed);
}

/* Adds to live_bytes, and charges the slot with the growth of high_bytes. */
static void count_growth(_Atomic uint64_t *growth, uint64_t weight)
{
    struct cp_alloc_sampler *h = &cp_alloc_sampler;
    uint64_t live = atomic_fetch_add(&h->counts.live_bytes, weight) + weight;
    uint64_t high = atomic_load(&h->counts.high_bytes);

    atomic_fetch_add_explicit(&h->counts.all_bytes, weight,
                              memory_order_relaxed);
    while (live > high && live < (uint64_t)1 << 63)
        if (atomic_compare_exchange_weak(&h->counts.high_bytes, &high, live)) {
            atomic_fetch_add(growth, live - high);
            break;
        }
}

void cp_alloc_record(void *block, size_t size, uintptr_t caller)
{
    struct cp_alloc_sampler *h = &cp_alloc_sampler;
    struct cp_signal_slot *slot = cp_signal_capture(
        &h->samples, caller, cp_alloc_size_class(size), 1, size);

    atomic_fetch_add_explicit(&h->counts.n_samples, 1, memory_order_relaxed);
    if (slot) {
        uint32_t at = (uint32_t)(slot - h->samples.slots);
        struct cp_live_entry entry = { at + 1, size, weight_of(size) };

        CP_ASSERT(at < h->samples.n_slots);
        CP_USDT_HEAP_ALLOC(block, size, entry.weight);
        count_growth(&h->growth[at], entry.weight);
        if (cp_alloc_may_be_sampled(block)) /* an old entry is left */
            cp_alloc_count_free(block, cp_live_remove(block));
        cp_live_insert(block, entry);
    }
}

void cp_alloc_mark_filter(const void *block)
{
    filter_add((uintptr_t)block);
}

uintptr_t cp_live_at(size_t i, struct cp_live_entry *out)
{
    const struct cp_live_table *live = &cp_alloc_sampler.live;
    uint64_t key = atomic_load_explicit(&live->keys[i], memory_order_acquire);

    CP_ASSERT(i < cp_live_n_slots(live->n_overflow));
    if (key <= KEY_CLAIMED)
        return 0;
    *out = live->entries[i];
    return (uintptr_t)key;
}
