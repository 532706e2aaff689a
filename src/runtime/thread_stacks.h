/*
 * thread_stacks - the stacks of all threads, now.
 *
 * A thread that sleeps is not woken for it (still.h); one that runs is asked by
 * a signal to walk its own stack, which is all that it is kept from its work.
 * One that cannot be asked, or does not answer in time, has no frames: there
 * is what the kernel says of it.
 */
#ifndef CP_THREAD_STACKS_H
#define CP_THREAD_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/thread_state.h"

struct cp_thread_stack {
    int32_t tid;
    uint32_t labels; /* its set of labels */
    uint64_t cpu_ns;
    struct cp_thread_state state;
    size_t first, n; /* of frames, leaf first; n 0: there are none */

    /* For the taker. */
    uint32_t number;
    uint64_t answer; /* the answer that is awaited; 0: none */
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
