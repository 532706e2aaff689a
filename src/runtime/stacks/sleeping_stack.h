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
#ifndef CP_SLEEPING_STACK_H
#define CP_SLEEPING_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/unwinder/walk.h"

struct cp_signal_regs;
struct cp_signal_thread;

enum cp_sleep_result {
    CP_SLEEP_WALKED,  /* asleep; the frames go up to the root */
    CP_SLEEP_PARTIAL, /* asleep; the frames end early, or there are none */
    CP_SLEEP_RUNNING, /* not asleep: it may reply to a request */
    CP_SLEEP_EXITED,  /* no such thread */
};

#define CP_SLEEP_ARGS 6

/* A sleeping thread, as far as the kernel gives it. */
struct cp_sleep_registers {
    uintptr_t args[CP_SLEEP_ARGS]; /* of the system call; registers */
    uintptr_t sp, pc;              /* 0: the kernel does not give them */
};

/* Room for a copy of a stack; too large for one. */
#define CP_SLEEPING_STACK_BYTES ((size_t)128 << 10)

/* What was seen of a thread, and room to work in. */
struct cp_sleeping_stack {
    size_t n;
    uintptr_t frames[CP_WALK_MAX];
    uintptr_t partial[CP_WALK_MAX];
    char place[256]; /* /proc/self/task/TID/syscall; "": not readable */
    char copy[CP_SLEEPING_STACK_BYTES];
};

/* Walks the stack of a thread of this process. */
enum cp_sleep_result cp_sleeping_stack_walk(struct cp_sleeping_stack *l,
                                            int32_t tid);

/*
 * Completes a CP_SLEEP_PARTIAL walk by the registers that a hook has saved
 * (cp_wait_switches_save_registers). Where there are none and no frame is
 * known, the stack becomes "[asleep, stack not known]" and the thread's start
 * function.
 */
void cp_sleeping_stack_complete(struct cp_sleeping_stack *l,
                                const struct cp_signal_thread *t);

/*
 * Walks the stack of a thread that is in a hooked call, by the registers that
 * the hook has saved. False: it is in none, or has left it meanwhile.
 */
bool cp_sleeping_stack_walk_saved(struct cp_sleeping_stack *l,
                                  const struct cp_signal_thread *t);

/*
 * Where a thread sleeps, without a walk. Returns CP_SLEEP_RUNNING,
 * CP_SLEEP_EXITED, or CP_SLEEP_PARTIAL with *out filled as far as possible.
 */
enum cp_sleep_result
cp_sleeping_stack_read_registers(struct cp_sleep_registers *out, int32_t tid);

/*
 * Walks a stack of this process from these registers on, up to the root. It
 * was that stack if the function that had them has not returned yet.
 */
bool cp_sleeping_stack_walk_from(struct cp_sleeping_stack *l,
                                 const struct cp_signal_regs *regs);

#endif
