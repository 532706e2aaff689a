/*
 * mutex_depth - tests whether an unlock of a recursive mutex releases it.
 *
 * Only the last unlock of a recursive mutex wakes a waiter, so only that one is
 * charged with the wait.
 *
 * Context: the holder of the mutex. Locking: the caller holds the mutex.
 */
#ifndef CP_MUTEX_DEPTH_H
#define CP_MUTEX_DEPTH_H

#include <pthread.h>
#include <stdbool.h>

#define CP_MUTEX_TYPE_MASK 3 /* type bits of glibc's __kind */

/* Whether the mutex (or mtx_t) stays locked after the holder's next unlock. */
static inline bool cp_mutex_is_nested(const void *mutex)
{
    const pthread_mutex_t *m = mutex;

    return (*(const volatile int *)&m->__data.__kind & CP_MUTEX_TYPE_MASK) ==
               PTHREAD_MUTEX_RECURSIVE &&
           *(const volatile unsigned *)&m->__data.__count > 1;
}

#endif
