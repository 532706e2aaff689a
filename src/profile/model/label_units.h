/*
 * label_units - one unit for each key of numeric labels.
 *
 * The first unit met for a key wins; where there is none, "alignment" and
 * "request" are bytes and any other key is its own unit. Other units met are
 * noted, for a warning.
 */
#ifndef CP_LABEL_UNITS_H
#define CP_LABEL_UNITS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct cp_profile;

/* Starts as { 0 }. */
struct cp_label_units {
    uint32_t *unit;  /* by string number of the key; CP_NONE: no such key */
    char **warnings; /* a line each, in the order of the keys */
    uint32_t n_warnings;
    struct cp_arena arena;
};

/* Looks at all labels. May add strings to p. */
enum cp_status cp_label_units_init(struct cp_label_units *u,
                                   struct cp_profile *p, struct cp_error *err);
void cp_label_units_release(struct cp_label_units *u);

#endif
