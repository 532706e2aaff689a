/*
 * pieces - writes a long list on all cores, in order.
 */
#ifndef CP_PIECES_H
#define CP_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_out;

/* A part of the list, and which of the workers has it: below the width. */
struct cp_piece {
    uint32_t from, to;
    size_t worker;
};

typedef void cp_piece_writer(const void *context, struct cp_piece piece,
                             struct cp_out *out);

/*
 * Calls write for consecutive parts of 0..n, each of up to `piece`, with a
 * memory buffer to write to and perhaps on different threads; a worker has one
 * part at a time. What they wrote is joined in order.
 */
enum cp_status cp_pieces_write(uint32_t n, uint32_t piece,
                               cp_piece_writer *write, const void *context,
                               struct cp_out *out, struct cp_error *err);

#endif
