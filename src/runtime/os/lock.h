/*
 * lock - a futex mutex for the library's own data.
 *
 * pthread_mutex is not usable: the library hooks it for the lock profiles, and
 * in the child of a fork it cannot be reset if another thread has held it.
 * Initialize it with { 0 }. It is not recursive.
 *
 * Context: any thread outside signal handlers.
 * Ordering: acquire and release are sequentially consistent.
 * Failure: none.
 */
#ifndef CP_LOCK_H
#define CP_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "signal/unwinder/syscall.h"

struct cp_lock {
    _Atomic int word; /* 0 free, 1 held, 2 held with possible waiters */
};

/* Acquires the lock unless it is held; returns whether it did. */
static inline bool cp_lock_try(struct cp_lock *l)
{
    int free = 0;

    return atomic_compare_exchange_strong(&l->word, &free, 1);
}

static inline void cp_lock_acquire(struct cp_lock *l)
{
    if (cp_lock_try(l))
        return;
    while (atomic_exchange(&l->word, 2) != 0)
        (void)CP_SYSCALL(SYS_futex, (long)&l->word, FUTEX_WAIT_PRIVATE, 2);
}

static inline void cp_lock_release(struct cp_lock *l)
{
    if (atomic_exchange(&l->word, 0) == 2)
        (void)CP_SYSCALL(SYS_futex, (long)&l->word, FUTEX_WAKE_PRIVATE, 1);
}

/* Whether any thread holds the lock; for assertions. */
static inline bool cp_lock_is_held(const struct cp_lock *l)
{
    return atomic_load(&l->word) != 0;
}

/* Resets the lock in the child of a fork, where its holder may not exist. */
static inline void cp_lock_reset(struct cp_lock *l)
{
    atomic_store(&l->word, 0);
}

#endif
