/*
 * units - converts and formats values with units.
 *
 * Three families: memory (B to PB), time (ns to hrs) and GCU. A value can be
 * shown in any unit of its family; "minimum" and "auto" select the largest unit
 * that gives at least 1. A unit outside the families is printed unchanged.
 */
#ifndef CP_UNITS_H
#define CP_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct cp_unit_family;

#define CP_LABEL_BYTES 96 /* maximum bytes of a label or percentage */

/* A conversion, prepared once for many values. */
struct cp_scale {
    const struct cp_unit_family *family; /* NULL means no conversion */
    double factor;    /* from the given unit to the base unit */
    double to_factor; /* 0 means: choose a unit for each value */
    const char *to_name;
};

/*
 * Prepares the conversion from unit `from` to unit `to`; both strings must
 * outlive s.
 */
void cp_scale_init(struct cp_scale *s, const char *from, const char *to);

/* Returns the value in the target unit; *unit is the name of that unit. */
double cp_scale_value(const struct cp_scale *s, int64_t value,
                      const char **unit);

/* Writes "1.50kB", "30ms" or "0"; out has CP_LABEL_BYTES. */
void cp_scale_label(const struct cp_scale *s, int64_t value, char *out);

/* Converts a single value. */
double cp_unit_scale(int64_t value, const char *from, const char *to,
                     const char **unit);
void cp_unit_label(int64_t value, const char *from, const char *to, char *out);

/* Whether both units are equal or belong to the same family. */
bool cp_unit_same_family(const char *a, const char *b);

/* Writes |value / total|, at least six wide: " 5.00%", "  100%", "1.2e-05%". */
void cp_percentage(int64_t value, int64_t total, char *out);

#endif
