/*
 * legacy_heap.c - reads heap profiles in text form.
 *
 *   heap profile: 13: 1595680 [47: 25845] @ heap_v2/524288
 *    1:  524288 [    3:  1572864] @ 0x420cef 0x422151 0x4221da
 *   -1: -524288 [    1:   524288] @ 0x420cef
 *   --- Memory map: ---                  or MAPPED_LIBRARIES:
 *
 * Each line counts objects and bytes, in use and [allocated since the start].
 * The text after the header's @ gives the kind of sampling:
 *
 *   heapz_v2, heap_v2           about every RATE bytes
 *   heap                        about every RATE / 2 bytes
 *   heapprofile                 not sampled
 *   growth..., fragmentation... not sampled; in-use numbers only
 *
 * tcmalloc, gperftools and Go (debug=1) write these files. The header and
 * samples may have other text before them in their line. Blank lines and #
 * lines are ignored.
 */
#include "base/index.h"
#include "profile/legacy/heap_values.h"
#include "profile/legacy/legacy.h"
#include "profile/legacy/memory_map.h"

#include <string.h>

struct heap_reader {
    struct cp_legacy_reader base;
    struct cp_legacy_heap_options options;
    bool is_sampled, is_old_sampling, has_allocations;
    int64_t rate;
    struct cp_text line; /* current line, for error messages */
    int64_t size;        /* mean bytes of an object on the current line */
};

/* Parses "heap profile: n: b [n: b]". */
static bool parse_totals(struct cp_text *t,
                         struct cp_legacy_heap_counts *totals)
{
    if (!cp_text_consume(t, "heap profile:"))
        return false;
    (void)cp_text_consume_blanks(t);
    return cp_legacy_heap_parse_counts(t, false, totals);
}

/* Parses "@ heap" before the kind of a sampled profile; leaves "heap". */
static bool parse_at_heap(struct cp_text *t)
{
    (void)cp_text_consume_blanks(t);
    if (!cp_text_consume(t, "@"))
        return false;
    (void)cp_text_consume_blanks(t);
    return cp_text_starts(*t, "heap");
}

/* Parses the kind of a heap profile and its rate, "heap_v2/524288". */
static bool read_kind(struct heap_reader *r, struct cp_text t)
{
    struct cp_text kind = t, digits;

    (void)cp_text_consume_set(&t, "_abcdefghijklmnopqrstuvwxyz0123456789",
                              &kind);
    (void)cp_text_consume(&t, "/");
    r->rate = 0;
    if (cp_text_consume_digits(&t, &digits) &&
        !cp_text_to_int(digits, &r->rate))
        return false;
    r->is_sampled = true;
    if (cp_text_equals(kind, "heapz_v2") || cp_text_equals(kind, "heap_v2"))
        return true;
    if (cp_text_equals(kind, "heap")) {
        r->rate /= 2;
        r->is_old_sampling = true;
        return true;
    }
    r->is_sampled = false;
    r->rate = 1;
    return cp_text_equals(kind, "heapprofile");
}

/* Whether the line is the header of a supported profile; fills in *r. */
static bool read_header(struct heap_reader *r, struct cp_text line)
{
    struct cp_legacy_heap_counts totals;

    for (; (line.pos = cp_text_find(line, "heap profile:")); line.pos++) {
        struct cp_text t = line;

        if (!parse_totals(&t, &totals))
            continue;
        if (cp_text_starts(t, " @ growth") ||
            cp_text_starts(t, " @ fragmentation")) {
            r->rate = 1;
            return true;
        }
        if (parse_at_heap(&t)) {
            r->has_allocations =
                cp_legacy_heap_has_allocations(&totals, &r->options);
            return read_kind(r, t);
        }
    }
    return false;
}

/* Finds the first "n: b [n: b] @" of a line; *tail is the text behind it. */
static bool find_sample(struct cp_text line,
                        struct cp_legacy_heap_counts *counts,
                        struct cp_text *tail)
{
    struct cp_text t = line, digits;

    while (t.pos < t.end) {
        struct cp_text at = t;

        if (!cp_text_is_digit(*t.pos)) {
            t.pos++;
            continue;
        }
        if (t.pos > line.pos && t.pos[-1] == '-')
            at.pos--;
        if (cp_legacy_heap_parse_counts(&at, true, counts) &&
            cp_text_consume(&at, " @")) {
            *tail = at;
            return true;
        }
        (void)cp_text_consume_digits(&t, &digits);
    }
    return false;
}

/* Parses a number of the current line; fails if it exceeds 64 bits. */
static enum cp_status read_number(const struct heap_reader *r,
                                  struct cp_text digits, int64_t *out,
                                  struct cp_error *err)
{
    if (cp_text_to_int(digits, out))
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "malformed sample: %.*s: strconv.ParseInt: parsing "
                        "\"%.*s\": value out of range",
                        CP_TEXT_ARG(r->line), CP_TEXT_ARG(digits));
}

