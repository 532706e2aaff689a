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

/* Every period_ns of CPU time, first when the thread's clock is first_ns. */
void cp_timer_set(int id, uint64_t first_ns, uint64_t period_ns);

void cp_timer_delete(int id);

/*
 * Sends the signal now, as if a timer had: if the thread calls exec before it
 * is delivered, the kernel throws those away, whereas any other would kill the
 * new program.
 */
void cp_timer_send(int32_t tid, int sig, void *word);

/* The clock of a thread's CPU time, for clock_gettime. */
clockid_t cp_timer_clock(int32_t tid);

/* Uniform in 1 ... n. */
uint64_t cp_timer_random(uint64_t n);

/* The same for n below 2^32, and evenly spread from one call to the next. */
uint64_t cp_timer_phase(uint64_t n);

#endif
