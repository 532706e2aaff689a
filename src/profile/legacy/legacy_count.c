/*
 * legacy_count.c - reads Go's count profiles in text form.
 *
 *   goroutine profile: total 7
 *   2 @ 0x44cb3 0x45045 0x45323
 *   #   0x44cb2   runtime.gopark+0x12   ...
 *
 *   --- Memory map: ---
 *
 * /debug/pprof/goroutine?debug=1 and similar pages have this format. It is
 * strict: one blank between items and none at the ends of a line. A count with
 * a leading 0 is octal. Blank lines and # lines are ignored; "---" ends the
 * samples.
 */

#include "profile/legacy/legacy.h"
#include "profile/legacy/memory_map.h"

/*
 * Returns the next line that is neither blank nor a comment; false at the end.
 */
static bool next_line(struct cp_text *rest, struct cp_text *line)
{
    while (cp_text_next_line(rest, line))
        if (!cp_text_is_blank(*line) && !cp_text_is_comment(*line))
            return true;
    return false;
}

/* Parses NAME from "NAME profile: total N". */
static bool read_header(struct cp_text line, struct cp_text *name)
{
    struct cp_text digits;

    return cp_text_consume_word(&line, name) &&
           cp_text_consume(&line, " profile: total ") &&
           cp_text_consume_digits(&line, &digits) && line.pos == line.end;
}

/* Whether the line is "N @ 0x1 0x2"; *tail begins at the @. */
static bool scan_sample(struct cp_text line, struct cp_text *count,
                        struct cp_text *tail)
{
    struct cp_text digits;

    if (!cp_text_consume_digits(&line, count) || !cp_text_consume(&line, " @"))
        return false;
    *tail = line;
    while (cp_text_consume(&line, " 0x"))
        if (!cp_text_consume_set(&line, "0123456789abcdef", &digits))
            return false;
    return line.pos == line.end && line.pos > tail->pos;
}

static enum cp_status read_sample(struct cp_legacy_reader *r,
                                  struct cp_text line, struct cp_error *err)
{
    struct cp_text digits, tail;
    enum cp_status status;
    int64_t count;

    if (!scan_sample(line, &digits, &tail) ||
        !cp_text_to_literal(digits, &count))
        return cp_error_set(err, CP_EFORMAT, "malformed profile format");
    status = cp_address_stack_read_tail(&r->stack, tail, line, err);
    if (status == CP_EFORMAT)
        return cp_error_set(err, CP_EFORMAT, "malformed profile format");
    if (status != CP_OK)
        return status;
    return cp_address_stack_sample(&r->stack, &r->b, &count, 0, err);
}

/* Adds the only sample type, which is also the period type. */
static enum cp_status add_type(struct cp_builder *b, struct cp_text name,
                               struct cp_error *err)
{
    const char *type =
        cp_arena_copy(&b->profile->arena, name.pos, cp_text_len(name), err);

    if (!type)
        return CP_ENOMEM;
    if (cp_builder_type(b, type, "count", err) != CP_OK)
        return CP_ENOMEM;
    return cp_builder_period(b, type, "count", 1, err);
}

static enum cp_status read_all(struct cp_legacy_reader *r, struct cp_text rest,
                               struct cp_error *err)
{
    struct cp_text line = cp_text_of("", 0), name;
    enum cp_status status;

    if (!next_line(&rest, &line) || !read_header(line, &name))
        return cp_error_set(err, CP_EOTHER, "not a count profile");
    status = add_type(&r->b, name, err);
    while (status == CP_OK && next_line(&rest, &line)) {
        if (cp_text_starts(line, "---"))
            break;
        status = read_sample(r, line, err);
    }
    if (status != CP_OK)
        return status;
    return cp_memory_map_finish(&r->b, line, rest, err);
}

struct cp_profile *cp_legacy_read_count(const char *bytes, size_t len,
                                        struct cp_error *err)
{
    struct cp_legacy_reader r = { .stack.returns = CP_RETURN_ALL };

    return cp_legacy_run(&r, read_all, cp_text_of(bytes, len), err);
}
