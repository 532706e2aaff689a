/* stack_pool.c - lock-free allocation from one array. */
#include "profile/model/stack_pool.h"

bool cp_stack_pool_init(struct cp_stack_pool *r, uint64_t cap)
{
    *r = (struct cp_stack_pool){ .cap = cap };
    r->locs = cp_arena_alloc(&r->arena, cap, sizeof(*r->locs), NULL);
    return r->locs != NULL;
}

uint32_t *cp_stack_pool_alloc(struct cp_stack_pool *r, uint64_t n)
{
    uint_fast64_t at = atomic_load(&r->next);

    do
        if (!r->locs || n > r->cap - at)
            return NULL;
    while (!atomic_compare_exchange_weak(&r->next, &at, at + n));
    return r->locs + at;
}

bool cp_stack_pool_contains(const struct cp_stack_pool *r,
                            const uint32_t *place)
{
    uintptr_t from = (uintptr_t)r->locs, at = (uintptr_t)place;

    return r->locs && at >= from && at - from < r->cap * sizeof(*r->locs);
}

void cp_stack_pool_release(struct cp_stack_pool *r)
{
    cp_arena_release(&r->arena);
    *r = (struct cp_stack_pool){ 0 };
}
