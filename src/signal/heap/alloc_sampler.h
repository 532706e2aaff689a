/*
 * alloc_sampler - decides which allocations are sampled, and keeps a table of
 * the sampled blocks that are still live.
 *
 * Sampling. A thread counts the bytes that it allocates down to zero; the
 * allocation that reaches zero is sampled. The next distance is drawn from an
 * exponential distribution with mean `interval`, so each byte has the same
 * chance 1 / interval to start a sample. An allocation of S bytes is sampled
 * with probability 1 - exp(-S / interval) and represents 1 / probability
 * allocations (runtime/heap/heap.h).
 *
 * Live table. A hash table from the address of a sampled block to its sample.
 * A block may be in any slot of three buckets: one in the primary part, two in
 * the overflow part. The filter, an array of counters indexed by address, says
 * for nearly all blocks that they are not in the table. So nearly every free
 * costs one load.
 *
 * Context: hooks of malloc and free, any number of threads at once.
 * Locking: none; nothing is allocated.
 * Ordering: below.
 * Failure: if no slot is free for a block, it is counted in n_lost and as
 * freed.
 *
 * Proof that a free finds the entry of its own block.
 *
 *   Invariant: a key above KEY_CLAIMED is the address of a block that was
 *   sampled and not freed, and the entry next to it is that block's.
 *
 *     insert, in the malloc hook           remove, in the free hook
 *     I1 increment the filter counter      D1 load the key (acquire): equal
 *     I2 CAS the key from 0 to             D2 copy the entry
 *        KEY_CLAIMED (acquire)             D3 store 0 to the key (release)
 *     I3 write the entry                   D4 decrement the filter counter
 *     I4 store the address (release)
 *
 *   - Insert and remove of one address never overlap. The program gets the
 *     address after I4, when malloc returns; the allocator gets the block back
 *     after D4, when the hook calls the real free.
 *   - A thread that frees a block has got its address from the thread that
 *     allocated it, so I1 to I4 happen before D1. D1 therefore sees the key,
 *     and the filter counter that it loads before includes the increment of I1.
 *     The counter may be too high (a false positive costs one lookup), but it
 *     is never 0 for a block in the table. A counter that has reached 255 never
 *     changes again.
 *   - Two blocks never share a slot: I2 has one winner. I2 acquires what D3
 *     released, so D2 has read the old entry before I3 overwrites it.
 *   - A lookup reads all slots of all three buckets, so D3 leaves no tombstone.
 *   - n_in_overflow is incremented before I2 in the overflow part and
 *     decremented after D3, so it is not 0 while such a block is live.
 *
 *   A reader in another thread (the leak search) may copy an entry while the
 *   slot is reused. It checks its blocks again with cp_live_contains.
 *
 *   Worst case: all 24 slots of a block are in use, and it is missing from the
 *   in-use values. A block that is freed without the hook leaves its entry; the
 *   next sample at the same address, or the next free of it, removes the entry.
 *   After a fork the child may have one slot with KEY_CLAIMED and one counter
 *   too high for each thread that was inserting.
 */
#ifndef CP_ALLOC_SAMPLER_H
#define CP_ALLOC_SAMPLER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/tables/samples.h"

#define CP_ALLOC_FILTER_BITS 20
#define CP_ALLOC_FILTER_FACTOR 3 /* a counter for 2^12 / 3 = 1365 bytes */
#define CP_LIVE_BUCKET 8         /* slots in a bucket */
#define CP_LIVE_PRIMARY 1024     /* buckets in the primary part */

/*
 * State of a thread. It is zero-initialized, so the first allocation of the
 * thread draws a distance.
 */
struct cp_alloc_thread {
    uint64_t left;       /* bytes until the next sampled byte, inclusive */
    uint64_t random;     /* state of random.h; 0 if not seeded */
    uint32_t hook_depth; /* nesting of hooks; not counted while > 0 */
};

extern _Thread_local struct cp_alloc_thread cp_alloc_self
    __attribute__((tls_model("initial-exec")));

/* The sample of a live block. */
struct cp_live_entry {
    uint32_t slot;   /* index + 1 in `samples`; 0 if not sampled */
    uint64_t size;   /* bytes */
    uint64_t weight; /* bytes that the sample stands for, approximately */
};

/*
 * Size classes: one for each size from 0 to 31 bytes, then sixteen for each
 * power of two. Without classes, a stack that allocates buffers of arbitrary
 * length would have thousands of samples and fill the table; with them it has
 * tens.
 */
