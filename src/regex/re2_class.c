/*
 * re2_class.c - translates character classes.
 *
 * Sets of ASCII characters are written as ranges, because PCRE2 defines \s and
 * the effect of (?i) on \w differently. RE2 applies case folding before it
 * negates a set. In ASCII that matters for K and S, which each have a third
 * form (Kelvin sign and long s).
 */
#include "regex/re2_class.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "regex/re2_names.h"
#include "regex/re2_scan.h"
#include "regex/re2_text.h"

#define LONG_S 0x17fu
#define KELVIN 0x212au

/* Output state of a class. */
struct class
{
    struct cp_re2_text *out;
    bool is_folded;
    bool is_empty;
};

/* Marks the characters of a set, given as pairs, and their other case. */
static void mark(const char *ranges, bool is_folded, bool marked[static 128])
{
    memset(marked, 0, 128);
    if ((uint8_t)ranges[0] == 1)
        marked[0] =
            true; /* a string cannot contain NUL, so 1 stands for both */
    for (; *ranges; ranges += 2)
        for (int c = ranges[0]; c <= ranges[1]; c++)
            marked[c] = true;
    for (int c = 'A'; is_folded && c <= 'Z'; c++)
        marked[c] = marked[tolower(c)] = marked[c] || marked[tolower(c)];
}

/* Writes the runs of characters that are (or are not) marked. */
static void add_runs(struct cp_re2_text *out, const bool marked[static 128],
                     bool wanted)
{
    for (uint32_t c = 0; c < 128; c++) {
        uint32_t first = c;

        while (c < 128 && marked[c] == wanted)
            c++;
        if (c > first)
            cp_re2_text_add_range(out, first, c - 1);
    }
}

/* Writes the non-ASCII part of a negated ASCII set. */
static void add_beyond_ascii(struct cp_re2_text *out, bool without_long_s,
                             bool without_kelvin)
{
    uint32_t from = 0x80;

    if (without_long_s) {
        cp_re2_text_add_range(out, from, LONG_S - 1);
        from = LONG_S + 1;
    }
    if (without_kelvin) {
        cp_re2_text_add_range(out, from, KELVIN - 1);
        from = KELVIN + 1;
    }
    cp_re2_text_add_range(out, from, CP_UTF8_MAX_RUNE);
}

/*
 * Writes an ASCII set. PCRE2 adds the folded forms itself if the set is not
 * negated.
 */
static void add_ascii_set(struct class *c, const char *ranges, bool is_negated)
{
    bool marked[128];

    c->is_empty = false;
    mark(ranges, c->is_folded, marked);
    add_runs(c->out, marked, !is_negated);
    if (is_negated)
        add_beyond_ascii(c->out, c->is_folded && marked['s'],
                         c->is_folded && marked['k']);
}

/*
 * Excludes surrogates from the range: no text contains them, and PCRE2 rejects
 * them.
 */
static void add_range(struct class *c, uint32_t first, uint32_t last)
{
    if (first >> 11 == 0x1b)
        first = 0xe000;
    if (last >> 11 == 0x1b)
        last = 0xd7ff;
    if (first > last)
        return;
    c->is_empty = false;
    cp_re2_text_add_range(c->out, first, last);
}

/* Parses \pN or \p{Name} and returns the position of the name. */
static enum cp_status property_name(struct cp_re2_scan *s, size_t *out_name,
                                    size_t *out_len)
{
    size_t from = s->pos, end;
    uint32_t rune;

    s->pos += 2;
    if (cp_re2_scan_peek(s, 0) != '{') {
        *out_name = s->pos;
        if (s->pos < s->len && cp_re2_scan_rune(s, &rune) != CP_OK)
            return CP_EUSAGE;
        *out_len = s->pos - *out_name;
        return CP_OK;
    }
    *out_name = s->pos + 1;
    end = cp_re2_scan_find(s, s->pos, "}");
    if (end == SIZE_MAX) {
        if (cp_re2_scan_check_utf8(s, from, s->len) != CP_OK)
            return CP_EUSAGE;
        return cp_re2_scan_fail(s, CP_RE2_BAD_RANGE, from, s->len);
    }
    *out_len = end - *out_name;
    s->pos = end + 1;
    return cp_re2_scan_check_utf8(s, *out_name, end);
}

static bool is_ascii_name(const char *name, size_t len)
{
    return len == 5 && strncasecmp(name, "ascii", 5) == 0;
}

/* Translates \p{Name} with all its forms of negation. */
static enum cp_status add_property(struct class *c, struct cp_re2_scan *s)
{
    char property[CP_RE2_PROPERTY_MAX];
    size_t from = s->pos, name = 0, len = 0;
    bool is_negated = s->text[from + 1] == 'P';

    if (property_name(s, &name, &len) != CP_OK)
        return CP_EUSAGE;
    if (len > 0 && s->text[name] == '^') {
        is_negated = !is_negated;
        name++;
        len--;
    }
    if (is_ascii_name(s->text + name, len)) {
        add_ascii_set(c, cp_re2_names_posix("ascii", 5), is_negated);
        return CP_OK;
    }
    if (!cp_re2_names_property(s->text + name, len, c->is_folded, property))
        return cp_re2_scan_fail(s, CP_RE2_BAD_RANGE, from, s->pos);
    if (property[0] == '^')
        is_negated = !is_negated;
    c->is_empty = false;
    cp_re2_text_add(c->out, is_negated ? "\\P{" : "\\p{");
    cp_re2_text_add(c->out, property + (property[0] == '^'));
    cp_re2_text_add(c->out, "}");
    return CP_OK;
}

