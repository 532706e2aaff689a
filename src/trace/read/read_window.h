/*
 * read_window - the visible part of a lane between two times, at a given number
 * of pixels.
 *
 * A span at least one pixel wide is written as it is. A run of shorter spans
 * becomes one item per pixel with the share of each state. So there are at most
 * about two items per pixel, whatever the trace. The page receives these bytes,
 * little-endian:
 *
 *   lane     u32 lane, u32 number of items
 *   item     f64 start, f64 end (ns since the first event)
 *            u32 stack, or for a run the number of its spans
 *            u32 lane that woke it, + 1
 *            u32 reason (string)
 *            u8 state; 255 for a run
 *            u8 1 if the end of the trace ended it
 *            u16 0
 *            u8[8] shares of the states in a run, of 255
 */
#ifndef CP_TRACE_READ_WINDOW_H
#define CP_TRACE_READ_WINDOW_H

#include <stdint.h>

struct cp_out;
struct cp_trace_timeline;

#define CP_TRACE_ITEM_BYTES 40
#define CP_TRACE_RUN 255

struct cp_trace_window {
    uint64_t from_ns, to_ns; /* since the first event */
    uint32_t n_points;
};

/* Appends a lane. `out` holds a failure. */
void cp_trace_window_write(const struct cp_trace_timeline *t,
                           const struct cp_trace_window *w, uint32_t lane,
                           struct cp_out *out);

#endif
