/*
 * re2.c - the parser for RE2 patterns.
 *
 * One pass from left to right with an explicit stack, so that nesting uses no C
 * stack. `items` holds parsed nodes: first the finished alternatives of a
 * group, then the nodes of the current alternative. Each open group has a frame
 * with the position of its first item:
 *
 *     items   a  bc | d  e      for a(bc|de
 *     frame   ^0 ^1.base
 *                     ^1.parts
 */
#include "regex/re2.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "regex/re2_class.h"
#include "regex/re2_scan.h"
#include "regex/re2_tree.h"

enum flags {
    FOLD = 1,     /* i: ignore case */
    LINES = 2,    /* m: ^ and $ match at every line */
    DOT_ALL = 4,  /* s: . matches \n */
    UNGREEDY = 8, /* U: ignored, it does not change whether a text matches */
};

struct frame {
    size_t base;    /* index of its first alternative in `items` */
    size_t parts;   /* index of the first node of the current alternative */
    unsigned flags; /* flags in effect outside the group */
    bool is_capture;
};

struct parser {
    struct cp_re2_scan scan;
    struct cp_re2_tree tree;
    uint32_t *items;
    size_t n_items, items_cap;
    struct frame *frames; /* the first is the pattern itself */
    size_t n_frames, frames_cap;
    unsigned flags;
    size_t last_repeat; /* start of the last repetition operator */
};

#define NO_REPEAT SIZE_MAX

static struct frame *top(struct parser *p)
{
    return &p->frames[p->n_frames - 1];
}

/*
 * Sets the error message for a limit; `from` is the start of the repetition, if
 * any.
 */
static enum cp_status limit_error(struct parser *p, enum cp_re2_limit limit,
                                  size_t from)
{
    switch (limit) {
    case CP_RE2_TOO_DEEP:
        return cp_re2_scan_fail(&p->scan, "expression nests too deeply", 0,
                                p->scan.len);
    case CP_RE2_TOO_LARGE:
        return cp_re2_scan_fail(&p->scan, "expression too large", 0,
                                p->scan.len);
    case CP_RE2_TOO_MANY_COPIES:
        return cp_re2_scan_fail(&p->scan, CP_RE2_BAD_COUNT, from, p->scan.pos);
    case CP_RE2_NO_MEMORY:
        return cp_error_nomem(p->scan.err);
    case CP_RE2_FITS:
        break;
    }
    return CP_OK;
}

/* Pushes a node on `items`, unless its creation exceeded a limit. */
static enum cp_status push(struct parser *p, enum cp_re2_limit limit,
                           uint32_t node)
{
    enum cp_status status = limit_error(p, limit, 0);

    if (status == CP_OK)
        status = cp_reserve(&p->items, &p->items_cap, p->n_items + 1,
                            sizeof(*p->items), p->scan.err);
    if (status == CP_OK)
        p->items[p->n_items++] = node;
    return status;
}

static enum cp_status push_rune(struct parser *p, uint32_t rune)
{
    uint32_t node = 0;
    enum cp_re2_limit limit =
        cp_re2_tree_rune(&p->tree, rune, p->flags & FOLD, &node);

    return push(p, limit, node);
}

/* Pushes the output written since `from` as a leaf. */
static enum cp_status push_leaf(struct parser *p, size_t from, bool is_char)
{
    uint32_t node = 0;
    enum cp_re2_limit limit =
        cp_re2_tree_leaf(&p->tree, from, is_char, p->flags & FOLD, &node);

    return push(p, limit, node);
}

static enum cp_status push_text(struct parser *p, const char *text,
                                bool is_char)
{
    size_t from = p->tree.text.len;

    cp_re2_text_add(&p->tree.text, text);
    return push_leaf(p, from, is_char);
}

static enum cp_status open_group(struct parser *p, unsigned flags,
                                 bool is_capture)
{
    struct frame frame = { p->n_items, p->n_items, p->flags, is_capture };

    if (cp_reserve(&p->frames, &p->frames_cap, p->n_frames + 1, sizeof(frame),
                   p->scan.err) != CP_OK)
        return CP_ENOMEM;
    p->frames[p->n_frames++] = frame;
    p->flags = flags;
    return CP_OK;
}

/* Joins the nodes since the last | into one alternative. */
static enum cp_status end_alternative(struct parser *p)
{
    struct frame *f = top(p);
    uint32_t node = 0;
    enum cp_re2_limit limit = cp_re2_tree_concat(&p->tree, p->items + f->parts,
                                                 p->n_items - f->parts, &node);

    p->n_items = f->parts++;
    return push(p, limit, node);
}

/* Joins the alternatives of the group into one node of the enclosing group. */
static enum cp_status close_group(struct parser *p)
{
    struct frame *f = top(p);
    enum cp_status status = end_alternative(p);
    enum cp_re2_limit limit;
    uint32_t node = 0;

    if (status != CP_OK)
        return status;
    limit = cp_re2_tree_alternate(&p->tree, p->items + f->base,
                                  p->n_items - f->base, &node);
    if (limit == CP_RE2_FITS && f->is_capture)
        limit = cp_re2_tree_capture(&p->tree, node);
    p->n_items = f->base;
    p->flags = f->flags;
    p->n_frames--;
    return push(p, limit, node);
}

