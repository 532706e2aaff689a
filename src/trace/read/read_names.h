/*
 * read_names - strings and stacks of a trace.
 *
 * Each generation has its own ids. This module keeps each string, frame and
 * stack once for the whole trace and maps the ids of the current generation to
 * them. Number 0 is the empty string and the empty stack; unknown ids map to
 * it.
 */
#ifndef CP_TRACE_READ_NAMES_H
#define CP_TRACE_READ_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"
#include "base/table.h"
#include "trace/read/read_file.h"

struct cp_trace_read_frame {
    uint64_t pc;
    uint32_t function, file; /* string numbers */
    uint32_t line;
};

struct cp_trace_read_stack {
    uint64_t first; /* index in stack_frames */
    uint32_t n;
};

/* Initialize with cp_trace_names_init. */
struct cp_trace_names {
    struct cp_arena arena;
    struct cp_strtab strings;
    struct cp_trace_read_frame *frames;
    struct cp_trace_read_stack *stacks;
    uint32_t *stack_frames; /* frames of all stacks, leaf first */
    size_t n_frames, cap_frames, n_stacks, cap_stacks;
    size_t n_stack_frames, cap_stack_frames;
    struct cp_table frame_table, stack_table; /* keyed by content */
    struct cp_table string_ids, stack_ids; /* ids of the current generation */
};

enum cp_status cp_trace_names_init(struct cp_trace_names *n,
                                   struct cp_error *err);
void cp_trace_names_release(struct cp_trace_names *n);

/* Reads the strings and stacks of a generation; keeps the earlier ones. */
enum cp_status cp_trace_names_read(struct cp_trace_names *n,
                                   const struct cp_trace_generation *g,
                                   struct cp_error *err);

/* Returns the number for an id of the current generation. */
uint32_t cp_trace_names_string(const struct cp_trace_names *n, uint64_t id);
uint32_t cp_trace_names_stack(const struct cp_trace_names *n, uint64_t id);

/* Returns the bytes of a string, borrowed. */
static inline struct cp_str cp_trace_text(const struct cp_trace_names *n,
                                          uint32_t string)
{
    return n->strings.items[string];
}

/* Returns the function of a stack's outermost frame; 0 for the empty stack. */
uint32_t cp_trace_names_root(const struct cp_trace_names *n, uint32_t stack);

#endif
