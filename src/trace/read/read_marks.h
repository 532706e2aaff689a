/*
 * read_marks - the events of a trace that are moments: messages, regions and
 * tasks of the program, counters and garbage collection of its runtime.
 * Internal to read_spans.
 */
#ifndef CP_TRACE_READ_MARKS_H
#define CP_TRACE_READ_MARKS_H

#include <stdint.h>

#include "base/error.h"

struct cp_trace_mark;
struct cp_trace_read_event;
struct cp_trace_spans;

/* Passes a mark to the watcher. */
enum cp_status cp_trace_marks_report(struct cp_trace_spans *s,
                                     const struct cp_trace_mark *m,
                                     struct cp_error *err);

/* Handles events of the program: regions, tasks, messages. */
enum cp_status cp_trace_marks_on_program(struct cp_trace_spans *s,
                                         uint32_t thread, uint64_t now,
                                         const struct cp_trace_read_event *e,
                                         struct cp_error *err);

/* Handles events of the runtime: counters, garbage collection. */
enum cp_status cp_trace_marks_on_runtime(struct cp_trace_spans *s,
                                         uint32_t thread, uint64_t now,
                                         const struct cp_trace_read_event *e,
                                         struct cp_error *err);

#endif
