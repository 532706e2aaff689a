/*
 * lock_hooks.c - mutexes, read-write locks and spin locks, ours first.
 *
 * A lock is tried before it is waited for. Only "busy" means a wait: every
 * other answer is what the lock itself would have said (an owner that died, a
 * recursion too deep), and a lock that its own holder takes again says so when
 * it is then waited for. So recursive, error-checking, shared and
 * priority-inheriting locks behave as they do without us.
 *
 * Robust mutexes are looked at instead: glibc leaves one that cannot be
 * recovered locked when it is tried.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

#include "runtime/next.h"
#include "signal/capture.h"
#include "signal/locks.h"
#include "signal/syscall.h"

#define EXPORT __attribute__((visibility("default")))
#define STEP __attribute__((noinline))

/* Of a wait for a lock: was it one, or was the lock refused at once? */
static int waited(const struct cp_wait *wait, int status, uintptr_t caller)
{
    if (status == 0 || status == ETIMEDOUT || status == EOWNERDEAD)
        cp_wait_end(wait, caller);
    else
        cp_wait_forget(wait);
    return status;
}

#define NOT_TRIED (-1)

/* Returns what `call` returns; `attempt` is the same without a wait. */
#define LOCK(lock, what, attempt, call)                                        \
    do {                                                                       \
        struct cp_wait wait;                                                   \
        int tried;                                                             \
                                                                               \
        if (!cp_locks_are_on())                                                \
            return call;                                                       \
        tried = (attempt);                                                     \
        if (tried == NOT_TRIED)                                                \
            return call;                                                       \
        if (tried != EBUSY)                                                    \
            return tried;                                                      \
        cp_wait_begin(&wait, what, (const void *)(lock), CP_CALLER);           \
        return waited(&wait, (call), CP_CALLER);                               \
    } while (0)

/* Mutexes. */

#define KIND_ROBUST 16 /* glibc's */

/* Somebody else holds it, and lives. */
static bool is_held(const pthread_mutex_t *m)
{
    unsigned word = *(const volatile unsigned *)&m->__data.__lock;
    unsigned owner = word & FUTEX_TID_MASK;

    return owner && !(word & FUTEX_OWNER_DIED) &&
           owner != (unsigned)CP_SYSCALL(SYS_gettid, 0);
}

static bool is_robust(const pthread_mutex_t *m)
{
    return m->__data.__kind & KIND_ROBUST;
}

static int try_mutex(pthread_mutex_t *m)
{
    CP_NEXT(pthread_mutex_trylock);
    if (is_robust(m))
        return is_held(m) ? EBUSY : NOT_TRIED;
    return next(m);
}

/*
 * The two that programs call most are in three steps, each of which needs no
 * more registers than it has: the profiles are off; nobody disputes the lock;
 * somebody does.
 */
static STEP int wait_for_mutex(pthread_mutex_t *m, uintptr_t caller)
{
    struct cp_wait wait;

    CP_NEXT(pthread_mutex_lock);
    if (!cp_locks_are_on() || (is_robust(m) && !is_held(m)))
        return next(m);
    cp_wait_begin(&wait, CP_WAIT_MUTEX, m, caller);
    return waited(&wait, next(m), caller);
}

static STEP int lock_watched(pthread_mutex_t *m, uintptr_t caller)
{
    int tried;

    CP_NEXT_IF_FOUND(pthread_mutex_trylock);
    if (!next || is_robust(m) || !cp_locks_are_on())
        return wait_for_mutex(m, caller);
    tried = next(m);
    return tried == EBUSY ? wait_for_mutex(m, caller) : tried;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    CP_NEXT_IF_FOUND(pthread_mutex_lock);
    if (__builtin_expect(!next || cp_locks_are_on(), 0))
        return lock_watched(m, CP_CALLER);
    return next(m);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
    CP_NEXT(pthread_mutex_timedlock);
    LOCK(m, CP_WAIT_MUTEX, try_mutex(m), next(m, t));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                   const struct timespec *t)
{
    CP_NEXT(pthread_mutex_clocklock);
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
        return next(m, clock, t); /* which says EINVAL even if it is free */
    LOCK(m, CP_WAIT_MUTEX, try_mutex(m), next(m, clock, t));
}

CP_LOCKS_UNLOCK(pthread_mutex_unlock, pthread_mutex_t)

static STEP int unlock_charged(pthread_mutex_t *m, uintptr_t caller)
{
    CP_NEXT(pthread_mutex_unlock);
    return pthread_mutex_unlock_watched(m, next, caller);
}

