/*
 * stress.h - what the parts of the stress program share.
 *
 * A job is done again and again by a thread of its own, with the number of the
 * round. A job that finds something wrong says so and ends the program.
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

/* Each ends with one that has no name. */
extern struct stress_job stress_jobs[], stress_locks[], stress_faults[];

/* No more rounds are begun. */
extern _Atomic bool stress_is_over;

/* Says it and ends the program. */
_Noreturn void stress_fail(const char *what);

/* Keeps the processor busy for so many steps. */
void stress_work(unsigned n);

/* Blocks of many sizes come and go. */
void stress_allocate(long n);

/* Goes down the stack so many times, and works there. */
unsigned stress_deep(unsigned left);

/* Before the jobs begin. */
void stress_prepare_jobs(void);
void stress_prepare_locks(void);
void stress_prepare_faults(void);

#endif
