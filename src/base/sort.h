/*
 * sort - orders numbered things by a key, in place.
 *
 * Where the C library's qsort must not be used: it may allocate, and inside
 * somebody else's process that is somebody else's memory. Things with equal
 * keys keep the order of their numbers.
 */
#ifndef CP_SORT_H
#define CP_SORT_H

#include <stddef.h>
#include <stdint.h>

struct cp_sort_item {
    uint64_t key;
    size_t index;
};

/* Ascending. */
void cp_sort_items(struct cp_sort_item *items, size_t n);

/* The first whose key is not below `key`; n when there is none. */
size_t cp_sort_lower(const struct cp_sort_item *items, size_t n, uint64_t key);

#endif
