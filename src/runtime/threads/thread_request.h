/*
 * thread_request - asks a running thread to report its stack or its registers.
 *
 * A plain signal would interrupt the system call of the thread: a write returns
 * short, a wait returns EINTR. A request never does. It is a one-shot timer on
 * the thread's own CPU clock that expires after one more nanosecond of running.
 * The kernel checks such timers at its tick, while the thread runs, and
 * delivers the signal when the thread returns to user mode (docs/harmless.md).
 *
 * A sleeping thread does not reply until it runs again. The requester reads its
 * stack from outside instead (runtime/stacks/sleeping_stack.h).
 *
 * Context: the endpoint thread and the wall-clock sampler; never a handler.
 * Locking: the caller holds the lock of the list of threads (threads.c).
 * Ordering: the request bit is set before the timer is armed, so the handler of
 * the timer's signal sees it. The handler clears all bits, then reports.
 * Failure: false if the kernel has no timer (RLIMIT_SIGPENDING); nothing is
 * pending then.
 */
#ifndef CP_THREAD_REQUEST_H
#define CP_THREAD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

struct cp_signal_thread;

/* Requests `what`, bits of enum cp_thread_request, by the signal `sig`. */
bool cp_thread_request_arm(struct cp_signal_thread *t, int sig, uint32_t what);

/* Deletes the timer of the thread's requests, if there is one. */
void cp_thread_request_end(struct cp_signal_thread *t);

/*
 * Call in the child of a fork: forgets the timer, which the kernel does not
 * copy.
 */
void cp_thread_request_reset_after_fork(struct cp_signal_thread *t);

#endif
