/*
 * heap_values.c - scaling and columns of heap profiles.
 *
 * An object of s bytes is sampled with probability 1 - e^(-s/rate), so each
 * sampled object represents 1 / (1 - e^(-s/rate)) objects.
 */
#include "profile/legacy/heap_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "profile/model/build.h"

int64_t cp_legacy_heap_truncate(double v)
{
    if (v >= -0x1p63 && v < 0x1p63)
        return (int64_t)v;
    return INT64_MIN;
}

struct cp_legacy_heap_pair
cp_legacy_heap_unbias(struct cp_legacy_heap_pair seen, int64_t rate)
{
    double mean, scale;

    if (seen.objects == 0 || seen.bytes == 0)
        return (struct cp_legacy_heap_pair){ 0, 0 };
    if (rate <= 1)
        return seen;
    mean = (double)seen.bytes / (double)seen.objects;
    scale = 1 / (1 - exp(-mean / (double)rate));
    return (struct cp_legacy_heap_pair){
        cp_legacy_heap_truncate((double)seen.objects * scale),
        cp_legacy_heap_truncate((double)seen.bytes * scale),
    };
}

/*
 * Converts to units of 1/parts: rounds fractions, but truncates whole units as
 * jeprof does.
 */
static int64_t to_parts(double v, int parts)
{
    return cp_legacy_heap_truncate(parts > 1 ? rint(v * parts) : v);
}

/* Returns the number of objects that one sampled object represents. */
static double factor(double mean, double rate, bool is_linear)
{
    if (!is_linear)
        return 1 / (1 - exp(-mean / rate));
    return mean < rate ? rate / mean : 1;
}

struct cp_legacy_heap_pair
cp_legacy_heap_unbias_parts(struct cp_legacy_heap_pair seen, int64_t rate,
                            int parts, bool is_linear)
{
    double objects = (double)seen.objects, bytes = (double)seen.bytes;
    double scale = 1;

    if (seen.objects != 0 && seen.bytes != 0 && rate > 1)
        scale = factor(bytes / objects, (double)rate, is_linear);
    return (struct cp_legacy_heap_pair){ to_parts(objects * scale, parts),
                                         to_parts(bytes * scale, parts) };
}

int64_t cp_legacy_heap_mean(struct cp_legacy_heap_pair seen)
{
    if (seen.objects == 0)
        return 0;
    if (seen.objects == -1) /* INT64_MIN / -1 overflows */
        return (int64_t)(0 - (uint64_t)seen.bytes);
    return seen.bytes / seen.objects;
}

/* Parses digits, after a minus sign if is_signed. */
static bool parse_number(struct cp_text *t, bool is_signed, struct cp_text *out)
{
    const char *start = t->pos;

    if (is_signed)
        (void)cp_text_consume(t, "-");
    if (!cp_text_consume_digits(t, out))
        return false;
    out->pos = start;
    return true;
}

/* Parses "n: b" with optional blanks after the colon. */
static bool parse_pair(struct cp_text *t, bool is_signed, struct cp_text out[2])
{
    if (!parse_number(t, is_signed, &out[0]) || !cp_text_consume(t, ":"))
        return false;
    (void)cp_text_consume_blanks(t);
    return parse_number(t, is_signed, &out[1]);
}

bool cp_legacy_heap_parse_counts(struct cp_text *t, bool is_signed,
                                 struct cp_legacy_heap_counts *out)
{
    struct cp_text at = *t;

    if (!parse_pair(&at, is_signed, out->in_use))
        return false;
    (void)cp_text_consume_blanks(&at);
    if (!cp_text_consume(&at, "["))
        return false;
    (void)cp_text_consume_blanks(&at);
    if (!parse_pair(&at, false, out->allocated))
        return false;
    (void)cp_text_consume_blanks(&at);
    if (!cp_text_consume(&at, "]"))
        return false;
    *t = at;
    return true;
}

/*
 * Whether `all` is neither 0 nor equal to `use`. Compares the digit strings,
 * like the reference tool.
 */
