/*
 * read_marks - the moments of a trace: what the program says of itself, and
 * what its runtime does. The inside of read_spans.
 */
#ifndef CP_TRACE_READ_MARKS_H
#define CP_TRACE_READ_MARKS_H

#include <stdint.h>

#include "base/error.h"

struct cp_trace_mark;
struct cp_trace_read_event;
struct cp_trace_spans;

/* Tells the watcher of a moment. */
enum cp_status cp_trace_marks_tell(struct cp_trace_spans *s,
                                   const struct cp_trace_mark *m,
                                   struct cp_error *err);

/* Events of a thread: regions, tasks, messages. */
enum cp_status cp_trace_marks_on_word(struct cp_trace_spans *s, uint32_t thread,
                                      uint64_t now,
                                      const struct cp_trace_read_event *e,
                                      struct cp_error *err);

/* The same for numbers, and what the collector does. */
enum cp_status cp_trace_marks_on_runtime(struct cp_trace_spans *s,
                                         uint32_t thread, uint64_t now,
                                         const struct cp_trace_read_event *e,
                                         struct cp_error *err);

#endif
