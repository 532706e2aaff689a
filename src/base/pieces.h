/*
 * pieces - writes a long list on all cores, in order.
 */
#ifndef CP_PIECES_H
#define CP_PIECES_H

#include "base/out.h"

/*
 * Calls write(context, from, to, out) for consecutive parts of 0..n, each
 * with a memory buffer of its own and perhaps on different threads, and joins
 * what they wrote in order.
 */
enum cp_status cp_pieces_write(uint32_t n, uint32_t piece,
                               void (*write)(const void *context, uint32_t from,
                                             uint32_t to, struct cp_out *out),
                               const void *context, struct cp_out *out,
                               struct cp_error *err);

#endif
