/*
 * heap - which allocations are sampled, and which of those still live.
 *
 * Runs inside malloc and free, of any number of threads at once: it takes no
 * lock, calls nothing and allocates nothing.
 *
 * A thread counts the bytes it allocates down to zero. The way from one zero
 * to the next is drawn anew each time, exponentially distributed, so each byte
 * starts a sample with the same chance, 1 in `interval`, wherever it lies; an
 * allocation of S bytes is sampled with the chance 1 - exp(-S / interval), and
 * stands for the inverse of that many (runtime/heap/heap.h).
 *
 * A sampled block is entered in the live table under its address. Before a
 * free looks there it asks the filter: a byte for each small stretch of
 * memory, how many sampled blocks begin there. For nearly all frees that one
 * load is the whole cost.
 */
#ifndef CP_ALLOC_SAMPLER_H
#define CP_ALLOC_SAMPLER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/tables/samples.h"

#define CP_ALLOC_FILTER_BITS 20
#define CP_ALLOC_FILTER_FACTOR 3 /* a byte for 2^12 / 3 = 1365 of memory */
#define CP_LIVE_BUCKET 8         /* places of a bucket of the live table */
#define CP_LIVE_PRIMARY 1024     /* buckets of its near part */

/* Of each thread. All 0 at its start, so that its first call is seen. */
struct cp_alloc_thread {
    uint64_t left;       /* bytes up to and with the one that is sampled next */
    uint64_t random;     /* state; 0: not seeded */
    uint32_t hook_depth; /* in a hook already: do not look at what it does */
};

extern _Thread_local struct cp_alloc_thread cp_alloc_self
    __attribute__((tls_model("initial-exec")));

/* What a block was recorded as, and how large it was. */
struct cp_live_entry {
    uint32_t slot; /* of the samples' table, + 1; 0: it was not sampled */
    uint64_t size;
    uint64_t weight; /* the bytes that it stands for, roughly */
};

/*
 * Sizes that are told apart: each of 0 to 31 bytes, and sixteen of each
 * doubling from there on. A stack that allocates buffers of any length then has
 * some tens of rows and not thousands, which would soon fill any table.
 */
static inline uint32_t cp_alloc_size_class(uint64_t size)
{
    uint32_t shift = size < 32 ? 0 : 59 - (uint32_t)__builtin_clzll(size);

    return 16 * shift + (uint32_t)(size >> shift);
}

/*
 * What lives: addresses, and what each block was recorded as. The near part
 * comes first and is filled first: as long as it is enough, few pages are
 * touched, and they stay in the caches.
 */
struct cp_live_table {
    size_t n_overflow; /* buckets beyond the near part: a power of two */
    _Atomic uint64_t *keys;
    struct cp_live_entry *entries;
};

/*
 * What each sample changes, whichever thread takes it: one line of the cache,
 * and nothing in it that is only read.
 */
struct cp_alloc_counts {
    _Alignas(64) _Atomic uint64_t n_samples;
    _Atomic uint64_t live_bytes; /* that the live blocks stand for, roughly */
    _Atomic uint64_t high_bytes; /* the most that it ever was */
    _Atomic uint64_t all_bytes;  /* that all blocks stand for, roughly */
    _Atomic uint64_t n_live;     /* blocks in the live table */
    _Atomic uint64_t n_in_overflow; /* of them, not in its near part */
    _Atomic uint64_t n_lost;        /* blocks for which it had no place */
};

struct cp_alloc_sampler {
    _Atomic uint64_t interval; /* bytes; 0: off */
    _Atomic uint64_t seed;
    struct cp_signal_samples samples; /* count and bytes; gone: freed */
    _Atomic uint64_t *growth; /* bytes by which each slot of it raised the high
                                 water */
    struct cp_live_table live;
    struct cp_alloc_counts counts;
};

extern struct cp_alloc_sampler cp_alloc_sampler;
extern _Atomic uint8_t cp_alloc_filter[1 << CP_ALLOC_FILTER_BITS]
    __attribute__((visibility("hidden")));

/* Places of the live table. */
static inline size_t cp_live_n_slots(size_t n_overflow)
{
    return (CP_LIVE_PRIMARY + n_overflow) * CP_LIVE_BUCKET;
}

/*
 * Neighbours share a byte or have neighbouring ones, so that few lines of the
 * filter are in use; but what lies 64 MB apart, as glibc's arenas do, does not
 * fall together: the factor is odd. Two instructions.
 */
static inline size_t cp_alloc_filter_at(uintptr_t address)
{
    return (uint32_t)address * CP_ALLOC_FILTER_FACTOR >>
           (32 - CP_ALLOC_FILTER_BITS);
}

/* May the block at this address be a sampled one? */
static inline bool cp_alloc_may_be_sampled(const void *block)
{
    return atomic_load_explicit(
               &cp_alloc_filter[cp_alloc_filter_at((uintptr_t)block)],
               memory_order_relaxed) != 0;
}

/* Has the thread that calls this never be sampled: it is the library's. */
static inline void cp_alloc_mark_internal(void)
{
    cp_alloc_self.left = UINT64_MAX;
}

/* The bytes up to and with the one that is sampled next, drawn anew: > 0. */
uint64_t cp_alloc_draw_distance(struct cp_alloc_thread *t, uint64_t interval);

/*
 * Records the block of `size` bytes that the caller of caller got: stack and
 * size, and that it lives. caller is the return address into the program.
 */
void cp_alloc_record(void *block, size_t size, uintptr_t caller);

/* Takes a block out of the live table. */
struct cp_live_entry cp_live_remove(void *block);

/* Is the block there that was recorded as this? */
bool cp_live_contains(void *block, uint32_t slot);

/* Puts back what was taken: it was not freed after all. */
void cp_live_insert(void *block, struct cp_live_entry entry);

/* Counts what was taken as freed. */
void cp_alloc_count_free(const void *block, struct cp_live_entry entry);

/* Has free look at this block, for ever: it is no block of malloc's. */
void cp_alloc_mark_filter(const void *block);

/* The i-th place of the live table: the block's address, 0 when empty. */
uintptr_t cp_live_at(size_t i, struct cp_live_entry *out);

#endif
