/*
 * report - the state of one report on one profile, common to all formats.
 *
 * cp_report_init does the common work: tag frames, filters, choice of the
 * value, total. The writers in the files named after the formats (top.c,
 * tree.c, dot.c ...) do the rest. A report modifies the profile; pass a copy to
 * keep it.
 */
#ifndef CP_REPORT_H
#define CP_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "profile/model/label_units.h"
#include "profile/model/profile.h"
#include "report/core/options.h"

/* Initialize with { 0 }. */
struct cp_report {
    struct cp_profile *profile;
    struct cp_options options; /* user's options, adjusted to the format */
    uint32_t value;            /* index of the chosen sample type */
    int64_t total;             /* sum of absolute values */
    int64_t net;               /* sum of signed values before filters */
    double ratio;              /* 1 / divide_by */
    const char *sample_type;   /* "cpu", or "mean_cpu" */
    const char *sample_unit;
    const char *out_unit; /* "minimum" until cp_trim_build chooses a unit */
    struct cp_label_units label_units;
    struct cp_arena arena;

    /* Receives warnings, one line each without a newline. May be NULL. */
    void (*warn)(void *context, const char *line);
    void *warn_context;

    /*
     * Finds debug files that must be fetched (symbol/object.h). Gets
     * warn_context as its context. May be NULL.
     */
    bool (*find_debug)(void *context, const char *build_id, const char *name,
                       char *out, size_t cap);
};

/*
 * Prepares a report. The caller sets profile, options and warn. On failure the
 * report is released.
 */
enum cp_status cp_report_init(struct cp_report *r, struct cp_error *err);
void cp_report_release(struct cp_report *r);

/* Writes the report in options.format. */
enum cp_status cp_report_write(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err);

/* Formats a value in the report's unit; out has CP_LABEL_BYTES. */
void cp_report_value(const struct cp_report *r, int64_t value, char *out);

/* Writes the same right-aligned in a column of ten; a dot for 0. */
void cp_report_column(const struct cp_report *r, int64_t value,
                      struct cp_out *out);

/* Applies divide_by. */
int64_t cp_report_divide(const struct cp_report *r, int64_t value);

/*
 * Returns the value of sample i, and its divisor for means (0 without -mean).
 */
static inline int64_t cp_report_sample(const struct cp_report *r, uint32_t i,
                                       int64_t *divisor)
{
    const int64_t *values =
        r->profile->values + (size_t)i * r->profile->n_types;

    *divisor = r->options.mean ? values[0] : 0;
    return values[r->value];
}

/* Returns value / divisor, or value if divisor is 0. */
static inline int64_t cp_report_mean(int64_t value, int64_t divisor)
{
    return divisor != 0 && !(value == INT64_MIN && divisor == -1)
               ? value / divisor
               : value;
}

#endif
