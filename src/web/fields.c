/*
 * fields.c - the table of options, and conversion of values from and to text.
 */
#include "web/fields.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/out.h"
#include "report/core/escape.h"
#include "report/core/options.h"

#define AT(member) offsetof(struct cp_options, member)
#define MAX_NODES 1000000000

const struct cp_web_field cp_web_fields[] = {
    { "calltree", "call_tree", CP_FIELD_FLAG, AT(call_tree) },
    { "rel", "relative_percentages", CP_FIELD_FLAG, AT(relative_percentages) },
    { "unit", "unit", CP_FIELD_TEXT, AT(unit) },
    { "u", NULL, CP_FIELD_TEXT, AT(unit) }, /* from links of older pages */
    { "compact", "compact_labels", CP_FIELD_FLAG, AT(compact_labels) },
    { "intel", "intel_syntax", CP_FIELD_FLAG, AT(intel_syntax) },
    { "mean", "mean", CP_FIELD_FLAG, AT(mean) },
    { "norm", "normalize", CP_FIELD_FLAG, AT(normalize) },
    { "sort", "sort", CP_FIELD_SORT, AT(cum_sort) },
    { "tagroot", "tagroot", CP_FIELD_TEXT, AT(tagroot) },
    { "tagleaf", "tagleaf", CP_FIELD_TEXT, AT(tagleaf) },
    { "dropneg", "drop_negative", CP_FIELD_FLAG, AT(drop_negative) },
    { "n", "nodecount", CP_FIELD_COUNT, AT(node_count) },
    { "nf", "nodefraction", CP_FIELD_FRACTION, AT(node_fraction) },
    { "ef", "edgefraction", CP_FIELD_FRACTION, AT(edge_fraction) },
    { "trim", "trim", CP_FIELD_FLAG, AT(trim) },
    { "f", "focus", CP_FIELD_TEXT, AT(focus) },
    { "i", "ignore", CP_FIELD_TEXT, AT(ignore) },
    { "prunefrom", "prune_from", CP_FIELD_TEXT, AT(prune_from) },
    { "h", "hide", CP_FIELD_TEXT, AT(hide) },
    { "s", "show", CP_FIELD_TEXT, AT(show) },
    { "sf", "show_from", CP_FIELD_TEXT, AT(show_from) },
    { "tf", "tagfocus", CP_FIELD_TEXT, AT(tagfocus) },
    { "ti", "tagignore", CP_FIELD_TEXT, AT(tagignore) },
    { "ts", "tagshow", CP_FIELD_TEXT, AT(tagshow) },
    { "th", "taghide", CP_FIELD_TEXT, AT(taghide) },
    { "noinlines", "noinlines", CP_FIELD_FLAG, AT(noinlines) },
    { "showcolumns", "showcolumns", CP_FIELD_FLAG, AT(showcolumns) },
    { "columns", NULL, CP_FIELD_FLAG, AT(showcolumns) },
    { "g", "granularity", CP_FIELD_GRANULARITY, AT(granularity) },
    { "si", NULL, CP_FIELD_TEXT, AT(sample_index) },
};
const size_t cp_web_n_fields = sizeof(cp_web_fields) / sizeof(cp_web_fields[0]);

/* By enum cp_granularity. */
static const char *const granularities[] = {
    "", "functions", "filefunctions", "files", "lines", "addresses"
};
#define N_GRANULARITIES (sizeof(granularities) / sizeof(granularities[0]))

static bool read_flag(const char *value, bool *out)
{
    static const char *const yes[] = { "t", "true", "1", "y", "yes" };
    static const char *const no[] = { "f", "false", "0", "n", "no" };

    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcasecmp(value, yes[i]) == 0 || strcasecmp(value, no[i]) == 0) {
            *out = strcasecmp(value, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool read_count(const char *value, int *out)
{
    char *end = NULL;
    long number = strtol(value, &end, 10);

    if (end == value || *end || number < -1 || number > MAX_NODES)
        return false;
    *out = (int)number;
    return true;
}

static bool read_fraction(const char *value, double *out)
{
    char *end = NULL;
    double number = strtod(value, &end);

    if (end == value || *end || !(number >= -1e300 && number <= 1e300))
        return false;
    *out = number;
    return true;
}

static bool read_granularity(const char *value, enum cp_granularity *out)
{
    for (size_t i = 1; i < N_GRANULARITIES; i++) {
        if (strcmp(value, granularities[i]) == 0) {
            *out = (enum cp_granularity)i;
            return true;
        }
    }
    return false;
}

bool cp_web_field_set(const struct cp_web_field *f, struct cp_options *o,
                      const char *value)
{
    void *field = (char *)o + f->offset;

    switch (f->kind) {
    case CP_FIELD_TEXT:
        *(const char **)field = value;
        return true;
    case CP_FIELD_FLAG:
        return read_flag(value, field);
    case CP_FIELD_COUNT:
        return read_count(value, field);
    case CP_FIELD_FRACTION:
        return read_fraction(value, field);
    case CP_FIELD_SORT:
        *(bool *)field = strcmp(value, "cum") == 0;
        return *(bool *)field || strcmp(value, "flat") == 0;
    case CP_FIELD_GRANULARITY:
        return read_granularity(value, field);
    }
    return false;
}

static bool write_text(const char *text, struct cp_out *out)
{
    if (*text)
        cp_escape_json(out, (struct cp_str){ text, (uint32_t)strlen(text) });
    return *text != '\0';
}

bool cp_web_field_write(const struct cp_web_field *f,
                        const struct cp_options *o, struct cp_out *out)
{
    const void *field = (const char *)o + f->offset;
    bool is_set = false;

    switch (f->kind) {
    case CP_FIELD_TEXT:
        return write_text(*(const char *const *)field, out);
    case CP_FIELD_FLAG:
        is_set = *(const bool *)field;
        if (is_set)
            cp_out_cstr(out, "true");
        return is_set;
    case CP_FIELD_COUNT:
        is_set = *(const int *)field != 0;
        if (is_set)
            cp_out_i64(out, *(const int *)field);
        return is_set;
    case CP_FIELD_FRACTION:
        is_set = *(const double *)field < 0 || *(const double *)field > 0;
        if (is_set)
            cp_out_printf(out, "%.15g", *(const double *)field);
        return is_set;
    case CP_FIELD_SORT:
        return write_text(*(const bool *)field ? "cum" : "flat", out);
    case CP_FIELD_GRANULARITY:
        return write_text(granularities[*(const enum cp_granularity *)field],
                          out);
    }
    return false;
}
