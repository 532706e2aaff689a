/* trace_calls - how the calls of signal/tables/calls.h are shown in a trace. */
#ifndef CP_TRACE_CALLS_H
#define CP_TRACE_CALLS_H

#include <stddef.h>

#include "signal/tables/calls.h"
#include "trace/model/model.h"

extern const struct cp_trace_call cp_trace_calls[CP_CALLS];

/*
 * What a thread sleeps for that was asleep before anybody looked, by the name
 * of the system call (thread_state.h); "" if nothing is known.
 */
void cp_trace_call_reason(const char *wait, char *out, size_t cap);

#endif
