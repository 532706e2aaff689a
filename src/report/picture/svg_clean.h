/*
 * svg_clean - sanitizes the SVG that graphviz drew.
 *
 * The picture is opened in a browser and contains names from a profile. Only
 * elements and attributes of shapes and text pass: no scripts, event handlers,
 * links or images. dot's input is already escaped (dot_text.h); this is a
 * second defence.
 */
#ifndef CP_SVG_CLEAN_H
#define CP_SVG_CLEAN_H

struct cp_out;

/*
 * Copies part of an SVG document. An unknown tag is written as text; bytes that
 * XML forbids are replaced.
 */
void cp_svg_clean(struct cp_out *out, const char *text, const char *end);

/*
 * Copies the attributes of a tag and its end. Returns the end, or NULL without
 * writing if the tag does not end.
 */
const char *cp_svg_clean_attributes(struct cp_out *out, const char *text,
                                    const char *end);

#endif
