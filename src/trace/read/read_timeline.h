/*
 * read_timeline - a whole trace in memory, for display at any zoom level.
 *
 * Each lane has its spans in the order of time, 16 bytes each, in chunks. A
 * chunk holds the time that the lane spent in each state before it. So the time
 * in each state between any two times takes two binary searches and a scan of
 * parts of two chunks. The cost of a picture depends on what it shows, not on
 * the length of the trace.
 *
 * Spans of a large trace are in an unlinked file in $TMPDIR, of which the
 * kernel caches the pages in use. Marks (samples, messages, regions) are kept
 * up to a limit; further ones are only counted.
 */
#ifndef CP_TRACE_READ_TIMELINE_H
#define CP_TRACE_READ_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/read/read_spans.h"

struct cp_trace_spans;

struct cp_trace_timeline;

/* Time in each state; the last entry is the time of not existing. */
struct cp_trace_times {
    uint64_t ns[CP_TRACE_N_STATES + 1];
};

enum cp_status cp_trace_timeline_new(struct cp_trace_timeline **out,
                                     const void *bytes, size_t len,
                                     struct cp_error *err);
void cp_trace_timeline_free(struct cp_trace_timeline *t);

const struct cp_trace_spans *
cp_trace_timeline_spans(const struct cp_trace_timeline *t);

/* Whether the lane is a thread of the program, not the recorder. */
bool cp_trace_timeline_is_shown(const struct cp_trace_timeline *t,
                                uint32_t lane);

/* Returns the number of spans of a lane. */
uint64_t cp_trace_timeline_n(const struct cp_trace_timeline *t, uint32_t lane);

/*
 * Returns the i-th span, in times since the first event. A gap between two uses
 * of an id is a span of state CP_TRACE_NONE.
 */
struct cp_trace_span cp_trace_timeline_span(const struct cp_trace_timeline *t,
                                            uint32_t lane, uint64_t i);

/*
 * Returns the first span of a lane that ends after `ns`, or the number of
 * spans.
 */
uint64_t cp_trace_timeline_at(const struct cp_trace_timeline *t, uint32_t lane,
                              uint64_t ns);

/* Adds the time in each state between two times to *out. */
void cp_trace_timeline_add(const struct cp_trace_timeline *t, uint32_t lane,
                           uint64_t from_ns, uint64_t to_ns,
                           struct cp_trace_times *out);

/* Return the i-th reason of spans, as a string, and the number of reasons. */
uint32_t cp_trace_timeline_reason(const struct cp_trace_timeline *t, size_t i);
size_t cp_trace_timeline_n_reasons(const struct cp_trace_timeline *t);

/*
 * Returns the marks of a lane, by time; CP_TRACE_NO_LANE selects those of the
 * program.
 */
const struct cp_trace_mark *
cp_trace_timeline_marks(const struct cp_trace_timeline *t, uint32_t lane,
                        size_t *n);
uint64_t cp_trace_timeline_marks_lost(const struct cp_trace_timeline *t);
uint64_t cp_trace_timeline_lost(const struct cp_trace_timeline *t);

#endif
