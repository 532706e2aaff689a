/*
 * dwarf_ranges - iterates over the address ranges of a debug entry.
 *
 *     struct cp_ranges r;
 *
 *     cp_ranges_init(&r, unit, &code, &fuel);
 *     while (cp_ranges_next(&r))
 *         ... r.low, r.high ...
 */
#ifndef CP_DWARF_RANGES_H
#define CP_DWARF_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_form.h"

struct cp_dwarf_bytes;
struct cp_dwarf_unit;

/* The code attributes of one entry; missing ones have form 0. */
struct cp_code {
    struct cp_value low, high, ranges;
};

struct cp_ranges {
    uint64_t low, high; /* current range, high excluded */
    const struct cp_dwarf_unit *unit;
    struct cp_cursor list;
    const struct cp_dwarf_bytes *bytes; /* section that contains the list */
    const uint8_t *fetched;             /* end of the fetched bytes */
    uint64_t base;
    int64_t *fuel; /* bytes that may still be decoded; shared */
    bool is_list, is_old, is_single;
};

void cp_ranges_init(struct cp_ranges *r, const struct cp_dwarf_unit *u,
                    const struct cp_code *code, int64_t *fuel);

/* Moves to the next range that is not empty; false at the end. */
bool cp_ranges_next(struct cp_ranges *r);

#endif