static bool has_more(struct cp_text all, struct cp_text use)
{
    bool is_same = cp_text_len(all) == cp_text_len(use) &&
                   memcmp(all.pos, use.pos, cp_text_len(all)) == 0;

    return !is_same && !cp_text_equals(all, "0");
}

bool cp_legacy_heap_has_allocations(
    const struct cp_legacy_heap_counts *totals,
    const struct cp_legacy_heap_options *options)
{
    if (options->parts > 0)
        return !cp_text_equals(totals->allocated[1], "0");
    return has_more(totals->allocated[0], totals->in_use[0]) ||
           has_more(totals->allocated[1], totals->in_use[1]);
}

/* Adds two sample types: objects and bytes. */
static enum cp_status add_pair(struct cp_builder *b, const char *const names[2],
                               int parts, struct cp_error *err)
{
    char objects[32] = "count", bytes[32] = "bytes";

    if (parts > 1) {
        (void)snprintf(objects, sizeof(objects), "1/%d objects", parts);
        (void)snprintf(bytes, sizeof(bytes), "1/%d bytes", parts);
    }
    if (cp_builder_type(b, names[0], objects, err) != CP_OK)
        return CP_ENOMEM;
    return cp_builder_type(b, names[1], bytes, err);
}

enum cp_status
cp_legacy_heap_add_types(struct cp_builder *b, bool has_allocations,
                         const struct cp_legacy_heap_options *options,
                         int64_t period, struct cp_error *err)
{
    static const char *const allocated[] = { "alloc_objects", "alloc_space" };
    static const char *const in_use[] = { "inuse_objects", "inuse_space" };
    static const char *const alone[] = { "objects", "space" };
    enum cp_status status = CP_OK;

    if (has_allocations)
        status = add_pair(b, allocated, options->parts, err);
    if (status == CP_OK)
        status = add_pair(b, has_allocations ? in_use : alone,
                          cp_legacy_heap_in_use_parts(options), err);
    if (status == CP_OK)
        status = cp_builder_period(b, "space", "bytes", period, err);
    return status;
}

bool cp_legacy_heap_label(struct cp_builder *b, int64_t size,
                          struct cp_label *out, struct cp_error *err)
{
    *out = (struct cp_label){ cp_builder_str(b, "bytes", 5, err), CP_NONE, 0,
                              size };
    return out->key != CP_NO_STR;
}

int cp_legacy_heap_in_use_parts(const struct cp_legacy_heap_options *options)
{
    return options->parts > 1 ? options->parts * CP_LEGACY_HEAP_FINE
                              : options->parts;
}

int cp_legacy_heap_unit_parts(const char *unit, bool *is_bytes)
{
    char *end = NULL;
    long parts = strncmp(unit, "1/", 2) == 0 ? strtol(unit + 2, &end, 10) : 1;

    *is_bytes = end && strcmp(end, " bytes") == 0;
    if (!end || (!*is_bytes && strcmp(end, " objects") != 0) || parts < 1 ||
        parts > CP_LEGACY_HEAP_PARTS * CP_LEGACY_HEAP_FINE)
        return 1;
    return (int)parts;
}

bool cp_legacy_heap_is_in_parts(const struct cp_profile *p)
{
    bool is_bytes;

    for (uint32_t k = 0; k < p->n_types; k++)
        if (cp_legacy_heap_unit_parts(cp_profile_cstr(p, p->types[k].unit),
                                      &is_bytes) > 1)
            return true;
    return false;
}

enum cp_status cp_legacy_heap_make_whole(struct cp_profile *p,
                                         struct cp_error *err)
{
    for (uint32_t k = 0; k < p->n_types; k++) {
        bool is_bytes;
        int parts = cp_legacy_heap_unit_parts(
            cp_profile_cstr(p, p->types[k].unit), &is_bytes);

        if (parts == 1)
            continue;
        p->types[k].unit = cp_strtab_add(
            &p->strings, is_bytes ? "bytes" : "count", strlen("bytes"), err);
        if (p->types[k].unit == CP_NO_STR)
            return CP_ENOMEM;
        for (uint32_t i = 0; i < p->n_samples; i++)
            p->values[(size_t)i * p->n_types + k] /= parts;
    }
    return CP_OK;
}