/* Parses objects and bytes, in use or allocated, and unbiases them. */
static enum cp_status read_pair(struct heap_reader *r,
                                const struct cp_text text[2], const char *what,
                                int64_t values[2], struct cp_error *err)
{
    struct cp_legacy_heap_pair seen = { 0, 0 };
    bool is_in_use = strcmp(what, "inuse") == 0;
    int parts =
        is_in_use ? cp_legacy_heap_in_use_parts(&r->options) : r->options.parts;

    if (read_number(r, text[0], &seen.objects, err) != CP_OK ||
        read_number(r, text[1], &seen.bytes, err) != CP_OK)
        return CP_EFORMAT;
    if (seen.objects == 0 && seen.bytes != 0)
        return cp_error_set(err, CP_EFORMAT,
                            "%s count was 0 but %s bytes was %lld", what, what,
                            (long long)seen.bytes);
    if (seen.objects != 0)
        r->size = cp_legacy_heap_mean(seen);
    if (r->options.parts > 0)
        seen = cp_legacy_heap_unbias_parts(seen, r->is_sampled ? r->rate : 1,
                                           parts, r->is_old_sampling);
    else if (r->is_sampled)
        seen = cp_legacy_heap_unbias(seen, r->rate);
    values[0] = seen.objects;
    values[1] = seen.bytes;
    return CP_OK;
}

static enum cp_status add_sample(struct heap_reader *r, const int64_t *values,
                                 struct cp_error *err)
{
    struct cp_label label;
    uint32_t labels;

    if (r->options.parts > 0)
        return cp_address_stack_sample(&r->base.stack, &r->base.b, values, 0,
                                       err);
    if (!cp_legacy_heap_label(&r->base.b, r->size, &label, err))
        return CP_ENOMEM;
    labels = cp_builder_label_set(&r->base.b, &label, 1, err);
    if (labels == CP_NONE)
        return CP_ENOMEM;
    return cp_address_stack_sample(&r->base.stack, &r->base.b, values, labels,
                                   err);
}

static enum cp_status read_sample(struct heap_reader *r, struct cp_error *err)
{
    struct cp_legacy_heap_counts counts;
    enum cp_status status = CP_OK;
    struct cp_text tail;
    int64_t values[4];

    if (!find_sample(r->line, &counts, &tail))
        return cp_error_set(
            err, CP_EFORMAT,
            "unexpected number of sample values: got 0, want 6");
    r->size = 0;
    if (r->has_allocations)
        status = read_pair(r, counts.allocated, "allocation", values, err);
    if (status == CP_OK)
        status = read_pair(r, counts.in_use, "inuse",
                           values + (r->has_allocations ? 2 : 0), err);
    if (status == CP_OK)
        status = cp_address_stack_read_tail(&r->base.stack, tail, r->line, err);
    return status == CP_OK ? add_sample(r, values, err) : status;
}

static enum cp_status read_all(struct cp_legacy_reader *base,
                               struct cp_text rest, struct cp_error *err)
{
    struct heap_reader *r = (struct heap_reader *)base;
    enum cp_status status;

    if (!cp_text_next_line(&rest, &r->line) || !read_header(r, r->line))
        return cp_error_set(err, CP_EOTHER, "not a heap profile");
    status = cp_legacy_heap_add_types(&r->base.b, r->has_allocations,
                                      &r->options, r->rate, err);
    while (status == CP_OK && cp_text_next_line(&rest, &r->line)) {
        r->line = cp_text_trim(r->line);
        if (cp_text_is_blank(r->line) || cp_text_is_comment(r->line))
            continue;
        if (cp_memory_map_starts(r->line))
            break;
        status = read_sample(r, err);
    }
    if (status != CP_OK)
        return status;
    return cp_memory_map_finish(&r->base.b, r->line, rest, err);
}

struct cp_profile *
cp_legacy_heap_read(const char *bytes, size_t len,
                    const struct cp_legacy_heap_options *options,
                    struct cp_error *err)
{
    struct heap_reader r = { .base.stack.returns = options->parts > 0
                                                       ? CP_RETURN_CALLERS
                                                       : CP_RETURN_ALL,
                             .options = *options };

    return cp_legacy_run(&r.base, read_all, cp_text_of(bytes, len), err);
}

struct cp_profile *cp_legacy_read_heap(const char *bytes, size_t len,
                                       struct cp_error *err)
{
    return cp_legacy_heap_read(bytes, len,
                               &(struct cp_legacy_heap_options){ 0 }, err);
}
