/*
 * dwarf_index - what is remembered for the next question.
 *
 * A batch is answered without building anything. A symbolizer that is asked
 * again and again (one address at a time, by a program at the other end of a
 * pipe) remembers, from the second question on, which unit each address is in
 * and, for units that come up again, their functions and places to go on from
 * in their line programs. All of it is a fraction of the file's size.
 */
#ifndef CP_DWARF_INDEX_H
#define CP_DWARF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_functions.h"
#include "symbol/dwarf/dwarf_line.h"

/* What is remembered of one unit; used by one thread at a time. */
struct cp_unit_index {
    uint64_t unit;
    unsigned n_visits;
    bool has_functions;
    struct cp_function_list functions;
    struct cp_line_marks marks;
};

struct cp_dwarf_index;

struct cp_dwarf_index *cp_dwarf_index_new(void);

/* NULL is allowed. */
void cp_dwarf_index_free(struct cp_dwarf_index *x);

/* What is remembered of a unit, made if new; NULL: out of memory. */
struct cp_unit_index *cp_dwarf_index_unit(struct cp_dwarf_index *x,
                                          uint64_t unit);

/* The units of all code, sorted by address. */
struct cp_unit_range {
    uint64_t low, high, unit;
    uint64_t reach; /* the highest `high` up to here */
};

struct cp_unit_map {
    struct cp_unit_range *ranges;
    size_t n, cap;
    bool is_made, is_useless;
};

struct cp_unit_map *cp_dwarf_index_map(struct cp_dwarf_index *x);

/* Adds a range; false: out of memory. */
bool cp_unit_map_add(struct cp_unit_map *m, uint64_t low, uint64_t high,
                     uint64_t unit);

/* Makes the map ready for questions; false: out of memory. */
bool cp_unit_map_sort(struct cp_unit_map *m);

/* The first unit of the file that has the address, or UINT64_MAX. */
uint64_t cp_unit_map_at(const struct cp_unit_map *m, uint64_t address);

#endif
