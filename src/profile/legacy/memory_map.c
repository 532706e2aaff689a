/*
 * memory_map.c - parses the lines of a memory map.
 *
 *   --- Memory map: ---     or  MAPPED_LIBRARIES:    (any line with these)
 *   build=/usr/lib                                   $build from here on
 *   400000-4a1000 r-xp 00001000 fd:01 1234 $build/x  as /proc/PID/maps
 *   400000-4a1000: r-xp $build/x (@1000) 8badf00d    brief
 *
 *       range      [0x]START[-][white space][0x]LIMIT[:]
 *       proc       range [perms] [offset] major:minor inode [file]
 *       brief      range [perms] [file] [(@offset)] [build id]
 *
 * All numbers except the inode are hexadecimal. The parser of the brief form is
 * greedy: it takes each optional part as soon as it matches and does not
 * backtrack, so a file called "x" is taken for permissions. Lines whose
 * permissions have no x are ignored, and so is any line that is neither a
 * mapping nor name=value. A log prefix ("...file.cc:123] ") is removed first.
 *
 * The lengths of names and lines are limited, because a name may be defined by
 * other names and could double with every line.
 */
#include "profile/legacy/memory_map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "profile/legacy/mapping_assign.h"
#include "profile/model/build.h"

#define MAX_NAMES 32
#define MAX_LINE ((size_t)64 << 10)

/* A definition name=value; both texts are in the arena. */
struct name {
    struct cp_text name, value;
};

struct map_reader {
    struct cp_builder *b;
    struct name names[MAX_NAMES];
    size_t n_names;
    char *line; /* MAX_LINE bytes for the line after substitution */
};

bool cp_memory_map_starts(struct cp_text line)
{
    return cp_text_find(line, "--- Memory map: ---") ||
           cp_text_find(line, "MAPPED_LIBRARIES:");
}

/* Parses a hexadecimal number with an optional 0x. */
static bool parse_number(struct cp_text *t, struct cp_text *digits)
{
    struct cp_text at = *t;

    if (cp_text_consume(&at, "0x") && cp_text_consume_hex(&at, digits)) {
        *t = at;
        return true;
    }
    return cp_text_consume_hex(t, digits);
}

/* Parses START and LIMIT with a separator between them. */
static bool parse_range(struct cp_text *t, struct cp_text *start,
                        struct cp_text *limit)
{
    struct cp_text at = *t;

    (void)cp_text_consume_white(&at);
    if (!parse_number(&at, start))
        return false;
    (void)cp_text_consume(&at, "-");
    (void)cp_text_consume_white(&at);
    if (!parse_number(&at, limit))
        return false;
    (void)cp_text_consume(&at, ":");
    *t = at;
    return true;
}

/*
 * Parses START and LIMIT from one run of digits: START ends before an inner 0x,
 * or before the last digit.
 */
static bool parse_unspaced_range(struct cp_text *t, struct cp_text *start,
                                 struct cp_text *limit)
{
    struct cp_text at = *t, inner;

    (void)cp_text_consume_white(&at);
    if (!parse_number(&at, start) || cp_text_len(*start) < 2)
        return false;
    start->end--;
    *limit = (struct cp_text){ start->end, at.pos };
    inner = (struct cp_text){ start->end, at.end };
    if (cp_text_consume(&inner, "0x") && cp_text_consume_hex(&inner, limit))
        at = inner;
    (void)cp_text_consume(&at, ":");
    *t = at;
    return true;
}

/* The parts of a line; an absent part is empty. */
struct parts {
    struct cp_text start, limit, perms, offset, file, build_id;
};

/* Parses white space and one part, or nothing. */
static bool parse_part(struct cp_text *t,
                       bool (*parse)(struct cp_text *, struct cp_text *),
                       struct cp_text *out)
{
    struct cp_text at = *t;

    if (!cp_text_consume_white(&at) || !parse(&at, out))
        return false;
    *t = at;
    return true;
}

static bool parse_perms(struct cp_text *t, struct cp_text *out)
{
    return cp_text_consume_set(t, "-rwxp", out);
}

