/* picture - draws dot text by running graphviz. */
#ifndef CP_PICTURE_H
#define CP_PICTURE_H

#include <stddef.h>

#include "base/error.h"

struct cp_out;

enum cp_picture {
    CP_PICTURE_SVG,
    CP_PICTURE_SHAPES, /* SVG without a script, for embedding in a page */
    CP_PICTURE_PNG,
    CP_PICTURE_PDF,
    CP_PICTURE_PS,
    CP_PICTURE_GIF,
};

/*
 * Draws len bytes of dot text and appends the picture to *out. On failure
 * writes nothing; the message has dot's standard error or how to install it.
 */
enum cp_status cp_picture_render(enum cp_picture kind, const char *dot,
                                 size_t len, struct cp_out *out,
                                 struct cp_error *err);

#endif
