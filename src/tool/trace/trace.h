/*
 * trace - `cpprof trace`: tables, profiles and the timeline page of an
 * execution trace.
 */
#ifndef CP_TOOL_TRACE_H
#define CP_TOOL_TRACE_H

#include <stddef.h>

struct cp_flag;

/* Runs the command; returns the exit status. */
int cp_trace_main(int argc, const char *const *argv);

/* Returns the i-th option, for shell completion; NULL past the end. */
const struct cp_flag *cp_trace_flag_at(size_t i);

#endif
