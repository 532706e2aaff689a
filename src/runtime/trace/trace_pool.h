/*
 * trace_pool - the memory that threads write their events into, and the
 * reading of it (signal/trace/trace.h has the writing).
 */
#ifndef CP_TRACE_POOL_H
#define CP_TRACE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_trace_event;

/* Has the memory; once is enough. */
enum cp_status cp_trace_pool_map(struct cp_error *err);

/*
 * Each of so many threads needs a buffer for its events and one for its
 * samples, however few they are. Only one thread at a time may call this.
 */
void cp_trace_pool_grow(size_t n_threads);

/* Before a session: all buffers are free that no thread holds. */
void cp_trace_pool_clear(void);

/*
 * Takes all events of the session that have not been taken yet: those of one
 * thread in their order. What follows an event follows it in memory.
 */
void cp_trace_pool_read(void (*take)(void *context, int32_t tid,
                                     const struct cp_trace_event *e),
                        void *context);

/* When nobody records: gives the memory of free buffers back. */
void cp_trace_pool_give_back(void);

/* What the buffers in use take. */
size_t cp_trace_pool_bytes(void);

#endif
