/*
 * malloc_real - pointers to the real allocation functions, and helpers that the
 * hooks of malloc, new and mmap share. Internal to hooks/.
 *
 * Every pointer is valid from the start: until the real function is known, the
 * pointer refers to a function that looks it up.
 *
 * Context: hooks in any thread. Locking: none. Ordering: the pointers change
 * once, in a constructor or in the first call; old and new ones both work.
 */
#ifndef CP_MALLOC_REAL_H
#define CP_MALLOC_REAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/heap/alloc_sampler.h"
#include "signal/unwinder/arch.h"

struct cp_malloc_real {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t n, size_t size);
    void *(*realloc)(void *block, size_t size);
    void (*free)(void *block);
    int (*posix_memalign)(void **out, size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    void *(*valloc)(size_t size);
    void *(*pvalloc)(size_t size);
};

extern struct cp_malloc_real cp_malloc_real
    __attribute__((visibility("hidden")));

/*
 * A slow path, out of line and reached by a tail call. Not "cold": the compiler
 * would then move the jump out of line too, and the test before it would need
 * four bytes more.
 */
#define CP_SLOW_PATH __attribute__((noinline))

/* Alignment of a hook to a line of the instruction cache, or half of one. */
#define CP_CACHE_LINE __attribute__((aligned(64)))
#define CP_HALF_CACHE_LINE __attribute__((aligned(32)))

/*
 * Subtracts size from the thread's countdown. Returns true if the countdown has
 * reached 0, so that a sample may be due. That is also so for every size, even
 * 0, while the countdown is 0, and for any size too large to be allocated.
 */
static inline bool cp_malloc_count_down(size_t size)
{
    return __builtin_expect(cp_arch_count_down(&cp_alloc_self.left, size), 0);
}

/* The result of the last cp_malloc_count_down, which got the same size. */
static inline bool cp_malloc_is_due(size_t size)
{
    return cp_alloc_self.left + size <= size;
}

/*
 * When the countdown has reached 0: draws the next distance and returns whether
 * to sample this allocation.
 */
bool cp_malloc_should_sample(size_t size);

/* Records a block as a sample; NULL (a failed allocation) is ignored. */
void cp_malloc_sample(void *block, size_t size, uintptr_t caller);

/* cp_malloc_should_sample, then cp_malloc_sample. */
void cp_malloc_maybe_sample(void *block, size_t size, uintptr_t caller);

/*
 * Removes a block from the live table before it is freed. Returns false for an
 * early block, which must not be freed.
 */
bool cp_malloc_before_free(void *block);

/* Frees a block that may be sampled. */
void cp_malloc_slow_free(void *block);

/* free(), and the operators delete that only call it. */
static inline void cp_malloc_free(void *block)
{
    if (__builtin_expect(cp_alloc_may_be_sampled(block), 0))
        cp_malloc_slow_free(block);
    else
        cp_malloc_real.free(block);
}

/*
 * Returns the next function of this name, or NULL if there is none. Also
 * searches libstdc++ if it was loaded with RTLD_LOCAL.
 */
void *cp_malloc_find(const char *name);

#endif
