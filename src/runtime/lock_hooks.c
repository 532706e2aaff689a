/*
 * lock_hooks.c - mutexes, read-write locks and spin locks, ours first.
 *
 * A lock is tried before it is waited for. Only "busy" means a wait: every
 * other answer is what the lock itself would have said (an owner that died, a
 * recursion too deep), and a lock that its own holder takes again says so when
 * it is then waited for. So robust, recursive, error-checking, shared and
 * priority-inheriting locks behave as they do without us.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "runtime/next.h"
#include "signal/capture.h"
#include "signal/locks.h"

#define EXPORT __attribute__((visibility("default")))

/* Waits by `call`, and charges the wait. */
#define WAIT(lock, what, call)                                                 \
    do {                                                                       \
        struct cp_wait wait = cp_wait_begin(lock);                             \
        int status = (call);                                                   \
                                                                               \
        cp_wait_end(wait, what, CP_CALLER);                                    \
        return status;                                                         \
    } while (0)

/* Mutexes. */

static int try_mutex(pthread_mutex_t *m)
{
    CP_NEXT(pthread_mutex_trylock);
    return next(m);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    CP_NEXT(pthread_mutex_lock);
    if (cp_locks_are_on()) {
        int tried = try_mutex(m);

        if (tried != EBUSY)
            return tried;
        WAIT(m, CP_WAIT_MUTEX, next(m));
    }
    return next(m);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
    CP_NEXT(pthread_mutex_timedlock);
    if (cp_locks_are_on()) {
        int tried = try_mutex(m);

        if (tried != EBUSY)
            return tried;
        WAIT(m, CP_WAIT_MUTEX, next(m, t));
    }
    return next(m, t);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                   const struct timespec *t)
{
    CP_NEXT(pthread_mutex_clocklock);
    if (cp_locks_are_on()) {
        int tried = try_mutex(m);

        if (tried != EBUSY)
            return tried;
        WAIT(m, CP_WAIT_MUTEX, next(m, clock, t));
    }
    return next(m, clock, t);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    CP_NEXT(pthread_mutex_unlock);
    cp_locks_before_unlock(m, CP_CALLER);
    return next(m);
}

static int try_mtx(mtx_t *m)
{
    CP_NEXT(mtx_trylock);
    return next(m);
}

EXPORT int mtx_lock(mtx_t *m)
{
    CP_NEXT(mtx_lock);
    if (cp_locks_are_on()) {
        int tried = try_mtx(m);

        if (tried != thrd_busy)
            return tried;
        WAIT(m, CP_WAIT_MUTEX, next(m));
    }
    return next(m);
}

EXPORT int mtx_unlock(mtx_t *m)
{
    CP_NEXT(mtx_unlock);
    cp_locks_before_unlock(m, CP_CALLER);
    return next(m);
}

/* Read-write locks. */

static int try_read(pthread_rwlock_t *l)
{
    CP_NEXT(pthread_rwlock_tryrdlock);
    return next(l);
}

static int try_write(pthread_rwlock_t *l)
{
    CP_NEXT(pthread_rwlock_trywrlock);
    return next(l);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    CP_NEXT(pthread_rwlock_rdlock);
    if (cp_locks_are_on()) {
        int tried = try_read(l);

        if (tried != EBUSY)
            return tried;
        WAIT(l, CP_WAIT_READ, next(l));
    }
    return next(l);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l,
                                      const struct timespec *t)
{
    CP_NEXT(pthread_rwlock_timedrdlock);
    if (cp_locks_are_on()) {
        int tried = try_read(l);

        if (tried != EBUSY)
            return tried;
        WAIT(l, CP_WAIT_READ, next(l, t));
    }
    return next(l, t);
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    CP_NEXT(pthread_rwlock_wrlock);
    if (cp_locks_are_on()) {
        int tried = try_write(l);

        if (tried != EBUSY)
            return tried;
        WAIT(l, CP_WAIT_WRITE, next(l));
    }
    return next(l);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l,
                                      const struct timespec *t)
{
    CP_NEXT(pthread_rwlock_timedwrlock);
    if (cp_locks_are_on()) {
        int tried = try_write(l);

        if (tried != EBUSY)
            return tried;
        WAIT(l, CP_WAIT_WRITE, next(l, t));
    }
    return next(l, t);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    CP_NEXT(pthread_rwlock_unlock);
    cp_locks_before_unlock(l, CP_CALLER);
    return next(l);
}

/* Spin locks. */

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    CP_NEXT(pthread_spin_lock);
    if (cp_locks_are_on()) {
        int tried = pthread_spin_trylock(l);

        if (tried != EBUSY)
            return tried;
        WAIT((const void *)l, CP_WAIT_SPIN, next(l));
    }
    return next(l);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    CP_NEXT(pthread_spin_unlock);
    cp_locks_before_unlock((const void *)l, CP_CALLER);
    return next(l);
}
