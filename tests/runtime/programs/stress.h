/*
 * stress.h - shared declarations of the stress program.
 *
 * Each job has a thread that calls it repeatedly with the number of the round.
 * A job that finds a fault prints it and ends the program.
 */
#ifndef STRESS_H
#define STRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRESS_IS_SANITIZED 1
#else
#define STRESS_IS_SANITIZED 0
#endif

struct stress_job {
    const char *name;
    void (*run)(long n);
    _Atomic long n;
    pthread_t thread;
};

/* Tables of jobs; each ends with an empty name. */
extern struct stress_job stress_jobs[], stress_locks[], stress_faults[];

/* Set at the end: no new round starts. */
extern _Atomic bool stress_is_over;

/* Prints the fault and ends the program. */
_Noreturn void stress_fail(const char *what);

/* Computes for that many steps. */
void stress_work(unsigned n);

/* Allocates and frees blocks of many sizes. */
void stress_allocate(long n);

/* Recurses that deep and computes there. */
unsigned stress_deep(unsigned left);

/* Called before the jobs start. */
void stress_prepare_jobs(void);
void stress_prepare_locks(void);
void stress_prepare_faults(void);

#endif
