/*
 * still - the stack of a thread that sleeps, without waking it.
 *
 * A signal would interrupt the system call that the thread is in, and programs
 * are not always prepared for that. But a thread that is in the kernel stands
 * still, and /proc says where: its stack pointer and its pc are enough for
 * most walks, over a copy of its stack.
 *
 * A program that has given up the rights it began with (a server that was
 * started by root) is not told where; then there is only whether it sleeps.
 */
#ifndef CP_STILL_H
#define CP_STILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/thread.h"
#include "signal/walk.h"

enum cp_still {
    CP_STILL_WALKED,  /* the frames are there, up to the root */
    CP_STILL_RUNNING, /* it is not asleep */
    CP_STILL_UNKNOWN, /* asleep, but its registers would be needed */
    CP_STILL_ASLEEP,  /* the same, in a call that a signal may end; the frames
                       * are as many as could be had, perhaps none */
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

/*
 * Walks the stack of a thread of this process. CP_STILL_RUNNING and
 * CP_STILL_UNKNOWN: the thread may be asked by a signal.
 */
enum cp_still cp_still_walk(struct cp_still_look *l, int32_t tid);

/*
 * Of a thread that is asleep and of which no frame is known: what its hooks
 * have noted of the call that it is in (cp_locks_note_calls), or a frame that
 * says so much, and the function that it began in.
 */
void cp_still_say_asleep(struct cp_still_look *l,
                         const struct cp_signal_thread *t);

/*
 * May that thread get a signal? If it sleeps in a call that ends with EINTR
 * when there was one, the program might not be prepared.
 */
bool cp_still_may_be_asked(int32_t tid);

/*
 * Walks a stack of this process from these registers on, up to the root. It
 * was that stack if the function that had them has not returned yet.
 */
bool cp_still_walk_from(struct cp_still_look *l,
                        const struct cp_signal_regs *regs);

#endif
