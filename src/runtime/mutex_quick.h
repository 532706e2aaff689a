/*
 * mutex_quick - takes a plain mutex that is free, just as glibc does.
 *
 * While the profiles of locks are on, every mutex is tried before it is waited
 * for, and to do that by a call of libc's trylock costs a nanosecond. A plain
 * mutex that is free takes four stores. They are done here only if a trial has
 * shown that they leave the very bytes that libc leaves, and if nobody stands
 * between us and libc who would want to know (Valgrind's Helgrind and DRD do,
 * and libc's functions have their names all the same); all other mutexes, and
 * every unlock, are libc's.
 */
#ifndef CP_MUTEX_QUICK_H
#define CP_MUTEX_QUICK_H

#include <pthread.h>
#include <stdbool.h>

typedef int cp_mutex_call(pthread_mutex_t *);

/* The thread's id, which its mutexes have as that of their owner; 0: not yet */
extern _Thread_local int cp_mutex_quick_id
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Learns it; also in the child of a fork, which has a new one. */
int cp_mutex_quick_learn(void);

/* May it be done, where these are the functions that hooks go on to? */
bool cp_mutex_quick_is_right(cp_mutex_call *lock, cp_mutex_call *unlock);

/* Neither recursive, nor checked, robust, shared, or of other protocols. */
static inline bool cp_mutex_is_plain(const pthread_mutex_t *m)
{
    return *(const volatile int *)&m->__data.__kind == PTHREAD_MUTEX_NORMAL;
}

/* Takes it, a plain one; false: it is not free. */
static inline bool cp_mutex_quick_take(pthread_mutex_t *m)
{
    int free_word = 0, id = cp_mutex_quick_id;

    if (__builtin_expect(id == 0, 0))
        id = cp_mutex_quick_learn();
    if (!__atomic_compare_exchange_n(&m->__data.__lock, &free_word, 1, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    m->__data.__owner = id;
    m->__data.__nusers++;
    return true;
}

#endif
