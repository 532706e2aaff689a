/*
 * thread_request - asks a running thread to report its stack or its registers.
 *
 * A signal that is sent to a thread ends the system call that the thread is in:
 * a write returns short, a wait returns EINTR. A request never does that. It is
 * a timer on the thread's own CPU clock, which expires as soon as the thread
 * has run a nanosecond more. The kernel looks at such timers when its clock
 * ticks while the thread runs, and sends their signal when the thread returns
 * to user mode. docs/harmless.md has the whole argument.
 *
 * A thread that sleeps does not reply until it runs again. The requester reads
 * its stack from outside instead (sleeping_stack.h).
 *
 * Context: the endpoint thread and the wall-clock sampler; never a handler.
 * Locking: the caller holds the lock of the list of threads (threads.c).
 * Ordering: the request bit is set before the timer is armed, so the handler of
 * the timer's signal sees it. The handler clears all bits, then reports.
 * Failure: false if the kernel has no timer to give; nothing is pending then.
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

/* In the child of a fork, which has none of its parent's timers. */
void cp_thread_request_reset_after_fork(struct cp_signal_thread *t);

#endif
