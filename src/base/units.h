/*
 * units - values with units, as people read them.
 *
 * Three families: memory (B to PB), time (ns to hrs) and GCU. A value in a
 * family can be shown in any unit of that family; "minimum" and "auto" pick
 * the largest unit that leaves at least 1. A unit outside the families is
 * shown as it is.
 */
#ifndef CP_UNITS_H
#define CP_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct cp_unit_family;

#define CP_LABEL_BYTES 96 /* enough for any label or percentage */

/* A conversion, prepared once for many values. */
struct cp_scale {
    const struct cp_unit_family *family; /* NULL: shown as it is */
    double factor;                       /* from the given to the base unit */
    double to_factor;                    /* 0: pick one for each value */
    const char *to_name;
};

/* Prepares to show values of unit `from` in unit `to`; both outlive it. */
void cp_scale_init(struct cp_scale *s, const char *from, const char *to);

/* The value in the wanted unit, whose name goes to *unit. */
double cp_scale_value(const struct cp_scale *s, int64_t value,
                      const char **unit);

/* "1.50kB", "30ms", "0"; at most CP_LABEL_BYTES. */
void cp_scale_label(const struct cp_scale *s, int64_t value, char *out);

/* The same in one step. */
double cp_unit_scale(int64_t value, const char *from, const char *to,
                     const char **unit);
void cp_unit_label(int64_t value, const char *from, const char *to, char *out);

/* Whether both names belong to one family, or are the same. */
bool cp_unit_same_family(const char *a, const char *b);

/* " 5.00%", "  100%", "1.2e-05%": |value / total|, six wide at least. */
void cp_percentage(int64_t value, int64_t total, char *out);

#endif
