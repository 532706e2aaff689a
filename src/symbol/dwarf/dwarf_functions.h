/*
 * dwarf_functions - which function, inlined into which, an address is in.
 */
#ifndef CP_DWARF_FUNCTIONS_H
#define CP_DWARF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_dwarf_unit;
struct cp_worker;

/* A part of the code of a function. */
struct cp_function_range {
    uint64_t low, high;
    const uint8_t *entry;
};

/* All functions of a unit, for those who ask again. Starts as { 0 }. */
struct cp_function_list {
    struct cp_function_range *items; /* sorted by low */
    size_t n, cap;
    size_t most; /* no more than that many, or the list is of no use */
    bool is_cut; /* there were more */
};

/*
 * Fills w->records, and w->heads[i] with the innermost record of sorted[i] or
 * CP_NO_RECORD. The unit's root has been read.
 */
enum cp_status cp_functions_find(struct cp_worker *w,
                                 const struct cp_dwarf_unit *u,
                                 const uint64_t *sorted, size_t n);

/* The same with a list of the unit's functions: looks at nothing else. */
enum cp_status cp_functions_find_in(struct cp_worker *w,
                                    const struct cp_dwarf_unit *u,
                                    const uint64_t *sorted, size_t n,
                                    const struct cp_function_list *functions);

/* Fills a list, whose `most` is set; false: it cannot be had. */
bool cp_functions_list(struct cp_worker *w, const struct cp_dwarf_unit *u,
                       struct cp_function_list *out);

/* The entry of the function that an address is in, or NULL. */
const uint8_t *cp_function_at(const struct cp_function_list *l,
                              uint64_t address);

/* Sorts the list; false: out of memory. */
bool cp_function_sort(struct cp_function_list *l);

#endif
