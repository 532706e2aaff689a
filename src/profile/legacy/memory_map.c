/*
 * memory_map.c - reads the lines of a memory map; see memory_map.h.
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
 * All numbers are hexadecimal but for the inode. Each optional part of the
 * brief form is taken as soon as it fits and never given back, so a file
 * called "x" is taken for permissions. Lines whose permissions have no x are
 * passed over, as is anything else that is neither a mapping nor name=value.
 * A log prefix ("...file.cc:123] ") is taken off first.
 *
 * Names and lines are limited, because a name may be made of other names and
 * could double with every line.
 */
#include "profile/legacy/memory_map.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/index.h"
#include "base/strtab.h"
#include "base/text_lines.h"
#include "profile/legacy/mapping_assign.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"

#define MAX_NAMES 32
#define MAX_LINE ((size_t)64 << 10)

/* What $name stands for; pieces of the arena. */
struct name {
    struct cp_text name, value;
};

struct map_reader {
    struct cp_builder *b;
    struct name names[MAX_NAMES];
    size_t n_names;
    char *line; /* MAX_LINE bytes for a line with its names replaced */
};

bool cp_memory_map_starts(struct cp_text line)
{
    return cp_text_find(line, "--- Memory map: ---") ||
           cp_text_find(line, "MAPPED_LIBRARIES:");
}

/* Eats a hexadecimal number that may begin with 0x. */
static bool eat_number(struct cp_text *t, struct cp_text *digits)
{
    struct cp_text at = *t;

    if (cp_text_eat(&at, "0x") && cp_text_eat_hex(&at, digits)) {
        *t = at;
        return true;
    }
    return cp_text_eat_hex(t, digits);
}

/* Eats START and LIMIT with something between them. */
static bool eat_range(struct cp_text *t, struct cp_text *start,
                      struct cp_text *limit)
{
    struct cp_text at = *t;

    (void)cp_text_eat_white(&at);
    if (!eat_number(&at, start))
        return false;
    (void)cp_text_eat(&at, "-");
    (void)cp_text_eat_white(&at);
    if (!eat_number(&at, limit))
        return false;
    (void)cp_text_eat(&at, ":");
    *t = at;
    return true;
}

/*
 * Eats START and LIMIT when one run of digits is both: it ends before an
 * inner 0x, or before its last digit.
 */
static bool eat_tight_range(struct cp_text *t, struct cp_text *start,
                            struct cp_text *limit)
{
    struct cp_text at = *t, inner;

    (void)cp_text_eat_white(&at);
    if (!eat_number(&at, start) || cp_text_len(*start) < 2)
        return false;
    start->end--;
    *limit = (struct cp_text){ start->end, at.pos };
    inner = (struct cp_text){ start->end, at.end };
    if (cp_text_eat(&inner, "0x") && cp_text_eat_hex(&inner, limit))
        at = inner;
    (void)cp_text_eat(&at, ":");
    *t = at;
    return true;
}

/* The parts of a line; an empty one is absent. */
struct parts {
    struct cp_text start, limit, perms, offset, file, build_id;
};

/* Eats white space and then a word of one kind, or nothing at all. */
static bool eat_part(struct cp_text *t,
                     bool (*eat)(struct cp_text *, struct cp_text *),
                     struct cp_text *out)
{
    struct cp_text at = *t;

    if (!cp_text_eat_white(&at) || !eat(&at, out))
        return false;
    *t = at;
    return true;
}

static bool eat_perms(struct cp_text *t, struct cp_text *out)
{
    return cp_text_eat_set(t, "-rwxp", out);
}

static bool eat_device(struct cp_text *t, struct cp_text *out)
{
    return cp_text_eat_hex(t, out) && cp_text_eat(t, ":") &&
           cp_text_eat_hex(t, out);
}

static bool eat_offset(struct cp_text *t, struct cp_text *out)
{
    return cp_text_eat(t, "(@") && cp_text_eat_hex(t, out) &&
           cp_text_eat(t, ")");
}

/* Reads what follows the range in a line of /proc/PID/maps. */
static bool scan_proc(struct cp_text t, struct parts *p)
{
    struct cp_text device, inode, at;

    p->perms = p->offset = p->file = (struct cp_text){ 0 };
    (void)eat_part(&t, eat_perms, &p->perms);
    at = t;
    if (!eat_part(&at, cp_text_eat_hex, &p->offset) ||
        !eat_part(&at, eat_device, &device)) {
        p->offset = (struct cp_text){ 0 };
        at = t;
        if (!eat_part(&at, eat_device, &device))
            return false;
    }
    if (!eat_part(&at, cp_text_eat_digits, &inode))
        return false;
    (void)eat_part(&at, cp_text_eat_word, &p->file);
    return true;
}

/* The same for the brief form, to which anything belongs. */
static void scan_brief(struct cp_text t, struct parts *p)
{
    struct cp_text offset;

    p->perms = p->offset = p->file = (struct cp_text){ 0 };
    (void)eat_part(&t, eat_perms, &p->perms);
    (void)eat_part(&t, cp_text_eat_word, &p->file);
    if (eat_part(&t, eat_offset, &offset))
        p->offset = offset;
    (void)eat_part(&t, cp_text_eat_hex, &p->build_id);
}

/* Takes a line apart; false when it describes no memory. */
static bool scan_line(struct cp_text line, struct parts *p)
{
    struct cp_text wide = line, tight = line;
    struct parts narrow = { 0 };
    bool is_wide, is_tight;

    *p = (struct parts){ 0 };
    is_wide = eat_range(&wide, &p->start, &p->limit);
    is_tight = eat_tight_range(&tight, &narrow.start, &narrow.limit);
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

/* Fills in all of *m but its strings; false for memory of no interest. */
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

/* Takes "...file.cc:123] " off the front. */
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

/* The name that stands after a '$', or NULL: the earliest given wins. */
static const struct name *find_name(const struct map_reader *r,
                                    struct cp_text t)
{
    for (size_t i = 0; i < r->n_names; i++)
        if (begins_with(t, r->names[i].name))
            return &r->names[i];
    return NULL;
}

/* Copies the line with its names replaced; false when it gets too long. */
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

/* A copy of t in the arena of the profile; false on failure. */
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