/* Translates [:name:] at the cursor; *out_found is false if there is none. */
static enum cp_status add_posix(struct class *c, struct cp_re2_scan *s,
                                bool *out_found)
{
    size_t name = s->pos + 2, end = cp_re2_scan_find(s, name, ":]");
    const char *ranges;
    bool is_negated;

    *out_found = cp_re2_scan_peek(s, 0) == '[' &&
                 cp_re2_scan_peek(s, 1) == ':' && end != SIZE_MAX;
    if (!*out_found)
        return CP_OK;
    is_negated = s->text[name] == '^';
    name += is_negated;
    ranges = cp_re2_names_posix(s->text + name, end - name);
    if (!ranges)
        return cp_re2_scan_fail(s, CP_RE2_BAD_RANGE, s->pos, end + 2);
    add_ascii_set(c, ranges, is_negated);
    s->pos = end + 2;
    return CP_OK;
}

/* Parses one end of a range; `from` is the start of the class. */
static enum cp_status class_rune(struct cp_re2_scan *s, size_t from,
                                 uint32_t *out)
{
    if (s->pos == s->len)
        return cp_re2_scan_fail(s, "missing closing ]", from, s->len);
    if (s->text[s->pos] == '\\')
        return cp_re2_scan_escape(s, out);
    return cp_re2_scan_rune(s, out);
}

/*
 * Parses a character or a range; a hyphen before the closing ] is a character.
 */
static enum cp_status add_runes(struct class *c, struct cp_re2_scan *s,
                                size_t from)
{
    size_t range = s->pos;
    uint32_t first, last;

    if (class_rune(s, from, &first) != CP_OK)
        return CP_EUSAGE;
    last = first;
    if (cp_re2_scan_peek(s, 0) == '-' && cp_re2_scan_peek(s, 1) >= 0 &&
        cp_re2_scan_peek(s, 1) != ']') {
        s->pos++;
        if (class_rune(s, from, &last) != CP_OK)
            return CP_EUSAGE;
        if (last < first)
            return cp_re2_scan_fail(s, CP_RE2_BAD_RANGE, range, s->pos);
    }
    add_range(c, first, last);
    return CP_OK;
}

bool cp_re2_class_at_escape(const struct cp_re2_scan *s)
{
    int letter = cp_re2_scan_peek(s, 1);

    return cp_re2_scan_peek(s, 0) == '\\' && letter > 0 &&
           strchr("dDsSwWpP", letter);
}

static enum cp_status add_escape(struct class *c, struct cp_re2_scan *s)
{
    int letter = cp_re2_scan_peek(s, 1);

    if (tolower(letter) == 'p')
        return add_property(c, s);
    add_ascii_set(c, cp_re2_names_perl(tolower(letter)), isupper(letter) != 0);
    s->pos += 2;
    return CP_OK;
}

static enum cp_status add_item(struct class *c, struct cp_re2_scan *s,
                               size_t from)
{
    bool is_posix;

    if (add_posix(c, s, &is_posix) != CP_OK)
        return CP_EUSAGE;
    if (is_posix)
        return CP_OK;
    if (cp_re2_class_at_escape(s))
        return add_escape(c, s);
    return add_runes(c, s, from);
}

enum cp_status cp_re2_class_brackets(struct cp_re2_scan *s, bool is_folded,
                                     struct cp_re2_text *out)
{
    struct class c = { out, is_folded, true };
    size_t from = s->pos++, first;
    bool is_negated = cp_re2_scan_peek(s, 0) == '^';

    s->pos += is_negated;
    first = s->pos;
    cp_re2_text_add(out, is_negated ? "[^" : "[");
    while (cp_re2_scan_peek(s, 0) != ']' || s->pos == first)
        if (add_item(&c, s, from) != CP_OK)
            return CP_EUSAGE;
    s->pos++;
    if (c.is_empty) /* only surrogates: matches nothing, or anything if negated
                     */
        cp_re2_text_add(out, is_negated ? "\\P{Any}" : "^\\p{Any}");
    cp_re2_text_add(out, "]");
    return CP_OK;
}

enum cp_status cp_re2_class_escape(struct cp_re2_scan *s, bool is_folded,
                                   struct cp_re2_text *out)
{
    struct class c = { out, is_folded, true };
    int letter = cp_re2_scan_peek(s, 1);

    if (tolower(letter) == 'p') {
        cp_re2_text_add(out, "[");
        if (add_property(&c, s) != CP_OK)
            return CP_EUSAGE;
    } else {
        cp_re2_text_add(out, isupper(letter) ? "[^" : "[");
        add_ascii_set(&c, cp_re2_names_perl(tolower(letter)), false);
        s->pos += 2;
    }
    cp_re2_text_add(out, "]");
    return CP_OK;
}
