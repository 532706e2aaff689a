/*
 * wait_hooks.c - conditions, semaphores, barriers and joins, ours first.
 *
 * A semaphore or a thread is tried first, so that only those who have to wait
 * are counted; a condition or a barrier is always waited for. A wait for a
 * condition gives its mutex up, so whoever waits for that mutex is charged to
 * it first. Cancellation passes through: nothing is held here.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "runtime/hooks/mutex_depth.h"
#include "runtime/hooks/real_function.h"
#include "runtime/hooks/unlock.h"
#include "runtime/os/saved_registers.h"
#include "signal/tables/calls.h"
#include "signal/tables/capture.h"
#include "signal/waits/waits.h"

#define EXPORT __attribute__((visibility("default")))

/* The version of glibc's conditions since they are process-shared. */
#if defined(__x86_64__)
#define COND_VERSION "GLIBC_2.3.2"
#else
#define COND_VERSION NULL
#endif

/* Whoever waits for a condition lets go of its mutex first, once. */
static inline void give_up(const void *mutex, uintptr_t caller)
{
    struct cp_unlock_event go;

    if (!cp_waits_are_enabled() || !cp_waits_have_waiters(mutex) ||
        cp_mutex_is_nested(mutex))
        return;
    go = cp_waits_before_unlock(mutex);
    cp_waits_after_unlock(mutex, &go, caller);
}

/* It was not waited for: there is no such thing, or waiting makes no sense. */
static bool is_refused(int status)
{
    return status == EINVAL || status == EDEADLK || status == EPERM ||
           status == ESRCH;
}

/* Returns what `call` returns, and charges the wait if the profile is on. */
#define WAIT(what, thing, call)                                                \
    do {                                                                       \
        struct cp_wait wait;                                                   \
        int status;                                                            \
                                                                               \
        cp_save_registers();                                                   \
        if (!cp_waits_are_enabled())                                           \
            return call;                                                       \
        cp_wait_begin(&wait, what, (const void *)(thing), CP_CALLER);          \
        status = (call);                                                       \
        if (is_refused(status))                                                \
            cp_wait_abort(&wait);                                              \
        else                                                                   \
            cp_wait_end(&wait, CP_CALLER);                                     \
        return status;                                                         \
    } while (0)

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    CP_REAL_VERSION(pthread_cond_wait, COND_VERSION);
    give_up(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, next(c, m));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  const struct timespec *t)
{
    CP_REAL_VERSION(pthread_cond_timedwait, COND_VERSION);
    give_up(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, next(c, m, t));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  clockid_t clock, const struct timespec *t)
{
    CP_REAL(pthread_cond_clockwait);
    give_up(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, next(c, m, clock, t));
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    CP_REAL(cnd_wait);
    give_up(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, next(c, m));
}

EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t)
{
    CP_REAL(cnd_timedwait);
    give_up(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, next(c, m, t));
}

/* Those who let the waiters go: noted in a trace, if there is somebody. */

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    CP_REAL_VERSION(pthread_cond_signal, COND_VERSION);
    if (!cp_waits_are_enabled())
        return next(c);
    return cp_hook_wake(c, (cp_unlock_fn *)next, CP_CALLER);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    CP_REAL_VERSION(pthread_cond_broadcast, COND_VERSION);
    if (!cp_waits_are_enabled())
        return next(c);
    return cp_hook_wake(c, (cp_unlock_fn *)next, CP_CALLER);
}

EXPORT int cnd_signal(cnd_t *c)
{
    CP_REAL(cnd_signal);
    if (!cp_waits_are_enabled())
        return next(c);
    return cp_hook_wake(c, (cp_unlock_fn *)next, CP_CALLER);
}

EXPORT int cnd_broadcast(cnd_t *c)
{
    CP_REAL(cnd_broadcast);
    if (!cp_waits_are_enabled())
        return next(c);
    return cp_hook_wake(c, (cp_unlock_fn *)next, CP_CALLER);
}

EXPORT int sem_post(sem_t *s)
{
    CP_REAL(sem_post);
    if (!cp_waits_are_enabled())
        return next(s);
    return cp_hook_wake(s, (cp_unlock_fn *)next, CP_CALLER);
}

/*
 * Is it free, and now ours? Waiting for one is where a thread may be cancelled,
 * even if it is free.
 */
static bool take_sem(sem_t *s)
{
    int before = errno;

    CP_REAL(sem_trywait);
    if (!cp_waits_are_enabled())
        return false;
    pthread_testcancel();
    if (next(s) == 0)
        return true;
    errno = before;
    return false;
}

EXPORT int sem_wait(sem_t *s)
{
    CP_REAL(sem_wait);
    if (take_sem(s))
        return 0;
    WAIT(CP_WAIT_SEM, s, next(s));
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *t)
{
    CP_REAL(sem_timedwait);
    if (t->tv_nsec < 0 || t->tv_nsec > 999999999)
        return next(s, t);
    if (take_sem(s))
        return 0;
    WAIT(CP_WAIT_SEM, s, next(s, t));
}

EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t)
{
    CP_REAL(sem_clockwait);
    if ((clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) ||
        t->tv_nsec < 0 || t->tv_nsec > 999999999)
        return next(s, clock, t);
    if (take_sem(s))
        return 0;
    WAIT(CP_WAIT_SEM, s, next(s, clock, t));
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    CP_REAL(pthread_barrier_wait);
    WAIT(CP_WAIT_BARRIER, b, next(b));
}

/* EBUSY: the thread has not ended, or waiting for it was not tried. */
static int try_join(pthread_t thread, void **result)
{
    CP_REAL(pthread_tryjoin_np);
    return cp_waits_are_enabled() ? next(thread, result) : EBUSY;
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    int tried = try_join(thread, result);

    CP_REAL(pthread_join);
    if (tried != EBUSY)
        return tried;
    WAIT(CP_WAIT_JOIN, thread, next(thread, result));
}

/* A bad time or clock is refused even if the thread has ended. */
static int try_timed_join(pthread_t thread, void **result, clockid_t clock,
                          const struct timespec *t)
{
    if ((clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) ||
        (t && (t->tv_nsec < 0 || t->tv_nsec > 999999999)))
        return EBUSY;
    return try_join(thread, result);
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **result,
                                const struct timespec *t)
{
    int tried = try_timed_join(thread, result, CLOCK_REALTIME, t);

    CP_REAL(pthread_timedjoin_np);
    if (tried != EBUSY)
        return tried;
    WAIT(CP_WAIT_JOIN, thread, next(thread, result, t));
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **result,
                                clockid_t clock, const struct timespec *t)
{
    int tried = try_timed_join(thread, result, clock, t);

    CP_REAL(pthread_clockjoin_np);
    if (tried != EBUSY)
        return tried;
    WAIT(CP_WAIT_JOIN, thread, next(thread, result, clock, t));
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    int tried = try_join(thread, &value);

    CP_REAL(thrd_join);
    if (tried == 0 && result)
        *result = (int)(intptr_t)value;
    if (tried == 0)
        return thrd_success;
    WAIT(CP_WAIT_JOIN, thread, next(thread, result));
}
