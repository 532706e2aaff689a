/*
 * sort - sorts pairs by key, stably and in linear time.
 *
 * libc's qsort allocates memory, which the runtime library must avoid, and is
 * slower on long lists.
 */
#ifndef CP_SORT_H
#define CP_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_sort_pair {
    uint64_t key;
    uint64_t value;
};

/* Sorts in ascending order; pairs with equal keys keep their order. */
enum cp_status cp_sort_pairs(struct cp_sort_pair *pairs, size_t n,
                             struct cp_error *err);

/* Sorts n structs of `size` bytes at p by the uint64_t at offset key_at. */
enum cp_status cp_sort_structs(void *p, size_t n, size_t size, size_t key_at,
                               struct cp_error *err);

#endif