static enum cp_status read_close(struct parser *p)
{
    if (p->n_frames == 1)
        return cp_re2_scan_fail(&p->scan, "unexpected )", 0, p->scan.len);
    p->scan.pos++;
    return close_group(p);
}

static bool is_capture_name(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (name[i] != '_' && !isalnum((uint8_t)name[i]))
            return false;
    return len > 0;
}

/*
 * Parses (?P<name> or (?<name>; the name starts `skip` bytes from the cursor.
 */
static enum cp_status read_named_group(struct parser *p, size_t skip)
{
    struct cp_re2_scan *s = &p->scan;
    size_t from = s->pos, name = from + skip;
    size_t end = cp_re2_scan_find(s, from, ">");

    if (end == SIZE_MAX) {
        if (cp_re2_scan_check_utf8(s, from, s->len) != CP_OK)
            return CP_EUSAGE;
        return cp_re2_scan_fail(s, CP_RE2_BAD_CAPTURE, from, s->len);
    }
    if (cp_re2_scan_check_utf8(s, name, end) != CP_OK)
        return CP_EUSAGE;
    if (!is_capture_name(s->text + name, end - name))
        return cp_re2_scan_fail(s, CP_RE2_BAD_CAPTURE, from, end + 1);
    s->pos = end + 1;
    return open_group(p, p->flags, true);
}

static unsigned flag_of(uint32_t letter)
{
    switch (letter) {
    case 'i':
        return FOLD;
    case 'm':
        return LINES;
    case 's':
        return DOT_ALL;
    case 'U':
        return UNGREEDY;
    default:
        return 0;
    }
}

/* Parses (?flags) or (?flags: with the cursor at its parenthesis. */
static enum cp_status read_flags(struct parser *p)
{
    struct cp_re2_scan *s = &p->scan;
    size_t from = s->pos;
    unsigned flags = p->flags;
    bool is_off = false, is_due = false; /* is_due: a flag must follow the - */
    uint32_t c;

    s->pos += 2;
    while (s->pos < s->len) {
        if (cp_re2_scan_rune(s, &c) != CP_OK)
            return CP_EUSAGE;
        if (flag_of(c)) {
            flags = is_off ? flags & ~flag_of(c) : flags | flag_of(c);
            is_due = false;
        } else if (c == '-' && !is_off) {
            is_off = is_due = true;
        } else if (c == ':' && !is_due) {
            return open_group(p, flags, false);
        } else if (c == ')' && !is_due) {
            p->flags = flags;
            return CP_OK;
        } else {
            break;
        }
    }
    return cp_re2_scan_fail(s, "invalid or unsupported Perl syntax", from,
                            s->pos);
}

static enum cp_status read_open(struct parser *p)
{
    const struct cp_re2_scan *s = &p->scan;

    if (cp_re2_scan_peek(s, 1) != '?') {
        p->scan.pos++;
        return open_group(p, p->flags, true);
    }
    if (cp_re2_scan_peek(s, 2) == 'P' && cp_re2_scan_peek(s, 3) == '<' &&
        cp_re2_scan_peek(s, 4) >= 0)
        return read_named_group(p, 4);
    if (cp_re2_scan_peek(s, 2) == '<' && cp_re2_scan_peek(s, 3) >= 0)
        return read_named_group(p, 3);
    return read_flags(p);
}

/* Repeats the last node; the repetition operator starts at `from`. */
static enum cp_status repeat(struct parser *p, size_t from,
                             struct cp_re2_repeat repeat_count)
{
    struct cp_re2_scan *s = &p->scan;
    size_t previous = p->last_repeat;
    uint32_t *last;

    if (cp_re2_scan_peek(s, 0) == '?')
        s->pos++; /* non-greedy: does not change whether a string matches */
    if (previous != NO_REPEAT)
        return cp_re2_scan_fail(s, "invalid nested repetition operator",
                                previous, s->pos);
    if (p->n_items == top(p)->parts)
        return cp_re2_scan_fail(s, "missing argument to repetition operator",
                                from, s->pos);
    p->last_repeat = from;
    last = &p->items[p->n_items - 1];
    return limit_error(
        p, cp_re2_tree_repeat(&p->tree, *last, repeat_count, last), from);
}

static enum cp_status read_repeat(struct parser *p)
{
    size_t from = p->scan.pos++;
    struct cp_re2_repeat repeat_count = { 0, -1, false };

    if (p->scan.text[from] == '+')
        repeat_count.min = 1;
    else if (p->scan.text[from] == '?')
        repeat_count.max = 1;
    return repeat(p, from, repeat_count);
}

/* Parses {n,m}; a brace that is not a count is an ordinary character. */
static enum cp_status read_count(struct parser *p)
{
    size_t from = p->scan.pos;
    struct cp_re2_repeat repeat_count = { 0, 0, true };

