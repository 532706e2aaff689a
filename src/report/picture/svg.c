/*
 * svg.c - inserts the script into dot's SVG.
 *
 * dot's output, with insertions (+) and removals (-):
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
#include "report/picture/svg.h"

#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "report/picture/svg_clean.h"

static const char *find(const char *from, const char *end, const char *what)
{
    return memmem(from, (size_t)(end - from), what, strlen(what));
}

/*
 * Positions of the insertions; all NULL if the document has an unexpected
 * structure.
 */
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
    const char *end = svg + len, *stop;
    struct cuts c = find_cuts(svg, end);

    if (!c.root) {
        cp_svg_clean(out, svg, end);
        return;
    }
    cp_svg_clean(out, svg, c.root);
    cp_out_cstr(out, "<svg width=\"100%\" height=\"100%\" ");
    stop = cp_svg_clean_attributes(out, c.view, c.graph);
    cp_svg_clean(out, stop ? stop : c.graph, c.graph);
    cp_out_cstr(out, "<g id=\"viewport\">\n");
    cp_svg_clean(out, c.graph, c.close);
    cp_out_cstr(out, "</g>\n<script><![CDATA[\n");
    cp_out_cstr(out, cp_asset_svg_pan_js);
    cp_out_cstr(out, "]]></script>\n");
    cp_svg_clean(out, c.close, end);
}
