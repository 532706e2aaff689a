/*
 * report - one report on one profile: what all kinds of report share.
 *
 * cp_report_init does the common work (tag frames, filters, the choice of the
 * value, the total); the writers in the files named after the reports
 * (top.c, tree.c, dot.c ...) do the rest. The profile is changed in place:
 * whoever needs it again gives a copy.
 */
#ifndef CP_REPORT_H
#define CP_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/out.h"
#include "profile/model/label_units.h"
#include "profile/model/profile.h"
#include "report/core/options.h"

/* Starts as { 0 }. */
struct cp_report {
    struct cp_profile *profile;
    struct cp_options options; /* the user's, made fit for the format */
    uint32_t value;            /* index of the chosen sample type */
    int64_t total;             /* of the magnitudes */
    int64_t net;               /* the same with signs, and before filters */
    double ratio;              /* 1 / divide_by */
    const char *sample_type;   /* "cpu", or "mean_cpu" */
    const char *sample_unit;
    const char *out_unit; /* "minimum" until a graph has settled it */
    struct cp_label_units label_units;
    struct cp_arena arena;

    /* Takes warnings, a line each without newline; may be NULL. */
    void (*warn)(void *context, const char *line);
    void *warn_context;

    /* Finds debug files that have to be fetched, see symbol/object.h; gets
     * warn_context too. May be NULL. */
    bool (*find_debug)(void *context, const char *build_id, const char *name,
                       char *out, size_t cap);
};

/*
 * Prepares a report. profile, options and warn must be set beforehand. On
 * failure the report is released.
 */
enum cp_status cp_report_init(struct cp_report *r, struct cp_error *err);
void cp_report_release(struct cp_report *r);

/* Writes the report that options.format names. */
enum cp_status cp_report_write(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err);

/* A value as text in the report's unit; at most CP_LABEL_BYTES. */
void cp_report_value(const struct cp_report *r, int64_t value, char *out);

/* The same right-aligned in a column of ten; nothing is a dot. */
void cp_report_column(const struct cp_report *r, int64_t value,
                      struct cp_out *out);

/* Applies divide_by. */
int64_t cp_report_divide(const struct cp_report *r, int64_t value);

/* The value of sample i, and its divisor for means (0 without -mean). */
static inline int64_t cp_report_sample(const struct cp_report *r, uint32_t i,
                                       int64_t *divisor)
{
    const int64_t *values =
        r->profile->values + (size_t)i * r->profile->n_types;

    *divisor = r->options.mean ? values[0] : 0;
    return values[r->value];
}

/* value / divisor where there is a divisor. */
static inline int64_t cp_report_mean(int64_t value, int64_t divisor)
{
    return divisor != 0 && !(value == INT64_MIN && divisor == -1)
               ? value / divisor
               : value;
}

#endif
