/*
 * walk - the stack walker: from registers to return addresses.
 *
 * Runs in signal context and in the hooks of malloc and of locks: it takes no
 * lock, calls nothing, allocates nothing, and whatever it finds on the stack it
 * neither faults nor loops. What it knows of code is in a map (unwind_table.h);
 * where that has no rule, it goes by the frame pointer if there is one.
 */
#ifndef CP_SIGNAL_WALK_H
#define CP_SIGNAL_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/unwinder/regs.h"
#include "signal/unwinder/stack_reader.h"

struct cp_unwind_table;

/* Frames that are kept of a stack: those near the leaf, and the outermost. */
#define CP_WALK_LEAF 448
#define CP_WALK_ROOT 63
#define CP_WALK_MAX (CP_WALK_LEAF + 1 + CP_WALK_ROOT)

/* Frames that are looked at, at most. */
#define CP_WALK_LIMIT 16384

/* Stands between the two parts of a stack that was too deep. */
#define CP_FRAME_ELIDED ((uintptr_t)1)

enum cp_walk_end {
    CP_WALK_WHOLE,     /* reached the outermost frame */
    CP_WALK_TRUNCATED, /* no rule and no frame pointer that leads on */
    CP_WALK_LONG,      /* stopped at CP_WALK_LIMIT frames */
};

struct cp_signal_walk {
    const struct cp_unwind_table *table;
    struct cp_stack_reader reader; /* its stack_low, stack_high are used */
    enum cp_walk_end end;          /* set by the walk */
    bool hit_unmapped_pc;          /* likewise: code that is in no module */
};

/*
 * Walks from these registers and writes the stack, leaf first: the leaf's pc
 * as it is, and for the callers the return address less one (for a frame that
 * a signal interrupted again the pc itself). So each address lies in the
 * instruction that was running. Returns the number of frames written.
 */
size_t cp_signal_walk(struct cp_signal_walk *w, struct cp_signal_regs regs,
                      uintptr_t out[CP_WALK_MAX]);

#endif
