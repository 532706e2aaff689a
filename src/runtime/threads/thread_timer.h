/*
 * thread_timer - the CPU sampling timer of each thread, and the time it misses.
 *
 * A timer runs on the CPU clock of its thread, which the kernel checks only at
 * its tick. If kernel events are available (perf_sampler.h), the first sample
 * of a new thread comes from an event, because most short threads end before a
 * tick. If the period is shorter than a tick, all samples come from events.
 *
 * When a timer stops, the periods that have passed without a signal are added
 * to the last stack of the thread.
 *
 * Context: any thread outside signal handlers; only threads.c uses it. The
 * handler of the sampled thread runs concurrently.
 * Locking: the caller holds the lock of the thread list.
 * Ordering: cpu_period_ns is stored before the timer is armed, and cleared
 * after it is deleted; the handler ignores signals while it is 0.
 * Failure: if the kernel has no timer, timer_id is CP_NO_TIMER and the time of
 * the thread is added without a stack when the profile ends.
 */
#ifndef CP_THREAD_TIMER_H
#define CP_THREAD_TIMER_H

#include <stdbool.h>
#include <stdint.h>

struct cp_signal_thread;

#define CP_NO_TIMER (-1) /* value of timer_id */

/* Sets the period and signal of all timers that are started from now on. */
void cp_thread_timer_setup(uint64_t period_ns, int sig);

/* Starts the timer of a running thread; stops its old one first. */
void cp_thread_timer_start(struct cp_signal_thread *t);

/* Starts the timer of a new thread, which counts from its first instruction. */
void cp_thread_timer_start_new(struct cp_signal_thread *t);

/* Stops the timer and adds the periods since the last sample. */
void cp_thread_timer_stop(struct cp_signal_thread *t);

/* Stops the timer of a thread that exits. A new thread continues its period. */
void cp_thread_timer_stop_at_exit(struct cp_signal_thread *t);

/* CPU time of a thread since its timer was started; 0 without a timer. */
uint64_t cp_thread_timer_seen_ns(const struct cp_signal_thread *t);

/* Sum of that time over all timers that were stopped. */
uint64_t cp_thread_timer_stopped_ns(void);

/*
 * Call in the child of a fork: drops timers and events, which the kernel does
 * not copy.
 */
void cp_thread_timer_reset_after_fork(struct cp_signal_thread *t);

/* Whether events sample all threads, because the period is below a tick. */
bool cp_thread_timer_uses_only_events(void);

#endif
