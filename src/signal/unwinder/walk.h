/*
 * walk - the stack walker: from the registers of a frame to the return
 * addresses of its callers.
 *
 * A step from a frame to its caller uses the CFI row of the pc
 * (unwind_table.h). For code without a row it uses the frame pointer.
 *
 * Context: any, signal handlers included. The walk does not allocate, does not
 *   fault on a corrupt stack, and ends: the stack pointer only grows, or
 *   CP_WALK_LIMIT stops it.
 * Locking: none; the caller is a reader (signal/tables/readers.h) or owns the
 *   unwind table.
 * Failure: `end` says how the walk ended; the frames up to there are valid.
 */
#ifndef CP_SIGNAL_WALK_H
#define CP_SIGNAL_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/unwinder/regs.h"
#include "signal/unwinder/stack_reader.h"

struct cp_unwind_table;

/* Frames of a deep stack that are kept: innermost ones, and outermost ones. */
#define CP_WALK_LEAF 448
#define CP_WALK_ROOT 63
#define CP_WALK_MAX (CP_WALK_LEAF + 1 + CP_WALK_ROOT)

/* Frames that a walk visits at most. */
#define CP_WALK_LIMIT 16384

/* Stands for the frames that were dropped between the two parts. */
#define CP_FRAME_ELIDED ((uintptr_t)1)

enum cp_walk_end {
    CP_WALK_WHOLE,     /* reached the outermost frame */
    CP_WALK_TRUNCATED, /* neither a row nor a frame pointer leads on */
    CP_WALK_LONG,      /* stopped at CP_WALK_LIMIT frames */
};

struct cp_signal_walk {
    const struct cp_unwind_table *table;
    struct cp_stack_reader reader; /* the caller sets stack_low, stack_high */
    enum cp_walk_end end;          /* result */
    bool hit_unmapped_pc;          /* result: a pc lies in no known module */
};

/*
 * Walks from these registers and writes the stack, innermost frame first. An
 * exact frame (the leaf, or one that a signal interrupted) is written as its
 * pc, all others as the return address - 1. So each address lies inside the
 * instruction that was running. Returns the number of frames written.
 */
size_t cp_signal_walk(struct cp_signal_walk *w, struct cp_signal_regs regs,
                      uintptr_t out[CP_WALK_MAX]);

#endif
