/*
 * trace - the execution trace: what all threads do, as it happens.
 *
 * Threads write events into pieces of memory (signal/trace.h); this takes them
 * out several times a second and hands them to the model (trace/model.h),
 * which gives them to a format. docs/trace-format.md describes it.
 */
#ifndef CP_TRACE_KIND_H
#define CP_TRACE_KIND_H

#include <stddef.h>

#include "runtime/kind.h"

extern const struct cp_kind cp_trace_kind;

/* Memory that events and stacks hold, at most. */
size_t cp_trace_bytes(void);

/* In the child of a fork: nobody records. */
void cp_trace_after_fork(void);

#endif
