/*
 * legacy_java.c - reads Java's heap and contention profiles in text form.
 *
 *   --- heapz 1 ---               or --- contentionz 1 ---
 *   format = java
 *   resolution = bytes            the unit of the first number
 *   sampling period = 100         these two for contention only
 *   ms since reset = 6019923
 *       7048     1 @ 0x00000003 0x00000004
 *       4752     9 @ 0x0000002b
 *
 *    0x0000003 com.example.Main.run (Main.java:35)
 *
 * A sample has bytes or delay, a count, and the stack as numbers of the name
 * table that follows (java_locations.h). The table begins with the first line
 * that is not a sample. A number with a leading 0 is octal. Blank lines are
 * ignored, and so is a last sample without a newline, which may be truncated.
 */
#include "base/index.h"
#include "profile/legacy/heap_values.h"
#include "profile/legacy/java_locations.h"
#include "profile/legacy/legacy.h"

#include <string.h>

/* bytes; not in the file, but the rate that Java uses */
#define HEAP_RATE 524288

struct java_reader {
    struct cp_legacy_reader base;
    bool is_heap;
    struct cp_text resolution; /* pos is NULL until the attribute is read */
    bool has_period;
};

static enum cp_status not_java(struct cp_error *err)
{
    return cp_error_set(err, CP_EOTHER, "not a Java profile");
}

static bool is_name_byte(char c)
{
    return c == ' ' || cp_text_is_digit(c) || c == '_' ||
           ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/*
 * Finds the first "name = value" of a line; both consist of letters, digits, _
 * and blanks.
 */
static bool find_attribute(struct cp_text line, struct cp_text *name,
                           struct cp_text *value)
{
    const char *from = line.pos;

    for (const char *p = line.pos; p < line.end; p++) {
        const char *end = p + 1;

        if (*p == '=' && from < p) {
            while (end < line.end && is_name_byte(*end))
                end++;
            *name = cp_text_trim((struct cp_text){ from, p });
            *value = cp_text_trim((struct cp_text){ p + 1, end });
            if (end > p + 1)
                return true;
        }
        if (!is_name_byte(*p))
            from = p + 1;
    }
    return false;
}

static enum cp_status read_int(struct cp_text line, struct cp_text value,
                               int64_t *out, struct cp_error *err)
{
    if (cp_text_to_literal(value, out))
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "failed to parse attribute %.*s: strconv.ParseInt: "
                        "parsing \"%.*s\": invalid syntax",
                        CP_TEXT_ARG(line), CP_TEXT_ARG(value));
}

/* Parses an attribute; *is_attribute tells whether the line has one. */
static enum cp_status read_attribute(struct java_reader *r, struct cp_text line,
                                     bool *is_attribute, struct cp_error *err)
{
    struct cp_profile *p = r->base.b.profile;
    struct cp_text name, value;
    enum cp_status status;
    int64_t ms;

    *is_attribute = find_attribute(line, &name, &value);
    if (!*is_attribute)
        return CP_OK;
    if (cp_text_equals(name, "format"))
        return cp_text_equals(value, "java") ? CP_OK : not_java(err);
    if (cp_text_equals(name, "resolution")) {
        r->resolution = value;
        return CP_OK;
    }
    if (!r->is_heap && cp_text_equals(name, "sampling period")) {
        r->has_period = true;
        return read_int(line, value, &p->period, err);
    }
    if (r->is_heap || !cp_text_equals(name, "ms since reset"))
        return not_java(err);
    status = read_int(line, value, &ms, err);
    if (status == CP_OK)
        p->duration_ns = (int64_t)((uint64_t)ms * 1000000u);
    return status;
}

/* Reads attributes; *rest becomes the text behind them. */
static enum cp_status read_attributes(struct java_reader *r,
                                      struct cp_text *rest,
                                      struct cp_error *err)
{
    struct cp_text after = *rest, line;
    enum cp_status status = CP_OK;
    bool is_attribute = true;

    while (status == CP_OK && cp_text_next_line(&after, &line)) {
        line = cp_text_trim(line);
        if (!cp_text_is_blank(line))
            status = read_attribute(r, line, &is_attribute, err);
        if (!is_attribute)
            break;
        *rest = after;
    }
    return status;
}

/* Adds the sample types. Fails without a resolution, which defines them. */
static enum cp_status add_types(struct java_reader *r, struct cp_error *err)
{
    struct cp_builder *b = &r->base.b;
    const char *unit;

    if (r->has_period && cp_builder_period(b, "contentions", "count",
                                           b->profile->period, err) != CP_OK)
        return CP_ENOMEM;
    if (!r->resolution.pos)
        return CP_OK;
    unit = cp_arena_copy(&b->profile->arena, r->resolution.pos,
                         cp_text_len(r->resolution), err);
    if (!unit ||
        cp_builder_type(b, r->is_heap ? "inuse_objects" : "contentions",
                        "count", err) != CP_OK)
        return CP_ENOMEM;
    return cp_builder_type(b, r->is_heap ? "inuse_space" : "delay", unit, err);
}

