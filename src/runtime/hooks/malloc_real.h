/*
 * malloc_next - the functions that the hooks go on to.
 *
 * Internal to the hooks (malloc_hooks.c, new_hooks.c). Every pointer is there
 * from the start: as long as the real one is not known it leads to a function
 * that finds it.
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
 * What the hooks seldom come to: out of their way, and called by a jump. Not
 * "cold": the compiler would put the jump far away as well, and the test before
 * it would need four bytes more.
 */
#define CP_RARE __attribute__((noinline))

/* Hooks that begin a line of the instruction cache, or half of one. */
#define CP_LINE __attribute__((aligned(64)))
#define CP_HALF_LINE __attribute__((aligned(32)))

/*
 * Counts down; true: the time has come to look. That is so of every size when
 * nothing is left, 0 among them, and of any that no memory is large enough for.
 */
static inline bool cp_malloc_counts(size_t size)
{
    return __builtin_expect(cp_arch_count_down(&cp_alloc_self.left, size), 0);
}

/* What cp_malloc_counts said of the size that it was just given. */
static inline bool cp_malloc_has_counted(size_t size)
{
    return cp_alloc_self.left + size <= size;
}

/* It is time to look: is a block of this size to be sampled? */
bool cp_malloc_choose(size_t size);

/* Samples a block that was chosen; NULL: there is none after all. */
void cp_malloc_sample(void *block, size_t size, uintptr_t caller);

/* Looks whether the block is to be sampled, and does it. */
void cp_malloc_refresh(void *block, size_t size, uintptr_t caller);

/*
 * What must happen before a block that may be sampled is freed. False: it is
 * none of malloc's, and must not be.
 */
bool cp_malloc_before_free(void *block);

/* free, and the operators that are nothing else. */
void cp_malloc_rare_free(void *block);

static inline void cp_malloc_free(void *block)
{
    if (__builtin_expect(cp_alloc_may_be_sampled(block), 0))
        cp_malloc_rare_free(block);
    else
        cp_malloc_real.free(block);
}

/*
 * The next function of a name; NULL: there is none. Looks in the library of
 * C++ too when that was loaded out of everybody's sight.
 */
void *cp_malloc_find(const char *name);

#endif
