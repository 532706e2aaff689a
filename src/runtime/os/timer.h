/*
 * timer - POSIX timers on a thread's CPU clock, by the kernel's own calls.
 *
 * libc's timer_create needs a pthread_t and allocates; the kernel's takes any
 * thread of the process by its id.
 */
#ifndef CP_TIMER_H
#define CP_TIMER_H

#include <stdint.h>
#include <time.h>

/* A timer that signals the thread with `word`; -1: the kernel gives none. */
int cp_timer_create(int32_t tid, int sig, void *word);

/*
 * Arms the timer: it expires when the thread has run for first_ns (at least 1)
 * from now on, and then every period_ns of its CPU time; 0: only once.
 *
 * The first time is relative, never absolute: an absolute one may have passed
 * before the kernel sees it, and then timer_settime sends the signal at once,
 * even if the thread is in the middle of a system call (docs/harmless.md).
 */
void cp_timer_set(int id, uint64_t first_ns, uint64_t period_ns);

void cp_timer_delete(int id);

/* The clock of a thread's CPU time, for clock_gettime. */
clockid_t cp_timer_clock(int32_t tid);

/* Uniform in 1 ... n. */
uint64_t cp_timer_random(uint64_t n);

/* The same for n below 2^32, and evenly spread from one call to the next. */
uint64_t cp_timer_phase(uint64_t n);

#endif
