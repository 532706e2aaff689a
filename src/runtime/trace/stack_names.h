/*
 * stack_names - symbolizes the stacks of a trace: functions, files and lines.
 *
 * Frames of libc that are callers of a thread's start function are removed. The
 * leaf of a stack that waited is the function that was called, not the hook.
 *
 * Context: the endpoint thread. Locking: none.
 * Failure: CP_ENOMEM. A frame without symbol gets its address as name.
 */
#ifndef CP_STACK_NAMES_H
#define CP_STACK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_kind_sink;
struct cp_trace_stacks;

/*
 * Adds the stacks with these numbers (slot of cp_trace.stacks, + 1) to *out.
 * Those that *out contains already are skipped.
 */
enum cp_status cp_stack_names_add(struct cp_trace_stacks *out,
                                  const uint32_t *numbers, size_t n,
                                  const struct cp_kind_sink *sink,
                                  struct cp_error *err);

#endif
