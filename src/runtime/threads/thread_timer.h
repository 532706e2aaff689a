/*
 * thread_timer - the CPU timer of a thread, and what it could not see.
 *
 * The records are those of runtime/threads/threads.h, which calls all of this
 * under its lock. Timers are on the thread's CPU clock, which the kernel looks
 * at when it ticks. Where it has events for us (runtime/threads/perf_sampler.h)
 * the first sample of a thread that has just begun comes from one, because most
 * such threads end before a tick; and all samples if the period is shorter than
 * a tick.
 */
#ifndef CP_THREAD_TIMER_H
#define CP_THREAD_TIMER_H

#include <stdbool.h>
#include <stdint.h>

struct cp_signal_thread;

#define CP_NO_TIMER (-1) /* in a record's timer_id */

/* The period and signal of all timers that are started from now on. */
void cp_thread_timer_setup(uint64_t period_ns, int sig);

/* From now on; one that it had is stopped before. */
void cp_thread_timer_start(struct cp_signal_thread *t);

/* The same for a thread that has just begun, for all of its life. */
void cp_thread_timer_start_new(struct cp_signal_thread *t);

/* Accounts for what the thread has used since its last sample. */
void cp_thread_timer_stop(struct cp_signal_thread *t);

/* The same of one that ends: the next to begin goes on with its period. */
void cp_thread_timer_stop_at_exit(struct cp_signal_thread *t);

/* The CPU time of a thread since its timer began; 0: it has none. */
uint64_t cp_thread_timer_seen_ns(const struct cp_signal_thread *t);

/* The same of all timers that have been stopped. */
uint64_t cp_thread_timer_stopped_ns(void);

/* In the child of a fork, where the timers of the parent are not. */
void cp_thread_timer_reset_after_fork(struct cp_signal_thread *t);

/* Are all threads sampled by events, at a rate above the kernel's tick? */
bool cp_thread_timer_uses_only_events(void);

#endif
