/*
 * thread_stacks - collects the stacks of all threads, now.
 *
 * The stack of a sleeping thread is read from outside (sleeping_stack.h). A
 * running thread gets a request to walk its own stack (thread_request.h). A
 * thread that blocks the signal, or does not reply within 200 ms, has no
 * frames; the list gives its kernel state.
 *
 * Context: the endpoint thread. Locking: takes cp_refresh_lock.
 * Ordering: a thread's increment of stack_replies publishes stack_slot.
 * Failure: CP_ENOMEM, or an error of the sampler.
 */
#ifndef CP_THREAD_STACKS_H
#define CP_THREAD_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/threads/thread_state.h"

struct cp_thread_stack {
    int32_t tid;
    uint32_t labels; /* label set (runtime/threads/labels.h) */
    uint64_t cpu_ns;
    struct cp_thread_state state;
    size_t first; /* index of the leaf in cp_thread_stacks.frames */
    size_t n;     /* frames; 0 if the stack is unknown */

    /* Private to thread_stacks.c: */
    uint32_t number; /* index of the thread's record */
    uint64_t reply;  /* number of the awaited reply; 0 if none */
};

/* Initialize it with { 0 }. */
struct cp_thread_stacks {
    struct cp_thread_stack *threads;
    size_t n_threads, cap_threads;
    uintptr_t *frames; /* frames of all threads */
    size_t n_frames, cap_frames;
};

/* Collects the stacks. Call cp_thread_stacks_release even after a failure. */
enum cp_status cp_thread_stacks_collect(struct cp_thread_stacks *s,
                                        struct cp_error *err);
void cp_thread_stacks_release(struct cp_thread_stacks *s);

/* Call in the child of a fork: ends a collection of the parent. */
void cp_thread_stacks_reset_after_fork(void);

#endif
