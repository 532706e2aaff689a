/*
 * merge_tables - merged mappings, functions and locations.
 *
 * An item is copied on first use. Unused items are therefore dropped, and ids
 * follow the order of use. Used by merge.c.
 */
#ifndef CP_MERGE_TABLES_H
#define CP_MERGE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* Hash table with open addressing; slots hold index + 1. */
struct cp_merge_index {
    uint32_t *slots;
    uint32_t mask;
};

/* Initialize with { 0 }. */
struct cp_merge_tables {
    struct cp_profile *to;
    const struct cp_profile *from;
    uint32_t *strings, *functions, *locations,
        /* merged number + 1, by number in the source; 0 if not merged yet */
        *mappings;
    struct cp_merge_index by_mapping, by_function, by_location;
    size_t cap_functions, cap_locations, cap_lines, cap_mappings;
    struct cp_error *err;
};

void cp_merge_tables_init(struct cp_merge_tables *t, struct cp_profile *to,
                          struct cp_error *err);

/* Starts the next source. */
enum cp_status cp_merge_tables_begin(struct cp_merge_tables *t,
                                     const struct cp_profile *from);
void cp_merge_tables_release(struct cp_merge_tables *t);

/* Returns the merged number of an item of the source; CP_NONE on failure. */
uint32_t cp_merge_string(struct cp_merge_tables *t, uint32_t id);
uint32_t cp_merge_mapping(struct cp_merge_tables *t, uint32_t mapping);
uint32_t cp_merge_location_slow(struct cp_merge_tables *t, uint32_t location);

static inline uint32_t cp_merge_location(struct cp_merge_tables *t,
                                         uint32_t location)
{
    uint32_t known = t->locations[location];

    return known ? known - 1 : cp_merge_location_slow(t, location);
}

#endif
