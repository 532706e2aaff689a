/* svg_clean.c - copies allowed tags and attributes, escapes everything else. */
#include "report/picture/svg_clean.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/utf8.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

static const char *const elements[] = { "a",    "ellipse", "g",
                                        "path", "polygon", "polyline",
                                        "svg",  "text",    "title" };

static const char *const attributes[] = {
    "class",
    "cx",
    "cy",
    "d",
    "fill",
    "fill-opacity",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "height",
    "id",
    "points",
    "rx",
    "ry",
    "stroke",
    "stroke-dasharray",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
    "textLength",
    "transform",
    "viewBox",
    "width",
    "x",
    "xlink:title",
    "xml:space",
    "xmlns",
    "xmlns:xlink",
    "y",
};

static bool is_listed(const char *const *list, size_t n, const char *name,
                      size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == len && memcmp(list[i], name, len) == 0)
            return true;
    return false;
}

/* ---- characters ---- */

/*
 * Whether text starts with a valid XML reference: "&amp;", "&#39;", "&#x27;".
 */
static bool is_reference(const char *text, size_t len)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;",
                                         "&apos;" };
    size_t n = 2;

    for (size_t i = 0; i < N(known); i++)
        if (len >= strlen(known[i]) &&
            memcmp(text, known[i], strlen(known[i])) == 0)
            return true;
    if (len < 4 || text[1] != '#')
        return false;
    const char *digits = "0123456789";
    if (text[2] == 'x') {
        digits = "0123456789abcdefABCDEF";
        n = 3;
    }
    size_t first = n;
    while (n < len && text[n] != '\0' && strchr(digits, text[n]))
        n++;
    return n > first && n < len && text[n] == ';';
}

/* Returns the replacement of the character at text; NULL if it needs none. */
static const char *replacement_of(const char *text, size_t len, size_t *n)
{
    static const char replacement[] = "\xef\xbf\xbd";
    uint32_t rune = 0;

    *n = cp_utf8_decode(text, len, &rune);
    if (*n == 0) {
        *n = 1;
        return replacement;
    }
    if (rune == '<')
        return "&lt;";
    if (rune == '&')
        return is_reference(text, len) ? NULL : "&amp;";
    if (rune < ' ' && rune != '\t' && rune != '\n' && rune != '\r')
        return replacement;
    return rune == 0xfffe || rune == 0xffff ? replacement : NULL;
}

/* Copies text outside tags, replacing what XML does not allow there. */
static void write_text(struct cp_out *out, const char *text, const char *end)
{
    const char *done = text;

    while (text < end) {
        size_t n = 1;
        const char *instead = NULL;

        if ((signed char)*text < ' ' || *text == '&' || *text == '<')
            instead = replacement_of(text, (size_t)(end - text), &n);
        if (instead) {
            cp_out_bytes(out, done, (size_t)(text - done));
            cp_out_cstr(out, instead);
            done = text + n;
        }
        text += n;
    }
    cp_out_bytes(out, done, (size_t)(end - done));
}

/* ---- tags ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

static const char *skip_name(const char *at, const char *end)
{
    while (at < end && !is_space(*at) && *at && !strchr("<>=/\"'&", *at))
        at++;
    return at;
}

/* An attribute: name="value". */
struct attribute {
    const char *name, *name_end, *value, *value_end;
};

/* Parses an attribute and advances *at past it; false if there is none. */
static bool next_attribute(const char **at, const char *end,
                           struct attribute *a)
{
    a->name = skip_space(*at, end);
    a->name_end = skip_name(a->name, end);
    a->value = a->name_end;
    if (a->name_end == a->name || end - a->value < 2 || a->value[0] != '=' ||
        (a->value[1] != '"' && a->value[1] != '\''))
        return false;
    a->value += 2;
    a->value_end = memchr(a->value, a->value[-1], (size_t)(end - a->value));
    if (!a->value_end)
        return false;
    *at = a->value_end + 1;
    return true;
}

/* Returns the end of the tag: after "/" or ">"; NULL if it is not a tag. */
static const char *tag_end(const char *at, const char *end)
{
    struct attribute a;

    while (next_attribute(&at, end, &a))
        ;
    at = skip_space(at, end);
    at += at < end && *at == '/';
    return at < end && *at == '>' ? at + 1 : NULL;
}

const char *cp_svg_clean_attributes(struct cp_out *out, const char *text,
                                    const char *end)
{
    const char *stop = tag_end(text, end), *before = text;
    struct attribute a;

    if (!stop)
        return NULL;
    while (next_attribute(&text, end, &a)) {
        if (is_listed(attributes, N(attributes), a.name,
                      (size_t)(a.name_end - a.name)))
            write_text(out, before, text);
        before = text;
    }
    write_text(out, before, stop);
    return stop;
}

/* Copies the tag at text. Returns its end, or NULL if it is not allowed. */
static const char *write_tag(struct cp_out *out, const char *text,
                             const char *end)
{
    const char *name = text + 1, *name_end, *stop;

    name += name < end && *name == '/';
    name_end = skip_name(name, end);
    if (!is_listed(elements, N(elements), name, (size_t)(name_end - name)) ||
        !tag_end(name_end, end))
        return NULL;
    cp_out_bytes(out, text, (size_t)(name_end - text));
    stop = cp_svg_clean_attributes(out, name_end, end);
    return stop;
}

/* Copies a comment or the document's header. Returns its end, or NULL. */
static const char *write_prolog(struct cp_out *out, const char *text,
                                const char *end)
{
    static const struct {
        const char *open, *close;
    } kinds[] = { { "<!--", "-->" }, { "<?xml", "?>" }, { "<!DOCTYPE", ">" } };

    for (size_t i = 0; i < N(kinds); i++) {
        size_t len = strlen(kinds[i].open);
        const char *close;

        if ((size_t)(end - text) < len || memcmp(text, kinds[i].open, len) != 0)
            continue;
        close = memmem(text + len, (size_t)(end - text) - len, kinds[i].close,
                       strlen(kinds[i].close));
        if (!close)
            return NULL;
        cp_out_char(out, '<');
        write_text(out, text + 1, close + strlen(kinds[i].close));
        return close + strlen(kinds[i].close);
    }
    return NULL;
}

void cp_svg_clean(struct cp_out *out, const char *text, const char *end)
{
    while (text < end) {
        const char *open = memchr(text, '<', (size_t)(end - text)), *stop;

        write_text(out, text, open ? open : end);
        if (!open)
            return;
        stop = write_tag(out, open, end);
        if (!stop)
            stop = write_prolog(out, open, end);
        if (!stop) {
            cp_out_cstr(out, "&lt;");
            stop = open + 1;
        }
        text = stop;
    }
}
