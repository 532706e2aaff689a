/*
 * folded.c - reads folded stacks: "root;child;leaf 12", one per line.
 *
 * FlameGraph's scripts, async-profiler, py-spy, bpftrace and `pprof -folded`
 * write this format. It has no header, so the first lines decide: each must end
 * in a space and a number. Lines that begin with "# " are comments (Austin).
 * Fractions are allowed; sums are rounded.
 */
#include "base/index.h"
#include "import/gather.h"
#include "import/readers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINES_TO_TRY 16
#define NUMBER_BYTES 64

static bool is_ignored(struct cp_text line)
{
    return cp_text_is_blank(line) || cp_text_starts(line, "# ");
}

/* Parses "12.5" or "1e3". */
static bool read_real(struct cp_text word, double *out)
{
    char copy[NUMBER_BYTES], *stop;
    size_t len = cp_text_len(word);

    if (len == 0 || len >= sizeof(copy) ||
        !(cp_text_is_digit(*word.pos) ||
          (*word.pos == '-' && len > 1 && cp_text_is_digit(word.pos[1]))) ||
        memchr(word.pos, 'x', len) || memchr(word.pos, 'X', len))
        return false;
    memcpy(copy, word.pos, len);
    copy[len] = '\0';
    *out = strtod(copy, &stop);
    return stop == copy + len && isfinite(*out);
}

struct value {
    int64_t whole;
    double real;
    bool is_real;
};

/* Removes the number from the end of a line; false if there is none. */
static bool cut_value(struct cp_text *line, struct value *out)
{
    struct cp_text word = { NULL, NULL };

    *line = cp_text_trim(*line);
    word = (struct cp_text){ line->end, line->end };
    while (word.pos > line->pos && !cp_text_is_white(word.pos[-1]))
        word.pos--;
    if (word.pos == line->pos)
        return false;
    out->is_real = !cp_text_to_int(word, &out->whole);
    if (out->is_real && !read_real(word, &out->real))
        return false;
    line->end = word.pos;
    while (line->end > line->pos && cp_text_is_white(line->end[-1]))
        line->end--;
    return true;
}

static bool is_text(struct cp_text line)
{
    for (const char *p = line.pos; p < line.end; p++)
        if ((unsigned char)*p < ' ' && *p != '\t' && *p != '\r')
            return false;
    return true;
}

static bool looks_folded(struct cp_text rest)
{
    struct cp_text line;
    struct value value;
    int n = 0;

    while (n < LINES_TO_TRY && cp_text_next_line(&rest, &line)) {
        if (is_ignored(line))
            continue;
        if (!is_text(line) || !cut_value(&line, &value))
            return false;
        n++;
    }
    return n > 0;
}

/*
 * Returns the stack of a line; CP_NONE with *err set. Empty frames are ignored.
 */
static uint32_t read_stack(struct cp_gather *g, struct cp_text stack,
                           struct cp_error *err)
{
    uint32_t node = CP_GATHER_ROOT;

    while (node != CP_NONE && stack.pos < stack.end) {
        const char *stop = memchr(stack.pos, ';', cp_text_len(stack));
        struct cp_text name = { stack.pos, stop ? stop : stack.end };
        uint32_t location;

        stack.pos = stop ? stop + 1 : stack.end;
        if (name.pos == name.end)
            continue;
        location = cp_gather_named(g, name, err);
        node = location == CP_NONE ? CP_NONE
                                   : cp_gather_call(g, node, location, err);
    }
    return node;
}

static enum cp_status read_line(struct cp_gather *g, uint32_t column,
                                struct cp_text line, struct cp_error *err)
{
    struct value value;
    uint32_t node, row;

    if (!cut_value(&line, &value))
        return cp_error_set(
            err, CP_EFORMAT, "no number at the end: %.*s",
            (int)(cp_text_len(line) < 60 ? cp_text_len(line) : 60), line.pos);
    node = read_stack(g, line, err);
    row = node == CP_NONE ? CP_NONE : cp_gather_row(g, node, 0, err);
    if (row == CP_NONE)
        return CP_ENOMEM;
    return value.is_real ? cp_gather_add_real(g, row, column, value.real, err)
                         : cp_gather_add(g, row, column, value.whole, err);
}

struct cp_profile *cp_import_folded(const char *bytes, size_t len,
                                    struct cp_error *err)
{
    struct cp_text rest = cp_text_of(bytes, len), line;
    struct cp_gather g;
    enum cp_status status = CP_OK;
    uint32_t column;
    size_t number = 0;

    if (!looks_folded(rest)) {
        (void)cp_error_set(err, CP_EOTHER, "not folded stacks");
        return NULL;
    }
    if (cp_gather_init(&g, len, err) != CP_OK)
        return NULL;
    column = cp_gather_column(&g, cp_text_of("samples", 7), "count", err);
    status = column == CP_NONE ? CP_ENOMEM : CP_OK;
    while (status == CP_OK && cp_text_next_line(&rest, &line)) {
        number++;
        if (!is_ignored(line))
            status = read_line(&g, column, line, err);
    }
    if (status == CP_OK)
        return cp_gather_take(&g, err);
    cp_error_prefix(err, "folded stacks, line %zu: ", number);
    cp_gather_release(&g);
    return NULL;
}
