/*
 * svg - makes graphviz's SVG interactive.
 *
 * The picture fills the window; a script (assets/svg_pan.js) pans, zooms and
 * searches it. Without scripts the picture is static.
 */
#ifndef CP_SVG_H
#define CP_SVG_H

#include <stddef.h>

struct cp_out;

extern const char cp_asset_svg_pan_js[];

/*
 * Writes an SVG document of dot with the script, and without bytes that XML
 * forbids, which dot passes through. A document with an unexpected structure
 * gets no script.
 */
void cp_svg_write(const char *svg, size_t len, struct cp_out *out);

#endif
