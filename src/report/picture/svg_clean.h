/*
 * svg_clean - what may stand in a picture that graphviz drew.
 *
 * A picture is opened in a browser, and names in it are from a profile. Only
 * the elements and attributes of shapes and text pass: no scripts, no event
 * handlers, no links, no images. The words of dot's input are escaped already
 * (dot_text.h); this holds if that fails.
 */
#ifndef CP_SVG_CLEAN_H
#define CP_SVG_CLEAN_H

struct cp_out;

/*
 * Copies a piece of an SVG document. What is no known tag is written as text;
 * bytes that XML does not allow are replaced.
 */
void cp_svg_clean(struct cp_out *out, const char *text, const char *end);

/*
 * Copies the attributes of a tag and its end; returns where that was, or NULL
 * with nothing written if the tag does not end.
 */
const char *cp_svg_clean_attributes(struct cp_out *out, const char *text,
                                    const char *end);

#endif
