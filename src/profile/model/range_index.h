/*
 * range_index - finds the lowest-numbered of many overlapping ranges that
 * contains a point.
 *
 * A legacy profile may list any number of mappings and locations, and the first
 * mapping in the file wins. A linear search would let a small file take hours;
 * insertion and lookup here take logarithmic time. All bounds must be known at
 * initialization.
 */
#ifndef CP_RANGE_INDEX_H
#define CP_RANGE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_NO_RANGE UINT32_MAX

/* Initialize with { 0 }. */
struct cp_range_index {
    uint64_t *bounds; /* sorted, without duplicates */
    size_t n_bounds;
    uint32_t *lowest; /* lowest range number by tree node, root at 1 */
};

/*
 * Builds the tree. Sorts the bounds in place; they may repeat, and must outlive
 * the index.
 */
enum cp_status cp_range_index_init(struct cp_range_index *x, uint64_t *bounds,
                                   size_t n_bounds, struct cp_error *err);
void cp_range_index_release(struct cp_range_index *x);

/*
 * Inserts [from, to); both ends must be bounds. An empty range (from >= to) is
 * ignored.
 */
void cp_range_index_add(struct cp_range_index *x, uint64_t from, uint64_t to,
                        uint32_t number);

/*
 * Returns the lowest number of a range that contains the point, or CP_NO_RANGE.
 */
uint32_t cp_range_index_find(const struct cp_range_index *x, uint64_t point);

#endif
