/*
 * java_locations.c - parses the name table of a Java profile.
 *
 *   0x0000003 com.example.Main.run (Main.java:35)     file and line
 *   0x0000004 JVM_Sleep (/usr/lib/libjvm.so)          base name of the file
 *   0x0000005 0x7f12 generated stub/JIT               called STUB
 *   0x0000006 Interpreter                             the name is all there is
 *
 * Other lines are ignored. Functions with equal names are one function, with
 * the file of the first. If a number occurs twice, the later line wins.
 */
#include "profile/legacy/java_locations.h"

#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "profile/legacy/mapping_assign.h"
#include "profile/model/build.h"

struct java_reader {
    struct cp_builder *b;
    uint32_t *by_name; /* function index + 1 by string number */
    size_t cap;
};

/* The parts of a line. */
struct java_frame {
    struct cp_text name, file;
    int64_t line;
};

/*
 * Returns the colon of a trailing ":LINE", or NULL; a negative line becomes 0.
 */
static const char *scan_line_number(struct cp_text t, int64_t *line)
{
    const char *p = t.end;

    while (p > t.pos && cp_text_is_digit(p[-1]))
        p--;
    if (p == t.end || p == t.pos)
        return NULL;
    if (!cp_text_to_int((struct cp_text){ p, t.end }, line))
        *line = 0;
    if (p[-1] == '-') {
        *line = 0;
        p--;
    }
    return p > t.pos && p[-1] == ':' ? p - 1 : NULL;
}

static struct cp_text base_name(struct cp_text path)
{
    if (path.pos == path.end)
        return cp_text_of(".", 1);
    while (path.end - path.pos > 1 && path.end[-1] == '/')
        path.end--;
    for (const char *p = path.pos; p + 1 < path.end; p++)
        if (*p == '/')
            path.pos = p + 1;
    return path;
}

/*
 * Finds the last " (" before `end` that has a name before it. Returns the
 * position behind the parenthesis, or NULL.
 */
static const char *last_opening(struct cp_text text, const char *end)
{
    for (const char *p = end - 1; p > text.pos + 1; p--)
        if (*p == '(' && cp_text_is_white(p[-1]))
            return p + 1;
    return NULL;
}

/* Parses the text after the number. */
static struct java_frame scan_frame(struct cp_text text)
{
    struct java_frame f = { text, cp_text_of("", 0), 0 };
    const char *last, *colon, *open;

    if (text.end[-1] == ')') {
        last = text.end - 1;
        colon = scan_line_number((struct cp_text){ text.pos, last }, &f.line);
        if (colon && (open = last_opening(text, colon - 1)) != NULL) {
            f.name.end = open - 2;
            f.file = (struct cp_text){ open, colon };
            return f;
        }
        f.line = 0;
        if ((open = last_opening(text, last)) != NULL) {
            f.name.end = open - 2;
            f.file = base_name((struct cp_text){ open, last });
            return f;
        }
    }
    if (cp_text_find(text, "generated stub/JIT"))
        f.name = cp_text_of("STUB", 4);
    return f;
}

/* Grows by_name to cover every string. */
static enum cp_status cover_strings(struct java_reader *r, struct cp_error *err)
{
    size_t old = r->cap, need = r->b->profile->strings.n;

    if (cp_reserve(&r->by_name, &r->cap, need, sizeof(*r->by_name), err) !=
        CP_OK)
        return CP_ENOMEM;
    if (r->cap > old)
        memset(r->by_name + old, 0, (r->cap - old) * sizeof(*r->by_name));
    return CP_OK;
}

/*
 * Returns the function with that name and adds it if new; CP_NONE on failure.
 */
static uint32_t find_function(struct java_reader *r, const struct java_frame *f,
                              struct cp_error *err)
{
    struct cp_function fn = { 0 };
    uint32_t index;

    fn.name = cp_builder_str(r->b, f->name.pos, cp_text_len(f->name), err);
    if (fn.name == CP_NO_STR || cover_strings(r, err) != CP_OK)
        return CP_NONE;
    if (r->by_name[fn.name])
        return r->by_name[fn.name] - 1;
    fn.system_name = fn.name;
    fn.filename = cp_builder_str(r->b, f->file.pos, cp_text_len(f->file), err);
    if (fn.filename == CP_NO_STR)
        return CP_NONE;
    index = cp_builder_function(r->b, fn, err);
    if (index != CP_NONE)
        r->by_name[fn.name] = index + 1;
    return index;
}

/* Parses "0xNUMBER " and returns its digits. */
static bool parse_number(struct cp_text *t, struct cp_text *digits)
{
    return cp_text_consume(t, "0x") &&
           cp_text_consume_set(t, "0123456789abcdef", digits) &&
           cp_text_consume_white(t) > 0;
}

static enum cp_status read_line(struct java_reader *r, struct cp_text line,
                                struct cp_error *err)
{
    struct cp_text text = line, digits;
    struct cp_line where = { 0 };
    struct java_frame frame;
    uint64_t number;
    uint32_t location;

    if (!parse_number(&text, &digits) || text.pos == text.end)
        return CP_OK;
    if (!cp_text_to_hex(digits, &number))
        return cp_error_set(err, CP_EFORMAT,
                            "parsing sample %.*s: strconv.ParseUint: parsing "
                            "\"%.*s\": value out of range",
                            CP_TEXT_ARG(line), CP_TEXT_ARG(digits));
    location = cp_builder_find_location(r->b, number);
    if (location == CP_NONE)
        return CP_OK;
    frame = scan_frame(text);
    where.line = frame.line;
    where.function = find_function(r, &frame, err);
    if (where.function == CP_NONE)
        return CP_ENOMEM;
    r->b->profile->locations[location].n_lines = 0;
    return cp_builder_line(r->b, location, where, err);
}

/* Clears the addresses of locations that have a name, or of all locations. */
static void clear_addresses(struct cp_profile *p, bool of_all)
{
    for (uint32_t i = 0; i < p->n_locations; i++)
        if (of_all || p->locations[i].n_lines)
            p->locations[i].address = 0;
}

enum cp_status cp_java_locations_read(struct cp_builder *b, struct cp_text text,
                                      struct cp_error *err)
{
    struct java_reader r = { .b = b };
    enum cp_status status = CP_OK;
    struct cp_text line;

    while (status == CP_OK && cp_text_next_line(&text, &line))
        status = read_line(&r, cp_text_trim(line), err);
    cp_free(r.by_name);
    if (status != CP_OK)
        return status;
    clear_addresses(b->profile, false);
    status = cp_mapping_assign(b, err);
    clear_addresses(b->profile, true);
    return status;
}
