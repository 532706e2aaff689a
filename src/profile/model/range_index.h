/*
 * range_index - among many overlapping ranges, the lowest-numbered one that
 * holds a point.
 *
 * A legacy profile may list any number of mappings and locations, and which
 * mapping wins is decided by their order in the file; asking each in turn
 * would let a small file take hours. Adding a range and asking both take
 * logarithmic time. All the bounds that will ever be used are given first.
 */
#ifndef CP_RANGE_INDEX_H
#define CP_RANGE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_NO_RANGE UINT32_MAX

/* Starts as { 0 }. */
struct cp_range_index {
    uint64_t *bounds; /* sorted, each once */
    size_t n_bounds;
    uint32_t *lowest; /* a tree over the gaps between bounds, root at 1 */
};

/* Takes the bounds (in any order, may repeat), which are sorted in place and
 * must outlive the index. */
enum cp_status cp_range_index_init(struct cp_range_index *x, uint64_t *bounds,
                                   size_t n_bounds, struct cp_error *err);
void cp_range_index_release(struct cp_range_index *x);

/* Adds [from, to), whose ends are among the bounds; empty if from >= to. */
void cp_range_index_add(struct cp_range_index *x, uint64_t from, uint64_t to,
                        uint32_t number);

/* The lowest number of a range with this point, or CP_NO_RANGE. */
uint32_t cp_range_index_find(const struct cp_range_index *x, uint64_t point);

#endif
