/*
 * trace_names - gives the stacks of a trace their names, files and lines.
 *
 * What libc puts below the first function of a thread is left out, and on top
 * of a stack that waited stands the function that was called.
 */
#ifndef CP_TRACE_NAMES_H
#define CP_TRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_kind_sink;
struct cp_trace_stacks;

/* Adds those of these numbers that are not there yet. */
enum cp_status cp_trace_names_add(struct cp_trace_stacks *out,
                                  const uint32_t *numbers, size_t n,
                                  const struct cp_kind_sink *sink,
                                  struct cp_error *err);

#endif