static STEP int unlock_watched(pthread_mutex_t *m, uintptr_t caller)
{
    CP_NEXT_IF_FOUND(pthread_mutex_unlock);
    if (!next || cp_locks_have_waiters(m))
        return unlock_charged(m, caller);
    return next(m);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    CP_NEXT_IF_FOUND(pthread_mutex_unlock);
    if (__builtin_expect(!next || cp_locks_are_on(), 0))
        return unlock_watched(m, CP_CALLER);
    return next(m);
}

/* The same in C11's words. */

static int try_mtx(mtx_t *m)
{
    CP_NEXT(mtx_trylock);
    return next(m);
}

static int waited_mtx(const struct cp_wait *wait, int status, uintptr_t caller)
{
    if (status == thrd_success || status == thrd_timedout)
        cp_wait_end(wait, caller);
    else
        cp_wait_forget(wait);
    return status;
}

EXPORT int mtx_lock(mtx_t *m)
{
    struct cp_wait wait;
    int tried;

    CP_NEXT(mtx_lock);
    if (!cp_locks_are_on())
        return next(m);
    tried = try_mtx(m);
    if (tried != thrd_busy)
        return tried;
    cp_wait_begin(&wait, CP_WAIT_MUTEX, m, CP_CALLER);
    return waited_mtx(&wait, next(m), CP_CALLER);
}

EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *t)
{
    struct cp_wait wait;
    int tried;

    CP_NEXT(mtx_timedlock);
    if (!cp_locks_are_on())
        return next(m, t);
    tried = try_mtx(m);
    if (tried != thrd_busy)
        return tried;
    cp_wait_begin(&wait, CP_WAIT_MUTEX, m, CP_CALLER);
    return waited_mtx(&wait, next(m, t), CP_CALLER);
}

CP_LOCKS_UNLOCK(mtx_unlock, mtx_t)

EXPORT int mtx_unlock(mtx_t *m)
{
    CP_NEXT(mtx_unlock);
    if (!cp_locks_are_on())
        return next(m);
    return mtx_unlock_watched(m, next, CP_CALLER);
}

/* Read-write locks. A bad time or clock is refused even if they are free. */

static bool is_good(clockid_t clock, const struct timespec *t)
{
    return (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME) &&
           t->tv_nsec >= 0 && t->tv_nsec <= 999999999;
}

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
    LOCK(l, CP_WAIT_READ, try_read(l), next(l));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l,
                                      const struct timespec *t)
{
    CP_NEXT(pthread_rwlock_timedrdlock);
    if (!is_good(CLOCK_REALTIME, t))
        return next(l, t);
    LOCK(l, CP_WAIT_READ, try_read(l), next(l, t));
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                      const struct timespec *t)
{
    CP_NEXT(pthread_rwlock_clockrdlock);
    if (!is_good(clock, t))
        return next(l, clock, t);
    LOCK(l, CP_WAIT_READ, try_read(l), next(l, clock, t));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    CP_NEXT(pthread_rwlock_wrlock);
    LOCK(l, CP_WAIT_WRITE, try_write(l), next(l));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l,
                                      const struct timespec *t)
{
    CP_NEXT(pthread_rwlock_timedwrlock);
    if (!is_good(CLOCK_REALTIME, t))
        return next(l, t);
    LOCK(l, CP_WAIT_WRITE, try_write(l), next(l, t));
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                      const struct timespec *t)
{
    CP_NEXT(pthread_rwlock_clockwrlock);
    if (!is_good(clock, t))
        return next(l, clock, t);
    LOCK(l, CP_WAIT_WRITE, try_write(l), next(l, clock, t));
}

CP_LOCKS_UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    CP_NEXT(pthread_rwlock_unlock);
    if (!cp_locks_are_on())
        return next(l);
    return pthread_rwlock_unlock_watched(l, next, CP_CALLER);
}

/* Spin locks. */

static int try_spin(pthread_spinlock_t *l)
{
    CP_NEXT(pthread_spin_trylock);
    return next(l);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    CP_NEXT(pthread_spin_lock);
    LOCK(l, CP_WAIT_SPIN, try_spin(l), next(l));
}

CP_LOCKS_UNLOCK(pthread_spin_unlock, pthread_spinlock_t)

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    CP_NEXT(pthread_spin_unlock);
    if (!cp_locks_are_on())
        return next(l);
    return pthread_spin_unlock_watched(l, next, CP_CALLER);
}
