/*
 * thread_stacks - the stacks of all threads, now.
 *
 * The stack of a sleeping thread is read from outside (sleeping_stack.h). A
 * running thread is requested to walk its own stack (thread_request.h). A
 * thread that blocks the signal, or does not reply in time, has no frames: the
 * list gives its kernel state.
 */
#ifndef CP_THREAD_STACKS_H
#define CP_THREAD_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/threads/thread_state.h"

struct cp_thread_stack {
    int32_t tid;
    uint32_t labels; /* its set of labels */
    uint64_t cpu_ns;
    struct cp_thread_state state;
    size_t first, n; /* of frames, leaf first; n 0: there are none */

    /* For the taker. */
    uint32_t number;
    uint64_t reply; /* the reply that is awaited; 0: none */
};

struct cp_thread_stacks {
    struct cp_thread_stack *threads;
    size_t n_threads, cap_threads;
    uintptr_t *frames;
    size_t n_frames, cap_frames;
};

/* Starts with { 0 }; to be released whatever the outcome. */
enum cp_status cp_thread_stacks_take(struct cp_thread_stacks *s,
                                     struct cp_error *err);
void cp_thread_stacks_release(struct cp_thread_stacks *s);

/* In the child of a fork: nobody is taking any. */
void cp_thread_stacks_after_fork(void);

#endif
