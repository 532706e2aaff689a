/*
 * svg - makes dot's SVG a page to look around in.
 *
 * The picture fills the window, whole at first; a script (assets/svg_pan.js)
 * moves, zooms and searches it. Where no script runs the picture is the same.
 */
#ifndef CP_SVG_H
#define CP_SVG_H

#include <stddef.h>

struct cp_out;

extern const char cp_asset_svg_pan_js[];

/*
 * Writes an SVG document of dot's with the script and without bytes that XML
 * does not allow, which dot lets through. What does not look like dot's is
 * written without the script.
 */
void cp_svg_write(const char *svg, size_t len, struct cp_out *out);

#endif
