/* trace_calls - how a trace shows the calls of signal/tables/calls.h. */
#ifndef CP_TRACE_CALLS_H
#define CP_TRACE_CALLS_H

#include <stddef.h>

#include "signal/tables/calls.h"
#include "trace/model/model.h"

extern const struct cp_trace_call cp_trace_calls[CP_CALLS];

/*
 * Writes the reason of a wait that began before the trace. `wait` is the name
 * of the system call (thread_state.h), "" if it is unknown.
 */
void cp_trace_call_reason(const char *wait, char *out, size_t cap);

#endif
