/*
 * stacks - the symbolized stacks of a trace.
 *
 * A stack is identified by its number, from 1. The recorder adds it after
 * symbolization; the writers look it up.
 */
#ifndef CP_TRACE_STACKS_H
#define CP_TRACE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"

#define CP_TRACE_DEPTH 128  /* maximum frames of a stack: Go's limit */
#define CP_TRACE_PC_BITS 48 /* bits of an address; see go_file.c */

struct cp_trace_frame {
    uint64_t pc;
    uint32_t function, file; /* string numbers */
    uint32_t line;
};

struct cp_trace_stack {
    uint32_t first, n; /* range of frames, leaf first */
    bool is_known;
};

/* Initialize with { 0 }, then call cp_trace_stacks_init. */
struct cp_trace_stacks {
    struct cp_arena arena;
    struct cp_strtab strings;
    struct cp_trace_stack *stacks; /* indexed by number */
    uint32_t n_stacks;             /* upper bound of numbers */
    struct cp_trace_frame *frames;
    size_t n_frames, cap_frames;
};

enum cp_status cp_trace_stacks_init(struct cp_trace_stacks *s,
                                    uint32_t n_stacks, struct cp_error *err);
void cp_trace_stacks_release(struct cp_trace_stacks *s);

/*
 * Returns the number of a string; 0 (the empty string) if memory is exhausted.
 */
uint32_t cp_trace_stacks_str(struct cp_trace_stacks *s, const char *text,
                             size_t len);

/* Appends a frame to a stack, which must be the last one appended to. */
enum cp_status cp_trace_stacks_push(struct cp_trace_stacks *s, uint32_t number,
                                    struct cp_trace_frame frame,
                                    struct cp_error *err);

/* Returns the stack of a number, or NULL. */
static inline const struct cp_trace_stack *
cp_trace_stacks_find(const struct cp_trace_stacks *s, uint32_t number)
{
    if (number == 0 || number >= s->n_stacks || !s->stacks[number].is_known)
        return NULL;
    return &s->stacks[number];
}

#endif
