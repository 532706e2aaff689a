/*
 * stack_writer - adds stacks of a sample table to a profile.
 *
 * Context: any thread outside signal handlers; samples may be added to the
 * table concurrently. Locking: none. Failure: CP_ENOMEM.
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

/* Frames that stand for a name, not an address; CP_FRAME_ELIDED is 1. */
#define CP_FRAME_NO_ROOM ((uintptr_t)2)
#define CP_FRAME_LOST ((uintptr_t)3)
#define CP_FRAME_NO_REPLY ((uintptr_t)4)
#define CP_FRAME_UNATTRIBUTED ((uintptr_t)5)
#define CP_FRAME_ASLEEP ((uintptr_t)6)
#define CP_STACK_SPECIAL 7 /* first value that is an address */

#define CP_STACK_TEXTS 4

/* The caller sets b and err; the rest starts as 0. */
struct cp_stack_writer {
    struct cp_builder *b;
    struct cp_error *err;
    uint32_t special[CP_STACK_SPECIAL]; /* location index + 1; 0 means none */
};

/* A stack with its labels. */
struct cp_stack {
    const uintptr_t *frames; /* leaf first */
    size_t n;                /* frames; at most CP_WALK_MAX */
    uint32_t labels;         /* label set of the thread (labels.h) */
    const char *number_key;  /* key of a numeric label; NULL means none */
    const char *number_unit;
    int64_t number;
    const char *text_key, *text; /* a string label; NULL means none */
    const char *(*texts)[2];     /* more string labels: key and value */
    size_t n_texts;              /* at most CP_STACK_TEXTS */
};

/* Reads the stack and labels of a slot; false if it is not written yet. */
bool cp_stack_read_slot(const struct cp_signal_samples *s,
                        const struct cp_signal_slot *slot,
                        struct cp_stack *out);

/* Adds a sample with these values, one for each sample type. */
enum cp_status cp_stack_write(struct cp_stack_writer *w,
                              const struct cp_stack *stack,
                              const int64_t *values);

/* Completes the profile after the last sample. */
void cp_stack_writer_finish(struct cp_stack_writer *w);

#endif