/* Finds "size count @ " in the line; *tail is the text behind the @. */
static bool find_sample(struct cp_text line, struct cp_text *size,
                        struct cp_text *count, struct cp_text *tail)
{
    for (struct cp_text at = line; (at.pos = cp_text_find(at, "@ ")) != NULL;
         at.pos++) {
        struct cp_text t = { line.pos, at.pos };

        if (cp_text_consume_last_blanks(&t) &&
            cp_text_consume_last_digits(&t, count) &&
            cp_text_consume_last_blanks(&t) &&
            cp_text_consume_last_digits(&t, size)) {
            *tail = (struct cp_text){ at.pos + 1, line.end };
            return true;
        }
    }
    return false;
}

static enum cp_status read_number(struct cp_text line, struct cp_text digits,
                                  int64_t *out, struct cp_error *err)
{
    if (cp_text_to_literal(digits, out))
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "parsing sample %.*s: strconv.ParseInt: parsing "
                        "\"%.*s\": %s",
                        CP_TEXT_ARG(line), CP_TEXT_ARG(digits),
                        *digits.pos == '0' ? "invalid syntax"
                                           : "value out of range");
}

/* Adds a heap sample with the stack in r. */
static enum cp_status add_heap(struct java_reader *r,
                               struct cp_legacy_heap_pair seen,
                               struct cp_error *err)
{
    struct cp_legacy_heap_pair all = cp_legacy_heap_unbias(seen, HEAP_RATE);
    int64_t values[2] = { all.objects, all.bytes };
    struct cp_label label;
    uint32_t labels;

    if (!cp_legacy_heap_label(&r->base.b, cp_legacy_heap_mean(seen), &label,
                              err))
        return CP_ENOMEM;
    labels = cp_builder_label_set(&r->base.b, &label, 1, err);
    if (labels == CP_NONE)
        return CP_ENOMEM;
    return cp_address_stack_sample(&r->base.stack, &r->base.b, values, labels,
                                   err);
}

static enum cp_status add_contention(struct java_reader *r, int64_t count,
                                     int64_t delay, struct cp_error *err)
{
    uint64_t period = (uint64_t)r->base.b.profile->period;
    int64_t values[2] = { count, delay };

    if (period) {
        values[0] = (int64_t)((uint64_t)count * period);
        values[1] = (int64_t)((uint64_t)delay * period);
    }
    return cp_address_stack_sample(&r->base.stack, &r->base.b, values, 0, err);
}

/* Parses a sample; *is_sample tells whether the line is one. */
static enum cp_status read_sample(struct java_reader *r, struct cp_text line,
                                  bool *is_sample, struct cp_error *err)
{
    struct cp_text size, count, tail;
    struct cp_legacy_heap_pair seen = { 0, 0 };
    enum cp_status status;

    *is_sample = find_sample(line, &size, &count, &tail);
    if (!*is_sample)
        return CP_OK;
    status = cp_address_stack_read_tail(&r->base.stack, tail, line, err);
    if (status == CP_OK)
        status = read_number(line, size, &seen.bytes, err);
    if (status == CP_OK)
        status = read_number(line, count, &seen.objects, err);
    if (status != CP_OK)
        return status;
    if (!r->is_heap)
        return add_contention(r, seen.objects, seen.bytes, err);
    if (seen.objects == 0)
        return cp_error_set(
            err, CP_EFORMAT,
            "parsing sample %.*s: second value must be non-zero",
            CP_TEXT_ARG(line));
    return add_heap(r, seen, err);
}

/* Reads samples; *rest becomes the text behind them. */
static enum cp_status read_samples(struct java_reader *r, struct cp_text *rest,
                                   struct cp_error *err)
{
    struct cp_text after = *rest, line;
    enum cp_status status = CP_OK;
    bool is_sample = true;

    while (status == CP_OK && cp_text_next_line(&after, &line)) {
        line = cp_text_trim(line);
        if (!cp_text_is_blank(line))
            status = read_sample(r, line, &is_sample, err);
        if (!is_sample)
            break;
        *rest = after;
    }
    return status;
}

/* Returns the text up to its last newline. */
static struct cp_text ended_lines(struct cp_text text)
{
    const char *last = memrchr(text.pos, '\n', cp_text_len(text));

    return (struct cp_text){ text.pos, last ? last + 1 : text.pos };
}

static enum cp_status read_all(struct cp_legacy_reader *base,
                               struct cp_text text, struct cp_error *err)
{
    struct java_reader *r = (struct java_reader *)base;
    struct cp_text line = cp_text_of("", 0), rest = ended_lines(text);
    enum cp_status status;

    (void)cp_text_next_line(&rest, &line);
    line = cp_text_trim(line);
    r->is_heap = cp_text_equals(line, "--- heapz 1 ---");
    if (!r->is_heap && !cp_text_equals(line, "--- contentionz 1 ---"))
        return not_java(err);
    status = read_attributes(r, &rest, err);
    if (status == CP_OK)
        status = add_types(r, err);
    if (status == CP_OK)
        status = read_samples(r, &rest, err);
    if (status != CP_OK)
        return status;
    rest.end = text.end;
    return cp_java_locations_read(&r->base.b, rest, err);
}

struct cp_profile *cp_legacy_read_java(const char *bytes, size_t len,
                                       struct cp_error *err)
{
    struct java_reader r = { .base.stack.returns = CP_RETURN_NONE };

    return cp_legacy_run(&r.base, read_all, cp_text_of(bytes, len), err);
}
