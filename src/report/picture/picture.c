/* picture.c - runs dot on a graph, and sanitizes its SVG. */
#include "report/picture/picture.h"

#include "base/out.h"
#include "report/picture/svg.h"
#include "report/picture/svg_clean.h"
#include "report/source/child.h"

enum cp_status cp_picture_render(enum cp_picture kind, const char *dot,
                                 size_t len, struct cp_out *out,
                                 struct cp_error *err)
{
    static const char *const formats[] = {
        [CP_PICTURE_SVG] = "-Tsvg", [CP_PICTURE_SHAPES] = "-Tsvg",
        [CP_PICTURE_PNG] = "-Tpng", [CP_PICTURE_PDF] = "-Tpdf",
        [CP_PICTURE_PS] = "-Tps",   [CP_PICTURE_GIF] = "-Tgif",
    };
    char *const argv[] = { (char[]){ "dot" }, (char *)formats[kind], NULL };
    struct cp_out drawn = { .fd = -1 };
    enum cp_status status = cp_child_run(argv, dot, len, &drawn, err);

    if (status == CP_EOTHER)
        status = cp_error_set(err, CP_EIO,
                              "dot not found: install graphviz "
                              "(apt-get install graphviz)");
    else if (status == CP_OK && kind == CP_PICTURE_SVG)
        cp_svg_write(drawn.buf, drawn.len, out);
    else if (status == CP_OK && kind == CP_PICTURE_SHAPES)
        cp_svg_clean(out, drawn.buf, drawn.buf + drawn.len);
    else if (status == CP_OK)
        cp_out_bytes(out, drawn.buf, drawn.len);
    cp_out_release(&drawn);
    return status;
}
