/*
 * dwarf_functions - finds the function, and the inlined calls, that contain an
 * address.
 */
#ifndef CP_DWARF_FUNCTIONS_H
#define CP_DWARF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_dwarf_unit;
struct cp_worker;

/* A contiguous range of a function's code. */
struct cp_function_range {
    uint64_t low, high;
    const uint8_t *entry;
};

/* All functions of a unit, for repeated lookups. Initialize with { 0 }. */
struct cp_function_list {
    struct cp_function_range *items; /* sorted by low */
    size_t n, cap;
    size_t max_items;   /* maximum items; a longer list is not used */
    bool is_incomplete; /* whether the unit has more functions */
};

/*
 * Fills w->records, and sets w->heads[i] to the innermost record of sorted[i]
 * or CP_NO_RECORD. The root of the unit must have been read.
 */
enum cp_status cp_functions_find(struct cp_worker *w,
                                 const struct cp_dwarf_unit *u,
                                 const uint64_t *sorted, size_t n);

/* Like cp_functions_find, but visits only the functions of a list. */
enum cp_status cp_functions_find_in(struct cp_worker *w,
                                    const struct cp_dwarf_unit *u,
                                    const uint64_t *sorted, size_t n,
                                    const struct cp_function_list *functions);

/* Fills a list, whose max_items the caller sets; false if it is incomplete. */
bool cp_functions_list(struct cp_worker *w, const struct cp_dwarf_unit *u,
                       struct cp_function_list *out);

/* Returns the entry of the function that contains an address, or NULL. */
const uint8_t *cp_function_at(const struct cp_function_list *l,
                              uint64_t address);

/* Sorts the list; false if allocation fails. */
bool cp_function_sort(struct cp_function_list *l);

#endif
