/*
 * trace_pool - maps the pool of event buffers and reads them. Threads write
 * events as signal/trace/trace.h describes.
 *
 * Context: the endpoint thread or the thread of a drain; one at a time.
 * Locking: none. Threads write to their buffers concurrently.
 * Ordering: a writer publishes events by a release store of `n`, and its last
 * ones by the state CP_TRACE_DONE; the reader acquires both. New buffers are
 * zero and are published by the store of n_words.
 * Failure: cp_trace_pool_map returns CP_ENOMEM. Without memory for a list of
 * buffers, cp_trace_pool_read reads nothing; the events stay for the next call.
 */
#ifndef CP_TRACE_POOL_H
#define CP_TRACE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_trace_event;

/* Maps the pool; does nothing when called again. */
enum cp_status cp_trace_pool_map(struct cp_error *err);

/*
 * Adds buffers, so that each of n_threads threads gets one for events and one
 * for samples. The pool never shrinks.
 */
void cp_trace_pool_grow(size_t n_threads);

/* Call before a session: frees all buffers that no thread owns. */
void cp_trace_pool_clear(void);

/*
 * Calls `take` for each event of the session that was not read yet; the events
 * of one thread are passed in order. Payload of an event follows it in memory.
 */
void cp_trace_pool_read(void (*take)(void *context, int32_t tid,
                                     const struct cp_trace_event *e),
                        void *context);

/* Call after a session: returns the memory of free buffers to the kernel. */
void cp_trace_pool_trim(void);

/* Memory of the buffers in use, bytes. */
size_t cp_trace_pool_bytes(void);

#endif
