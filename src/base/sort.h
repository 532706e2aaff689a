/*
 * sort - sorts pairs by their key, stably and in linear time.
 *
 * For the parts that the library shares: the qsort of libc allocates, and is
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

/* Ascending by key; pairs with one key stay in their order. */
enum cp_status cp_sort_pairs(struct cp_sort_pair *pairs, size_t n,
                             struct cp_error *err);

#endif
