/*
 * mutex_depth - of mutexes that their holder has locked several times.
 *
 * The unlocks of a recursive mutex but the last one let nobody go: who waits is
 * charged to the last, and none of the others counts.
 */
#ifndef CP_MUTEX_DEPTH_H
#define CP_MUTEX_DEPTH_H

#include <pthread.h>
#include <stdbool.h>

#define CP_MUTEX_TYPE_MASK 3 /* of glibc's kind; the rest are protocols */

/* Does the next unlock by its holder leave it locked? A mtx_t is one, too. */
static inline bool cp_mutex_is_nested(const void *mutex)
{
    const pthread_mutex_t *m = mutex;

    return (*(const volatile int *)&m->__data.__kind & CP_MUTEX_TYPE_MASK) ==
               PTHREAD_MUTEX_RECURSIVE &&
           *(const volatile unsigned *)&m->__data.__count > 1;
}

#endif
