/* pieces.c - waves of pieces, a buffer for each; see pieces.h. */
#include "base/pieces.h"

#include "base/parallel.h"

struct wave {
    uint32_t from, n, piece;
    void (*write)(const void *context, uint32_t from, uint32_t to,
                  struct cp_out *out);
    const void *context;
    struct cp_out buffers[CP_PARALLEL_MOST];
};

static void write_piece(void *context, size_t number)
{
    struct wave *w = context;
    uint64_t from = w->from + (uint64_t)number * w->piece;
    uint64_t to = from + w->piece;

    if (from < w->n)
        w->write(w->context, (uint32_t)from, to < w->n ? (uint32_t)to : w->n,
                 &w->buffers[number]);
}

enum cp_status cp_pieces_write(uint32_t n, uint32_t piece,
                               void (*write)(const void *context, uint32_t from,
                                             uint32_t to, struct cp_out *out),
                               const void *context, struct cp_out *out,
                               struct cp_error *err)
{
    struct wave w = {
        .n = n, .piece = piece, .write = write, .context = context
    };
    size_t width = cp_parallel_width();

    if (n <= piece) {
        write(context, 0, n, out);
        return out->err.status == CP_OK ? CP_OK : cp_out_finish(out, err);
    }
    for (size_t i = 0; i < width; i++)
        w.buffers[i].fd = -1;
    while (w.from < n && out->err.status == CP_OK) {
        cp_parallel_run(width, write_piece, &w);
        for (size_t i = 0; i < width; i++)
            cp_out_join(out, &w.buffers[i]);
        w.from +=
            n - w.from < piece * width ? n - w.from : (uint32_t)(piece * width);
    }
    for (size_t i = 0; i < width; i++)
        cp_out_release(&w.buffers[i]);
    if (out->err.status != CP_OK && err)
        *err = out->err;
    return out->err.status;
}
