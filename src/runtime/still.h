/*
 * still - the stack of a thread that sleeps, without waking it.
 *
 * A signal would interrupt the system call that the thread is in, and programs
 * are not always prepared for that. But a thread that is in the kernel stands
 * still, and /proc says where: its stack pointer and its pc are enough for
 * most walks, over a copy of its stack.
 */
#ifndef CP_STILL_H
#define CP_STILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/walk.h"

enum cp_still {
    CP_STILL_WALKED,  /* the frames are there, up to the root */
    CP_STILL_RUNNING, /* it is not asleep */
    CP_STILL_UNKNOWN, /* asleep, but its registers would be needed */
    CP_STILL_GONE,    /* no such thread */
};

/* Room for a copy of a stack; too large for one. */
#define CP_STILL_BYTES ((size_t)128 << 10)

/* What was seen of a thread, and room to work in. */
struct cp_still_look {
    size_t n;
    uintptr_t frames[CP_WALK_MOST];
    char place[256]; /* of /proc/self/task/TID/syscall; "": not to be had */
    char copy[CP_STILL_BYTES];
};

/* Walks the stack of a thread of this process. */
enum cp_still cp_still_walk(struct cp_still_look *l, int32_t tid);

/*
 * Walks a stack of this process from these registers on, up to the root. It
 * was that stack if the function that had them has not returned yet.
 */
bool cp_still_walk_from(struct cp_still_look *l,
                        const struct cp_signal_regs *regs);

#endif
