/*
 * read_timeline - a whole trace in memory, to be looked at from near and far.
 *
 * Each lane has its spans in the order of time, 16 bytes each, in chunks; a
 * chunk also knows how long the lane had been in each state before it. So the
 * time in each state between any two moments is two searches and a walk over
 * parts of two chunks, however much lies between, and a picture costs what it
 * shows and not what the trace has.
 *
 * Spans of a large trace are kept in a file without a name in $TMPDIR, of which
 * the system has in memory what is being looked at. Moments (samples, messages,
 * regions) are kept up to a limit; beyond it they are counted.
 */
#ifndef CP_TRACE_READ_TIMELINE_H
#define CP_TRACE_READ_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/read/read_spans.h"

struct cp_trace_spans;

struct cp_trace_timeline;

/* A time in each state; the last is that of not being there. */
struct cp_trace_times {
    uint64_t ns[CP_TRACE_N_STATES + 1];
};

enum cp_status cp_trace_timeline_new(struct cp_trace_timeline **out,
                                     const void *bytes, size_t len,
                                     struct cp_error *err);
void cp_trace_timeline_free(struct cp_trace_timeline *t);

const struct cp_trace_spans *
cp_trace_timeline_spans(const struct cp_trace_timeline *t);

/* Whether the lane is a thread of the program: not our recorder. */
bool cp_trace_timeline_is_shown(const struct cp_trace_timeline *t,
                                uint32_t lane);

/* Spans of a lane. */
uint64_t cp_trace_timeline_n(const struct cp_trace_timeline *t, uint32_t lane);

/*
 * The i-th span, in times since the first event. Where a lane was not there for
 * a while, its id being used again, there is a span of state CP_TRACE_NONE.
 */
struct cp_trace_span cp_trace_timeline_span(const struct cp_trace_timeline *t,
                                            uint32_t lane, uint64_t i);

/* The first span of a lane that ends after `ns`; n if there is none. */
uint64_t cp_trace_timeline_at(const struct cp_trace_timeline *t, uint32_t lane,
                              uint64_t ns);

/* Adds the time in each state between two moments to *out. */
void cp_trace_timeline_add(const struct cp_trace_timeline *t, uint32_t lane,
                           uint64_t from_ns, uint64_t to_ns,
                           struct cp_trace_times *out);

/* The reasons that spans have, as strings: the i-th of n. */
uint32_t cp_trace_timeline_reason(const struct cp_trace_timeline *t, size_t i);
size_t cp_trace_timeline_n_reasons(const struct cp_trace_timeline *t);

/* The marks of a lane (CP_TRACE_NO_LANE: of the program), by time. */
const struct cp_trace_mark *
cp_trace_timeline_marks(const struct cp_trace_timeline *t, uint32_t lane,
                        size_t *n);
uint64_t cp_trace_timeline_marks_lost(const struct cp_trace_timeline *t);
uint64_t cp_trace_timeline_lost(const struct cp_trace_timeline *t);

#endif
