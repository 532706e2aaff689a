/*
 * stack_pool - one array for the stacks of many profiles that will be merged.
 *
 * Readers store the stacks of each profile in the pool, and the merge rewrites
 * them in place. That saves a second array and page faults. Untouched pages of
 * the pool use no memory. A profile that does not fit allocates its own array,
 * and the merge copies it.
 *
 * Context: any thread. Locking: none; allocation is a CAS loop on `next`.
 */
#ifndef CP_STACK_POOL_H
#define CP_STACK_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Initialize with { 0 }. */
struct cp_stack_pool {
    /* owns the array until the merged profile takes it */
    struct cp_arena arena;
    uint32_t *locs;
    uint64_t cap;
    atomic_uint_fast64_t next; /* first free index */
};

/* Reserves address space for `cap` location indexes; false on failure. */
bool cp_stack_pool_init(struct cp_stack_pool *r, uint64_t cap);

/* Allocates n consecutive elements; NULL if fewer are left. */
uint32_t *cp_stack_pool_alloc(struct cp_stack_pool *r, uint64_t n);

/* Whether `place` points into the pool. */
bool cp_stack_pool_contains(const struct cp_stack_pool *r,
                            const uint32_t *place);

void cp_stack_pool_release(struct cp_stack_pool *r);

#endif
