/*
 * dwarf_index - caches of a symbolizer for repeated batches.
 *
 * A single batch is resolved without building tables. A symbolizer that gets
 * many batches (one address at a time, over a pipe) builds caches from the
 * second batch on: the unit of each address, and for units that occur again
 * their functions and restart points in their line programs. The caches are
 * much smaller than the file.
 */
#ifndef CP_DWARF_INDEX_H
#define CP_DWARF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_functions.h"
#include "symbol/dwarf/dwarf_line.h"

/* Caches of one unit; used by one thread at a time. */
struct cp_unit_index {
    uint64_t unit;
    unsigned n_visits;
    bool has_functions;
    struct cp_function_list functions;
    struct cp_line_marks marks;
};

struct cp_dwarf_index;

struct cp_dwarf_index *cp_dwarf_index_new(void);

/* Frees x, which may be NULL. */
void cp_dwarf_index_free(struct cp_dwarf_index *x);

/*
 * Returns the caches of a unit and creates them if new; NULL if allocation
 * fails.
 */
struct cp_unit_index *cp_dwarf_index_unit(struct cp_dwarf_index *x,
                                          uint64_t unit);

/* The unit of a range of code; a map is sorted by address. */
struct cp_unit_range {
    uint64_t low, high, unit;
    uint64_t max_end; /* highest `high` up to this range */
};

struct cp_unit_map {
    struct cp_unit_range *ranges;
    size_t n, cap;
    bool is_made, is_useless;
};

struct cp_unit_map *cp_dwarf_index_map(struct cp_dwarf_index *x);

/* Adds a range; false if allocation fails. */
bool cp_unit_map_add(struct cp_unit_map *m, uint64_t low, uint64_t high,
                     uint64_t unit);

/* Sorts the map for lookups; false if allocation fails. */
bool cp_unit_map_sort(struct cp_unit_map *m);

/*
 * Returns the first unit of the file that contains the address, or UINT64_MAX.
 */
uint64_t cp_unit_map_at(const struct cp_unit_map *m, uint64_t address);

#endif
