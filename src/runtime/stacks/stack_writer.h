/*
 * stack_writer - puts stacks of a samples' table into a profile.
 *
 * Frames that are no addresses get their names.
 */
#ifndef CP_STACK_WRITER_H
#define CP_STACK_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_builder;
struct cp_signal_samples;
struct cp_signal_slot;

/* Frames that have a name instead of an address; CP_FRAME_ELIDED is 1. */
#define CP_FRAME_NO_ROOM ((uintptr_t)2)
#define CP_FRAME_LOST ((uintptr_t)3)
#define CP_FRAME_NO_REPLY ((uintptr_t)4)
#define CP_FRAME_UNATTRIBUTED ((uintptr_t)5)
#define CP_FRAME_ASLEEP ((uintptr_t)6)
#define CP_STACK_SPECIAL 7

#define CP_STACK_TEXTS 4

/* Starts with b and err set. */
struct cp_stack_writer {
    struct cp_builder *b;
    struct cp_error *err;
    uint32_t special[CP_STACK_SPECIAL]; /* location + 1; 0: not made yet */
};

struct cp_stack {
    const uintptr_t *frames; /* leaf first */
    size_t n;
    uint32_t labels;        /* a set of the thread's labels */
    const char *number_key; /* one more label, a number; NULL: none */
    const char *number_unit;
    int64_t number;
    const char *text_key, *text; /* and one more, a text; NULL: none */
    const char *(*texts)[2];     /* and more: keys and texts */
    size_t n_texts;              /* at most CP_STACK_TEXTS */
};

/* The stack of a slot and its labels; false: it is not written yet. */
bool cp_stack_read_slot(const struct cp_signal_samples *s,
                        const struct cp_signal_slot *slot,
                        struct cp_stack *out);

/* Adds a sample with these values. */
enum cp_status cp_stack_write(struct cp_stack_writer *w,
                              const struct cp_stack *stack,
                              const int64_t *values);

/* After the last sample. */
void cp_stack_writer_finish(struct cp_stack_writer *w);

#endif
