/*
 * trace - `cpprof trace`: what threads did over time, from execution traces.
 */
#ifndef CP_TOOL_TRACE_H
#define CP_TOOL_TRACE_H

#include <stddef.h>

struct cp_flag;

/* Runs the command; returns the exit status. */
int cp_trace_main(int argc, const char *const *argv);

/* The i-th of its options, for completion; NULL behind the last. */
const struct cp_flag *cp_trace_flag_at(size_t i);

#endif