static inline uint32_t cp_alloc_size_class(uint64_t size)
{
    uint32_t shift = size < 32 ? 0 : 59 - (uint32_t)__builtin_clzll(size);

    return 16 * shift + (uint32_t)(size >> shift);
}

/*
 * The live table. The primary part comes first and is filled first, so a
 * program with few sampled blocks touches few pages.
 */
struct cp_live_table {
    size_t n_overflow;      /* buckets in the overflow part; a power of two */
    _Atomic uint64_t *keys; /* block address, KEY_CLAIMED, or 0 if free */
    struct cp_live_entry *entries; /* same index as keys */
};

/*
 * Counters that every sample changes. They have their own cache line, separate
 * from the fields that hooks only read.
 */
struct cp_alloc_counts {
    _Alignas(64) _Atomic uint64_t n_samples;
    _Atomic uint64_t live_bytes;    /* sum of the weights of live blocks */
    _Atomic uint64_t high_bytes;    /* maximum of live_bytes (high water) */
    _Atomic uint64_t all_bytes;     /* sum of the weights of all blocks */
    _Atomic uint64_t n_live;        /* blocks in the live table */
    _Atomic uint64_t n_in_overflow; /* live blocks in the overflow part */
    _Atomic uint64_t n_lost;        /* blocks that found no free slot */
};

struct cp_alloc_sampler {
    _Atomic uint64_t interval;        /* bytes; 0 means off */
    _Atomic uint64_t seed;            /* next seed of a thread */
    struct cp_signal_samples samples; /* count: blocks; value: bytes */
    _Atomic uint64_t
        *growth; /* by slot of samples: bytes added to high water */
    struct cp_live_table live;
    struct cp_alloc_counts counts;
};

extern struct cp_alloc_sampler cp_alloc_sampler;
extern _Atomic uint8_t cp_alloc_filter[1 << CP_ALLOC_FILTER_BITS]
    __attribute__((visibility("hidden")));

/* Number of slots of a live table. */
static inline size_t cp_live_n_slots(size_t n_overflow)
{
    return (CP_LIVE_PRIMARY + n_overflow) * CP_LIVE_BUCKET;
}

/*
 * Index of the filter counter of an address, in two instructions. Blocks that
 * are close share a counter or a cache line. The factor is odd, so that glibc's
 * arenas, which are 64 MB apart, do not share counters.
 */
static inline size_t cp_alloc_filter_at(uintptr_t address)
{
    return (uint32_t)address * CP_ALLOC_FILTER_FACTOR >>
           (32 - CP_ALLOC_FILTER_BITS);
}

/* Whether the block may be in the live table. False positives are possible. */
static inline bool cp_alloc_may_be_sampled(const void *block)
{
    return atomic_load_explicit(
               &cp_alloc_filter[cp_alloc_filter_at((uintptr_t)block)],
               memory_order_relaxed) != 0;
}

/* Excludes the calling thread, a thread of the library, from sampling. */
static inline void cp_alloc_mark_internal(void)
{
    cp_alloc_self.left = UINT64_MAX;
}

/* Draws the distance to the next sampled byte; at least 1. */
uint64_t cp_alloc_draw_distance(struct cp_alloc_thread *t, uint64_t interval);

/*
 * Adds the stack and the size of a sampled block to the samples, and the block
 * to the live table. caller is the return address into the program.
 */
void cp_alloc_record(void *block, size_t size, uintptr_t caller);

/*
 * Removes a block and returns its entry. The entry has slot 0 if the block is
 * not in the table.
 */
struct cp_live_entry cp_live_remove(void *block);

/* Whether the block is in the table with this slot. */
bool cp_live_contains(void *block, uint32_t slot);

/* Inserts a removed block again, after a failed realloc. */
void cp_live_insert(void *block, struct cp_live_entry entry);

/* Counts a removed block as freed. */
void cp_alloc_count_free(const void *block, struct cp_live_entry entry);

/*
 * Makes the filter permanently positive for a block that malloc did not
 * allocate, so that free() looks it up.
 */
void cp_alloc_mark_filter(const void *block);

/*
 * Returns the address of the block in slot i, or 0 if the slot is free. Copies
 * the entry to *out.
 */
uintptr_t cp_live_at(size_t i, struct cp_live_entry *out);

#endif