    if (!cp_re2_scan_counts(&p->scan, &repeat_count.min, &repeat_count.max)) {
        p->scan.pos++;
        return push_rune(p, '{');
    }
    if (repeat_count.min > 1000 || repeat_count.max > 1000 ||
        (repeat_count.max >= 0 && repeat_count.min > repeat_count.max))
        return cp_re2_scan_fail(&p->scan, CP_RE2_BAD_COUNT, from, p->scan.pos);
    return repeat(p, from, repeat_count);
}

/* Parses \Q...\E: all characters in between are literal. */
static enum cp_status read_quoted(struct parser *p)
{
    struct cp_re2_scan *s = &p->scan;
    size_t end = cp_re2_scan_find(s, s->pos + 2, "\\E");
    struct cp_re2_scan inside = *s;
    enum cp_status status = CP_OK;
    uint32_t rune;

    inside.pos += 2;
    inside.len = end == SIZE_MAX ? s->len : end;
    while (status == CP_OK && inside.pos < inside.len) {
        status = cp_re2_scan_rune(&inside, &rune);
        if (status == CP_OK)
            status = push_rune(p, rune);
    }
    s->pos = end == SIZE_MAX ? s->len : end + 2;
    return status;
}

static enum cp_status read_class(struct parser *p)
{
    size_t from = p->tree.text.len;
    bool is_folded = p->flags & FOLD;
    enum cp_status status;

    if (p->scan.text[p->scan.pos] == '[')
        status = cp_re2_class_brackets(&p->scan, is_folded, &p->tree.text);
    else
        status = cp_re2_class_escape(&p->scan, is_folded, &p->tree.text);
    return status == CP_OK ? push_leaf(p, from, true) : status;
}

static enum cp_status read_escape(struct parser *p)
{
    struct cp_re2_scan *s = &p->scan;
    uint32_t rune;

    switch (cp_re2_scan_peek(s, 1)) {
    case 'A':
        s->pos += 2;
        return push_text(p, "\\A", false);
    case 'b':
        s->pos += 2;
        return push_text(p, "\\b", false);
    case 'B':
        s->pos += 2;
        return push_text(p, "\\B", false);
    case 'z':
        s->pos += 2;
        return push_text(p, "\\z", false);
    case 'Q':
        return read_quoted(p);
    default:
        break;
    }
    if (cp_re2_class_at_escape(s))
        return read_class(p);
    if (cp_re2_scan_escape(s, &rune) != CP_OK)
        return CP_EUSAGE;
    return push_rune(p, rune);
}

/* Parses single-character operators; some depend on flags. */
static enum cp_status read_symbol(struct parser *p)
{
    switch (p->scan.text[p->scan.pos++]) {
    case '^':
        return push_text(p, p->flags & LINES ? "^" : "\\A", false);
    case '$':
        return push_text(p, p->flags & LINES ? "$" : "\\z", false);
    case '.':
        return push_text(p, p->flags & DOT_ALL ? "." : "\\N", true);
    default:
        return end_alternative(p); /* | */
    }
}

static enum cp_status read_rune(struct parser *p)
{
    uint32_t rune;

    if (cp_re2_scan_rune(&p->scan, &rune) != CP_OK)
        return CP_EUSAGE;
    return push_rune(p, rune);
}

static enum cp_status read_token(struct parser *p)
{
    switch (p->scan.text[p->scan.pos]) {
    case '*':
    case '+':
    case '?':
        return read_repeat(p);
    case '{':
        return read_count(p);
    case '(':
        return read_open(p);
    case ')':
        return read_close(p);
    case '[':
        return read_class(p);
    case '\\':
        return read_escape(p);
    case '|':
    case '^':
    case '$':
    case '.':
        return read_symbol(p);
    default:
        return read_rune(p);
    }
}

/* Parses the whole pattern; its tree is then the only item. */
static enum cp_status parse(struct parser *p)
{
    enum cp_status status =
        cp_reserve(&p->items, &p->items_cap, 1, sizeof(*p->items), p->scan.err);

    if (status == CP_OK)
        status = open_group(p, 0, false);
    while (status == CP_OK && p->scan.pos < p->scan.len) {
        size_t from = p->scan.pos;

        status = read_token(p);
        if (p->last_repeat != from)
            p->last_repeat = NO_REPEAT;
    }
    if (status != CP_OK)
        return status;
    if (p->n_frames > 1)
        return cp_re2_scan_fail(&p->scan, "missing closing )", 0, p->scan.len);
    return close_group(p);
}

enum cp_status cp_re2_init(struct cp_re2 *out, const char *pattern, size_t len,
                           struct cp_error *err)
{
    struct parser p = { .scan = { pattern, len, 0, err } };
    enum cp_status status;

    p.last_repeat = NO_REPEAT;
    status = parse(&p);
    if (status == CP_OK)
        status = cp_re2_tree_write(&p.tree, p.items[0], out, err);
    cp_re2_tree_release(&p.tree);
    cp_free(p.items);
    cp_free(p.frames);
    return status;
}

void cp_re2_release(struct cp_re2 *re2)
{
    if (!re2)
        return;
    cp_free(re2->text);
    cp_free(re2->branches);
    memset(re2, 0, sizeof(*re2));
}
