/*
 * legacy_contention.c - reads lock contention profiles in text form.
 *
 *   --- contentionz 1 ---           or --- mutex: or --- contention:
 *   cycles/second = 3201000000
 *   sampling period = 100
 *   ms since reset = 16502830
 *   discarded samples = 0
 *     19490304    27 @ 0xbccc97 0xc61202
 *   --- Memory map: ---
 *
 * A sample has the cycles waited, the number of waits, and the stack.
 * Attributes come first; an unknown attribute means another format, such as
 * Java's, which differs only in its attributes. Blank lines and # lines are
 * ignored.
 */

#include "profile/legacy/heap_values.h"
#include "profile/legacy/legacy.h"
#include "profile/legacy/memory_map.h"

struct contention_reader {
    struct cp_legacy_reader base;
    int64_t cycles_hz, period, reset_ms;
};

static enum cp_status not_contention(struct cp_error *err)
{
    return cp_error_set(err, CP_EOTHER, "not a contention profile");
}

static bool is_header(struct cp_text line)
{
    return cp_text_starts(line, "--- contentionz ") ||
           cp_text_starts(line, "--- mutex:") ||
           cp_text_starts(line, "--- contention:");
}

/* Parses "name = value"; `equals` points at the =. */
static bool read_attribute(struct contention_reader *r, struct cp_text line,
                           const char *equals)
{
    struct cp_text name = cp_text_trim((struct cp_text){ line.pos, equals });
    struct cp_text text =
        cp_text_trim((struct cp_text){ equals + 1, line.end });
    int64_t *out;

    if (cp_text_equals(name, "discarded samples"))
        return true;
    if (cp_text_equals(name, "cycles/second"))
        out = &r->cycles_hz;
    else if (cp_text_equals(name, "sampling period"))
        out = &r->period;
    else if (cp_text_equals(name, "ms since reset"))
        out = &r->reset_ms;
    else
        return false;
    return cp_text_to_literal(text, out);
}

/*
 * Whether t ends with two numbers. Blanks between them are optional: without
 * them the last digit is the second number.
 */
static bool ends_in_numbers(struct cp_text t, struct cp_text *delay,
                            struct cp_text *count)
{
    if (!cp_text_consume_last_digits(&t, count))
        return false;
    (void)cp_text_consume_last_blanks(&t);
    if (cp_text_consume_last_digits(&t, delay))
        return true;
    if (cp_text_len(*count) < 2)
        return false;
    *delay = (struct cp_text){ count->pos, count->end - 1 };
    count->pos = delay->end;
    return true;
}

/* Finds "delay count @" in the line; *tail is the text behind it. */
static bool find_sample(struct cp_text line, struct cp_text *delay,
                        struct cp_text *count, struct cp_text *tail)
{
    for (struct cp_text at = line; (at.pos = cp_text_find(at, " @")) != NULL;
         at.pos++) {
        struct cp_text before = { line.pos, at.pos };

        if (ends_in_numbers(before, delay, count)) {
            *tail = (struct cp_text){ at.pos + 2, line.end };
            return true;
        }
    }
    return false;
}

static enum cp_status to_value(struct cp_text line, struct cp_text digits,
                               int64_t *out, struct cp_error *err)
{
    if (cp_text_to_int(digits, out))
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "malformed sample: %.*s: strconv.ParseInt: parsing "
                        "\"%.*s\": value out of range",
                        CP_TEXT_ARG(line), CP_TEXT_ARG(digits));
}

/* Multiplies by the sampling period and converts cycles to nanoseconds. */
static void scale(const struct contention_reader *r, int64_t *count,
                  int64_t *delay)
{
    double ghz = (double)r->cycles_hz / 1e9;

    if (r->period <= 0)
        return;
    if (r->cycles_hz > 0)
        *delay =
            cp_legacy_heap_truncate((double)*delay * (double)r->period / ghz);
    *count = (int64_t)((uint64_t)*count * (uint64_t)r->period);
}

static enum cp_status read_sample(struct contention_reader *r,
                                  struct cp_text line, struct cp_error *err)
{
    struct cp_text delay, count, tail;
    enum cp_status status;
    int64_t values[2];

    if (!find_sample(line, &delay, &count, &tail))
        return not_contention(err);
    if (to_value(line, delay, &values[1], err) != CP_OK ||
        to_value(line, count, &values[0], err) != CP_OK)
        return CP_EFORMAT;
    scale(r, &values[0], &values[1]);
    status = cp_address_stack_read_tail(&r->base.stack, tail, line, err);
    if (status != CP_OK)
        return status;
    return cp_address_stack_sample(&r->base.stack, &r->base.b, values, 0, err);
}

/*
 * Reads attributes, then samples. *line becomes the line that ended them, if
 * any.
 */
static enum cp_status read_lines(struct contention_reader *r,
                                 struct cp_text *rest, struct cp_text *line,
                                 struct cp_error *err)
{
    bool in_samples = false;

    while (cp_text_next_line(rest, line)) {
        const char *equals;
        enum cp_status status;

        *line = cp_text_trim(*line);
        if (cp_text_is_blank(*line) || cp_text_is_comment(*line))
            continue;
        if (cp_text_starts(*line, "---"))
            return CP_OK;
        equals = cp_text_find(*line, "=");
        if (equals && !in_samples) {
            if (!read_attribute(r, *line, equals))
                return not_contention(err);
            continue;
        }
        in_samples = true;
        status = read_sample(r, *line, err);
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

static enum cp_status read_all(struct cp_legacy_reader *base,
                               struct cp_text rest, struct cp_error *err)
{
    struct contention_reader *r = (struct contention_reader *)base;
    struct cp_text line;
    enum cp_status status;

    if (!cp_text_next_line(&rest, &line) || !is_header(line))
        return not_contention(err);
    if (cp_builder_type(&r->base.b, "contentions", "count", err) != CP_OK ||
        cp_builder_type(&r->base.b, "delay", "nanoseconds", err) != CP_OK)
        return CP_ENOMEM;
    r->period = 1;
    status = read_lines(r, &rest, &line, err);
    r->base.b.profile->duration_ns =
        (int64_t)((uint64_t)r->reset_ms * 1000000u);
    if (status == CP_OK)
        status = cp_builder_period(&r->base.b, "contentions", "count",
                                   r->period, err);
    if (status != CP_OK)
        return status;
    return cp_memory_map_finish(&r->base.b, line, rest, err);
}

struct cp_profile *cp_legacy_read_contention(const char *bytes, size_t len,
                                             struct cp_error *err)
{
    struct contention_reader r = { .base.stack.returns = CP_RETURN_ALL };

    return cp_legacy_run(&r.base, read_all, cp_text_of(bytes, len), err);
}
