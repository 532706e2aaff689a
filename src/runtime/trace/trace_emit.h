/*
 * trace_emit - emits events of thread creation and of the program's own
 * annotations into a running trace. Waits are emitted by signal/waits/waits.h.
 *
 * Context: hooks and API functions in any thread, outside signal handlers.
 * Locking: none; without a trace each costs one load and a branch.
 * Failure: an event that finds no free buffer is counted as lost.
 */
#ifndef CP_TRACE_EMIT_H
#define CP_TRACE_EMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The calling thread is about to create a thread. `token` connects this event
 * with the cp_trace_emit_start of that thread.
 */
void cp_trace_emit_create(const void *token, uintptr_t caller);

/* Emits that the creation has failed. */
void cp_trace_emit_create_failed(const void *token);

/* The calling thread starts, in this function. */
void cp_trace_emit_start(const void *token, uintptr_t function);

/* The calling thread is about to end; ends its CPU timer. */
void cp_trace_emit_end(void);

/* Regions and log messages of the program; see include/cpprof.h. */
void cp_trace_emit_region(const char *name, bool is_begin, uintptr_t caller);
void cp_trace_emit_log(const char *category, const char *message,
                       uintptr_t caller);

#endif
