/*
 * svg.c - see svg.h.
 *
 * What comes from dot, and what is put in (+) or out (-):
 *
 *   <?xml ...> <!DOCTYPE ...>
 *   <svg width="120pt" height="80pt"    - 120pt, 80pt
 *                                       + width="100%" height="100%"
 *    viewBox="..." xmlns="...">
 *                                       + <g id="viewport">
 *   <g id="graph0" ...> ... </g>
 *                                       + </g> <script>
 *   </svg>
 */
#include "report/svg.h"

#include <string.h>

#include "base/utf8.h"

/* Whether a reference that XML knows follows: "&amp;", "&#39;", "&#x27;". */
static bool is_reference(const char *text, size_t len)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;",
                                         "&apos;" };
    size_t n = 2;

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
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

/* What to write for the character at text; NULL for itself. */
static const char *instead_of(const char *text, size_t len, size_t *n)
{
    static const char replacement[] = "\xef\xbf\xbd";
    uint32_t rune = 0;

    *n = cp_utf8_decode(text, len, &rune);
    if (*n == 0) {
        *n = 1;
        return replacement;
    }
    if (rune == '&')
        return is_reference(text, len) ? NULL : "&amp;";
    if (rune < ' ' && rune != '\t' && rune != '\n' && rune != '\r')
        return replacement;
    return rune == 0xfffe || rune == 0xffff ? replacement : NULL;
}

/* Copies text, making good what is not XML. */
static void write_clean(struct cp_out *out, const char *text, const char *end)
{
    const char *done = text;

    while (text < end) {
        size_t n = 1;
        const char *instead = NULL;

        if ((signed char)*text < ' ' || *text == '&') /* not plain ASCII */
            instead = instead_of(text, (size_t)(end - text), &n);
        if (instead) {
            cp_out_bytes(out, done, (size_t)(text - done));
            cp_out_cstr(out, instead);
            done = text + n;
        }
        text += n;
    }
    cp_out_bytes(out, done, (size_t)(end - done));
}

static const char *find(const char *from, const char *end, const char *what)
{
    return memmem(from, (size_t)(end - from), what, strlen(what));
}

/* Where the document is cut open; all NULL when it is not as expected. */
struct cuts {
    const char *root, *view, *graph, *close;
};

static struct cuts find_cuts(const char *svg, const char *end)
{
    static const char close[] = "</svg>";
    size_t n = sizeof(close) - 1;
    struct cuts c = { 0 }, none = { 0 };

    c.root = find(svg, end, "<svg ");
    c.graph = c.root ? find(c.root, end, "<g id=\"graph0\"") : NULL;
    c.view = c.graph ? find(c.root, c.graph, "viewBox=") : NULL;
    if (!c.view)
        return none;
    for (c.close = end - n; c.close > c.graph; c.close--)
        if (memcmp(c.close, close, n) == 0)
            return c;
    return none;
}

void cp_svg_write(const char *svg, size_t len, struct cp_out *out)
{
    const char *end = svg + len;
    struct cuts c = find_cuts(svg, end);

    if (!c.root) {
        write_clean(out, svg, end);
        return;
    }
    write_clean(out, svg, c.root);
    cp_out_cstr(out, "<svg width=\"100%\" height=\"100%\" ");
    write_clean(out, c.view, c.graph);
    cp_out_cstr(out, "<g id=\"viewport\">\n");
    write_clean(out, c.graph, c.close);
    cp_out_cstr(out, "</g>\n<script><![CDATA[\n");
    cp_out_cstr(out, cp_asset_svg_pan_js);
    cp_out_cstr(out, "]]></script>\n");
    write_clean(out, c.close, end);
}
