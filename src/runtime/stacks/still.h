/*
 * still - reads the stack of a sleeping thread from outside.
 *
 * A sleeping thread is never sent a signal: that would end its system call
 * (docs/harmless.md). /proc gives its stack pointer, its pc and the arguments
 * of its system call, which is enough for most walks, over a copy of its stack.
 *
 * The kernel does not give these to a program that has dropped privileges (a
 * server that root started). Then /proc only says whether the thread sleeps.
 *
 * Context: the endpoint thread and the wall-clock sampler. Locking: none.
 * Failure: a stack that is not complete is reported as such, never guessed.
 */
#ifndef CP_STILL_H
#define CP_STILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/unwinder/walk.h"

struct cp_signal_regs;
struct cp_signal_thread;

enum cp_still {
    CP_STILL_WALKED,  /* asleep; the frames go up to the root */
    CP_STILL_PARTIAL, /* asleep; the frames end early, or there are none */
    CP_STILL_RUNNING, /* not asleep: it may reply to a request */
    CP_STILL_GONE,    /* no such thread */
};

#define CP_STILL_ARGS 6

/* A sleeping thread, as far as the kernel gives it. */
struct cp_still_place {
    uintptr_t args[CP_STILL_ARGS]; /* of the system call; registers */
    uintptr_t sp, pc;              /* 0: the kernel does not give them */
};

/* Room for a copy of a stack; too large for one. */
#define CP_STILL_BYTES ((size_t)128 << 10)

/* What was seen of a thread, and room to work in. */
struct cp_still_look {
    size_t n;
    uintptr_t frames[CP_WALK_MAX];
    uintptr_t partial[CP_WALK_MAX];
    char place[256]; /* /proc/self/task/TID/syscall; "": not readable */
    char copy[CP_STILL_BYTES];
};

/* Walks the stack of a thread of this process. */
enum cp_still cp_still_walk(struct cp_still_look *l, int32_t tid);

/*
 * Completes a CP_STILL_PARTIAL walk by the registers that a hook has saved
 * (cp_wait_switches_note_calls). Where there are none and no frame is known,
 * the stack becomes "[asleep, stack not known]" and the thread's start
 * function.
 */
void cp_still_complete(struct cp_still_look *l,
                       const struct cp_signal_thread *t);

/*
 * Walks the stack of a thread that is in a hooked call, by the registers that
 * the hook has saved. False: it is in none, or has left it meanwhile.
 */
bool cp_still_walk_noted(struct cp_still_look *l,
                         const struct cp_signal_thread *t);

/*
 * Where a thread sleeps, without a walk. Returns CP_STILL_RUNNING,
 * CP_STILL_GONE, or CP_STILL_PARTIAL with *out filled as far as possible.
 */
enum cp_still cp_still_find(struct cp_still_place *out, int32_t tid);

/*
 * Walks a stack of this process from these registers on, up to the root. It
 * was that stack if the function that had them has not returned yet.
 */
bool cp_still_walk_from(struct cp_still_look *l,
                        const struct cp_signal_regs *regs);

#endif
