/*
 * timer - POSIX timers on the CPU clock of any thread, by system calls; random
 * numbers for their phases.
 *
 * libc's timer_create needs a pthread_t and allocates memory. The system call
 * accepts the tid of any thread of the process.
 *
 * Context: any thread outside signal handlers. Locking: none.
 * Failure: cp_timer_create returns -1; the other functions cannot fail.
 */
#ifndef CP_TIMER_H
#define CP_TIMER_H

#include <stdint.h>
#include <time.h>

/* Creates a timer that sends `sig` with the value `word` to the thread. */
int cp_timer_create(int32_t tid, int sig, void *word);

/*
 * Arms the timer: it expires when the thread has run for first_ns (at least 1)
 * from now on, and then every period_ns of its CPU time; 0 means once.
 *
 * The first time is relative. An absolute one may have passed when the kernel
 * reads it; timer_settime would then send the signal at once, even if the
 * thread is in the middle of a system call (docs/harmless.md).
 */
void cp_timer_set(int id, uint64_t first_ns, uint64_t period_ns);

void cp_timer_delete(int id);

/* The id of a thread's CPU clock, for clock_gettime. */
clockid_t cp_timer_clock(int32_t tid);

/* A uniform random number from 1 to n. */
uint64_t cp_timer_random(uint64_t n);

/* The same for n below 2^32, with consecutive values evenly spread. */
uint64_t cp_timer_phase(uint64_t n);

#endif
