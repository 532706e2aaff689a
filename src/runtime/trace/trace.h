/*
 * trace - the profile kind "trace": an execution trace of all threads.
 *
 * Threads write events into buffers (signal/trace/trace.h); the endpoint thread
 * drains them several times a second into the model (trace/model/model.h),
 * which passes them to a writer. docs/trace-format.md describes what a trace
 * contains.
 *
 * Context: the endpoint thread or the thread of a drain (drain.h).
 * Locking: a lock of this module protects the one session.
 * Ordering: see trace_pool.h for the events.
 * Failure: begin fails if a trace already runs; lost events are counted and
 * reported in the trace.
 */
#ifndef CP_TRACE_KIND_H
#define CP_TRACE_KIND_H

#include <stddef.h>

#include "runtime/kind/kind.h"

extern const struct cp_kind cp_trace_kind;

/* Upper limit of the resident memory of events and stacks, bytes. */
size_t cp_trace_bytes(void);

/* Call in the child of a fork: ends the session of the parent. */
void cp_trace_reset_after_fork(void);

#endif