static bool parse_device(struct cp_text *t, struct cp_text *out)
{
    return cp_text_consume_hex(t, out) && cp_text_consume(t, ":") &&
           cp_text_consume_hex(t, out);
}

static bool parse_offset(struct cp_text *t, struct cp_text *out)
{
    return cp_text_consume(t, "(@") && cp_text_consume_hex(t, out) &&
           cp_text_consume(t, ")");
}

/* Parses the text behind the range in a line of /proc/PID/maps. */
static bool scan_proc(struct cp_text t, struct parts *p)
{
    struct cp_text device, inode, at;

    p->perms = p->offset = p->file = (struct cp_text){ 0 };
    (void)parse_part(&t, parse_perms, &p->perms);
    at = t;
    if (!parse_part(&at, cp_text_consume_hex, &p->offset) ||
        !parse_part(&at, parse_device, &device)) {
        p->offset = (struct cp_text){ 0 };
        at = t;
        if (!parse_part(&at, parse_device, &device))
            return false;
    }
    if (!parse_part(&at, cp_text_consume_digits, &inode))
        return false;
    (void)parse_part(&at, cp_text_consume_word, &p->file);
    return true;
}

/*
 * Parses the text behind the range in the brief form, which accepts any text.
 */
static void scan_brief(struct cp_text t, struct parts *p)
{
    struct cp_text offset;

    p->perms = p->offset = p->file = (struct cp_text){ 0 };
    (void)parse_part(&t, parse_perms, &p->perms);
    (void)parse_part(&t, cp_text_consume_word, &p->file);
    if (parse_part(&t, parse_offset, &offset))
        p->offset = offset;
    (void)parse_part(&t, cp_text_consume_hex, &p->build_id);
}

/* Splits a line into parts; false if it does not describe memory. */
static bool scan_line(struct cp_text line, struct parts *p)
{
    struct cp_text wide = line, tight = line;
    struct parts narrow = { 0 };
    bool is_wide, is_tight;

    *p = (struct parts){ 0 };
    is_wide = parse_range(&wide, &p->start, &p->limit);
    is_tight = parse_unspaced_range(&tight, &narrow.start, &narrow.limit);
    if (is_wide && scan_proc(wide, p))
        return true;
    if (is_tight && scan_proc(tight, &narrow)) {
        *p = narrow;
        return true;
    }
    if (!is_wide && !is_tight)
        return false;
    if (!is_wide)
        *p = narrow;
    scan_brief(is_wide ? wide : tight, p);
    return true;
}

/* Fills in *m except its strings; false if the memory is not executable. */
static bool to_mapping(const struct parts *p, struct cp_mapping *m)
{
    *m = (struct cp_mapping){ 0 };
    if (p->perms.pos && !memchr(p->perms.pos, 'x', cp_text_len(p->perms)))
        return false;
    return cp_text_to_hex(p->start, &m->start) &&
           cp_text_to_hex(p->limit, &m->limit) &&
           (!p->offset.pos || cp_text_to_hex(p->offset, &m->offset));
}

static enum cp_status add_mapping(struct cp_builder *b, const struct parts *p,
                                  struct cp_mapping m, struct cp_error *err)
{
    m.file = cp_builder_str(b, p->file.pos ? p->file.pos : "",
                            cp_text_len(p->file), err);
    m.build_id = cp_builder_str(b, p->build_id.pos ? p->build_id.pos : "",
                                cp_text_len(p->build_id), err);
    if (m.file == CP_NO_STR || m.build_id == CP_NO_STR ||
        cp_builder_mapping(b, m, err) == CP_NONE)
        return CP_ENOMEM;
    return CP_OK;
}

/* Removes a log prefix such as "...file.cc:123] ". */
static struct cp_text without_log_prefix(struct cp_text line)
{
    const char *bracket = cp_text_find(line, "]"), *p = bracket;

    if (!bracket || bracket + 1 == line.end || !cp_text_is_white(bracket[1]))
        return line;
    while (p > line.pos && cp_text_is_digit(p[-1]))
        p--;
    if (p == bracket || p - line.pos < 2 || p[-1] != ':')
        return line;
    return (struct cp_text){ bracket + 2, line.end };
}

