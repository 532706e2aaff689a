/* query.c - from parameters to options; see query.h. */
#include "web/query.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define VALUE_BYTES 4096 /* longer values are refused */

enum kind { TEXT, FLAG, COUNT, FRACTION };

static const struct parameter {
    const char *name;
    enum kind kind;
    size_t offset;
} parameters[] = {
    { "si", TEXT, offsetof(struct cp_options, sample_index) },
    { "f", TEXT, offsetof(struct cp_options, focus) },
    { "i", TEXT, offsetof(struct cp_options, ignore) },
    { "h", TEXT, offsetof(struct cp_options, hide) },
    { "s", TEXT, offsetof(struct cp_options, show) },
    { "sf", TEXT, offsetof(struct cp_options, show_from) },
    { "prunefrom", TEXT, offsetof(struct cp_options, prune_from) },
    { "tf", TEXT, offsetof(struct cp_options, tagfocus) },
    { "ti", TEXT, offsetof(struct cp_options, tagignore) },
    { "ts", TEXT, offsetof(struct cp_options, tagshow) },
    { "th", TEXT, offsetof(struct cp_options, taghide) },
    { "tagroot", TEXT, offsetof(struct cp_options, tagroot) },
    { "tagleaf", TEXT, offsetof(struct cp_options, tagleaf) },
    { "u", TEXT, offsetof(struct cp_options, unit) },
    { "unit", TEXT, offsetof(struct cp_options, unit) },
    { "noinlines", FLAG, offsetof(struct cp_options, noinlines) },
    { "columns", FLAG, offsetof(struct cp_options, showcolumns) },
    { "rel", FLAG, offsetof(struct cp_options, relative_percentages) },
    { "mean", FLAG, offsetof(struct cp_options, mean) },
    { "calltree", FLAG, offsetof(struct cp_options, call_tree) },
    { "dropneg", FLAG, offsetof(struct cp_options, drop_negative) },
    { "compact", FLAG, offsetof(struct cp_options, compact_labels) },
    { "norm", FLAG, offsetof(struct cp_options, normalize) },
    { "trim", FLAG, offsetof(struct cp_options, trim) },
    { "n", COUNT, offsetof(struct cp_options, node_count) },
    { "nf", FRACTION, offsetof(struct cp_options, node_fraction) },
    { "ef", FRACTION, offsetof(struct cp_options, edge_fraction) },
};

static const struct {
    const char *name;
    enum cp_granularity granularity;
} granularities[] = {
    { "functions", CP_BY_FUNCTIONS }, { "filefunctions", CP_BY_FILEFUNCTIONS },
    { "files", CP_BY_FILES },         { "lines", CP_BY_LINES },
    { "addresses", CP_BY_ADDRESSES },
};

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

static bool apply(const struct parameter *p, const char *value, void *field)
{
    char *end = NULL;

    switch (p->kind) {
    case TEXT:
        *(const char **)field = value;
        return true;
    case FLAG:
        return read_flag(value, field);
    case COUNT: {
        long number = strtol(value, &end, 10);

        *(int *)field = (int)number;
        return *end == '\0' && number >= -1 && number <= 1000000000;
    }
    case FRACTION:
        *(double *)field = strtod(value, &end);
        return *end == '\0';
    }
    return false;
}

static enum cp_status read_granularity(const char *value,
                                       struct cp_options *options,
                                       struct cp_error *err)
{
    for (size_t i = 0; i < sizeof(granularities) / sizeof(granularities[0]);
         i++) {
        if (strcmp(value, granularities[i].name) == 0) {
            options->granularity = granularities[i].granularity;
            return CP_OK;
        }
    }
    return cp_error_set(err, CP_EUSAGE, "no such granularity: %s", value);
}

/* The value of a parameter, in the arena; NULL if not set or on failure. */
static const char *value_of(const struct cp_http_request *r, const char *name,
                            struct cp_arena *arena, struct cp_error *err)
{
    char value[VALUE_BYTES];

    if (!cp_http_request_param(r, name, value, sizeof(value)) ||
        value[0] == '\0')
        return NULL;
    if (strlen(value) == sizeof(value) - 1) {
        (void)cp_error_set(err, CP_EUSAGE, "%s is too long", name);
        return NULL;
    }
    return cp_arena_copy(arena, value, strlen(value), err);
}

enum cp_status cp_web_query(const struct cp_http_request *r,
                            struct cp_options *options, struct cp_arena *arena,
                            struct cp_error *err)
{
    const char *value;

    err->status = CP_OK;
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        const struct parameter *p = &parameters[i];

        value = value_of(r, p->name, arena, err);
        if (!value && err->status != CP_OK)
            return err->status;
        if (value && !apply(p, value, (char *)options + p->offset))
            return cp_error_set(err, CP_EUSAGE, "%s=%s makes no sense", p->name,
                                value);
    }
    value = value_of(r, "g", arena, err);
    if (!value)
        return err->status;
    return read_granularity(value, options, err);
}
