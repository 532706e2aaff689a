/*
 * label_units - chooses one unit for each key of numeric labels.
 *
 * The first unit of a key wins. A key without a unit gets "bytes" if it is
 * "alignment" or "request", else its own name. Other units of the key produce a
 * warning.
 */
#ifndef CP_LABEL_UNITS_H
#define CP_LABEL_UNITS_H

#include <stdint.h>

#include "base/arena.h"

struct cp_profile;

/* Initialize with { 0 }. */
struct cp_label_units {
    uint32_t *unit; /* unit by string number of the key; CP_NONE if not a key */
    char **warnings; /* lines, in the order of the keys */
    uint32_t n_warnings;
    struct cp_arena arena;
};

/* Scans all labels. May add strings to p. */
enum cp_status cp_label_units_init(struct cp_label_units *u,
                                   struct cp_profile *p, struct cp_error *err);
void cp_label_units_release(struct cp_label_units *u);

#endif
