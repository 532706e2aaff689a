/* pieces - writes a long list on all cores, in order. */
#ifndef CP_PIECES_H
#define CP_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_out;

/*
 * A range of the list, and the number of its worker, below cp_parallel_width().
 */
struct cp_piece {
    uint32_t from, to;
    size_t worker;
};

typedef void cp_piece_writer(const void *context, struct cp_piece piece,
                             struct cp_out *out);

/*
 * Calls `write` for consecutive ranges of 0..n, each of up to `piece` elements.
 * Each call gets a memory buffer and may run on a different thread; a worker
 * has one range at a time. The buffers are written to out in order.
 */
enum cp_status cp_pieces_write(uint32_t n, uint32_t piece,
                               cp_piece_writer *write, const void *context,
                               struct cp_out *out, struct cp_error *err);

#endif