/* Whether t begins with the name. */
static inline bool begins_with(struct cp_text t, struct cp_text name)
{
    size_t len = cp_text_len(name);

    if (len == 0)
        return true;
    return cp_text_len(t) >= len && *t.pos == *name.pos &&
           memcmp(t.pos, name.pos, len) == 0;
}

/*
 * Returns the definition of the name after a '$', or NULL. The first definition
 * wins.
 */
static const struct name *find_name(const struct map_reader *r,
                                    struct cp_text t)
{
    for (size_t i = 0; i < r->n_names; i++)
        if (begins_with(t, r->names[i].name))
            return &r->names[i];
    return NULL;
}

/* Substitutes the names in the line; false if the result is too long. */
static bool replace_names(struct map_reader *r, struct cp_text *line)
{
    size_t len = 0;

    for (struct cp_text t = *line; t.pos < t.end;) {
        struct cp_text piece = { t.pos, t.pos + 1 };
        const struct name *name = NULL;

        t.pos++;
        if (piece.pos[0] == '$' && (name = find_name(r, t))) {
            piece = name->value;
            t.pos += cp_text_len(name->name);
        }
        if (cp_text_len(piece) > MAX_LINE - len)
            return false;
        memcpy(r->line + len, piece.pos, cp_text_len(piece));
        len += cp_text_len(piece);
    }
    *line = cp_text_of(r->line, len);
    return true;
}

/* Copies t into the arena of the profile; false on failure. */
static bool keep(struct map_reader *r, struct cp_text t, struct cp_text *out,
                 struct cp_error *err)
{
    const char *copy =
        cp_arena_copy(&r->b->profile->arena, t.pos, cp_text_len(t), err);

    if (copy)
        *out = cp_text_of(copy, cp_text_len(t));
    return copy != NULL;
}

static enum cp_status add_name(struct map_reader *r, struct cp_text line,
                               struct cp_error *err)
{
    struct name *name = &r->names[r->n_names];
    const char *equals = cp_text_find(line, "=");

    if (!equals || r->n_names == MAX_NAMES)
        return CP_OK;
    if (!keep(r, cp_text_trim((struct cp_text){ line.pos, equals }),
              &name->name, err) ||
        !keep(r, cp_text_trim((struct cp_text){ equals + 1, line.end }),
              &name->value, err))
        return CP_ENOMEM;
    r->n_names++;
    return CP_OK;
}

static enum cp_status read_line(struct map_reader *r, struct cp_text line,
                                struct cp_error *err)
{
    struct parts parts;
    struct cp_mapping m;

    line = without_log_prefix(line);
    if (r->n_names && memchr(line.pos, '$', cp_text_len(line)) &&
        !replace_names(r, &line))
        return CP_OK;
    if (!scan_line(line, &parts))
        return add_name(r, line, err);
    if (!to_mapping(&parts, &m))
        return CP_OK;
    return add_mapping(r->b, &parts, m, err);
}

enum cp_status cp_memory_map_read(struct cp_builder *b, struct cp_text text,
                                  struct cp_error *err)
{
    struct map_reader *r = cp_alloc(1, sizeof(*r) + MAX_LINE, err);
    enum cp_status status = CP_OK;
    struct cp_text line;

    if (!r)
        return CP_ENOMEM;
    r->b = b;
    r->line = (char *)(r + 1);
    while (status == CP_OK && cp_text_next_line(&text, &line))
        status = read_line(r, line, err);
    cp_free(r);
    return status;
}

enum cp_status cp_memory_map_finish(struct cp_builder *b, struct cp_text line,
                                    struct cp_text rest, struct cp_error *err)
{
    enum cp_status status;

    while (!cp_memory_map_starts(line))
        if (!cp_text_next_line(&rest, &line))
            break;
    status = cp_memory_map_read(b, rest, err);
    return status == CP_OK ? cp_mapping_assign(b, err) : status;
}
