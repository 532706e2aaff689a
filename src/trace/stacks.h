/*
 * stacks - the stacks of a trace with names, files and lines.
 *
 * A stack is known by its number, from 1 on. The recorder adds it when it has
 * found the names; the writers look it up.
 */
#ifndef CP_TRACE_STACKS_H
#define CP_TRACE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strtab.h"

#define CP_TRACE_DEPTH 128  /* frames of a stack, at most: Go's limit */
#define CP_TRACE_PC_BITS 48 /* of an address; see go_file.c */

struct cp_trace_frame {
    uint64_t pc;
    uint32_t function, file; /* strings */
    uint32_t line;
};

struct cp_trace_stack {
    uint32_t first, n; /* of frames, leaf first */
    bool is_known;
};

/* Starts as { 0 } and cp_trace_stacks_init. */
struct cp_trace_stacks {
    struct cp_arena arena;
    struct cp_strtab strings;
    struct cp_trace_stack *stacks; /* by number */
    uint32_t n_stacks;             /* numbers are below */
    struct cp_trace_frame *frames;
    size_t n_frames, cap_frames;
};

enum cp_status cp_trace_stacks_init(struct cp_trace_stacks *s,
                                    uint32_t n_stacks, struct cp_error *err);
void cp_trace_stacks_release(struct cp_trace_stacks *s);

/* The number of a text; 0 (no text) when there is no memory. */
uint32_t cp_trace_stacks_str(struct cp_trace_stacks *s, const char *text,
                             size_t len);

/* Adds frames to a stack, which is the last one that got any. */
enum cp_status cp_trace_stacks_push(struct cp_trace_stacks *s, uint32_t number,
                                    struct cp_trace_frame frame,
                                    struct cp_error *err);

/* The stack of a number, or NULL. */
static inline const struct cp_trace_stack *
cp_trace_stacks_find(const struct cp_trace_stacks *s, uint32_t number)
{
    if (number == 0 || number >= s->n_stacks || !s->stacks[number].is_known)
        return NULL;
    return &s->stacks[number];
}

#endif
