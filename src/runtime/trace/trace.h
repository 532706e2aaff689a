/*
 * trace - the execution trace: what all threads do, as it happens.
 *
 * Threads write events into buffers (signal/trace/trace.h); the endpoint thread
 * drains them several times a second into the model (trace/model/model.h),
 * which passes them to a writer. docs/trace-format.md describes what a trace
 * contains.
 */
#ifndef CP_TRACE_KIND_H
#define CP_TRACE_KIND_H

#include <stddef.h>

#include "runtime/kind/kind.h"

extern const struct cp_kind cp_trace_kind;

/* Memory that events and stacks hold, at most. */
size_t cp_trace_bytes(void);

/* In the child of a fork: nobody records. */
void cp_trace_after_fork(void);

#endif
