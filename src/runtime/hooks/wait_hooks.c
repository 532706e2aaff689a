/*
 * wait_hooks.c - hooks of condition variables, semaphores, barriers and joins.
 *
 * The hooks of semaphores and joins try without waiting first, so that only
 * real waits are recorded; condition variables and barriers always wait. A wait
 * on a condition variable unlocks its mutex, so threads that wait for the mutex
 * are charged to that call. A thread may be cancelled in these calls, so the
 * hooks hold nothing across them.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
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

/* The symbol version of glibc's current condition variables. */
#if defined(__x86_64__)
#define COND_VERSION "GLIBC_2.3.2"
#else
#define COND_VERSION NULL
#endif

/* Records the unlock of the mutex by a wait on a condition variable. */
static inline void record_unlock(const void *mutex, uintptr_t caller)
{
    struct cp_unlock_event go;

    if (!cp_waits_are_enabled() || !cp_waits_have_waiters(mutex) ||
        cp_mutex_is_nested(mutex))
        return;
    go = cp_waits_before_unlock(mutex);
    cp_waits_after_unlock(mutex, &go, caller);
}

/* Whether the call failed without waiting. */
static bool is_immediate_error(int status)
{
    return status == EINVAL || status == EDEADLK || status == EPERM ||
           status == ESRCH;
}

/* Returns the result of `call`, and records the wait if waits are recorded. */
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
        if (is_immediate_error(status))                                        \
            cp_wait_abort(&wait);                                              \
        else                                                                   \
            cp_wait_end(&wait, CP_CALLER);                                     \
        return status;                                                         \
    } while (0)

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    CP_REAL_VERSION(pthread_cond_wait, COND_VERSION);
    record_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, real(c, m));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  const struct timespec *t)
{
    CP_REAL_VERSION(pthread_cond_timedwait, COND_VERSION);
    record_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, real(c, m, t));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  clockid_t clock, const struct timespec *t)
{
    CP_REAL(pthread_cond_clockwait);
    record_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, real(c, m, clock, t));
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    CP_REAL(cnd_wait);
    record_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, real(c, m));
}

EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t)
{
    CP_REAL(cnd_timedwait);
    record_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, c, real(c, m, t));
}

/*
 * Hooks of calls that wake waiters: a trace records the call if a thread waits.
 */

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    CP_REAL_VERSION(pthread_cond_signal, COND_VERSION);
    if (!cp_waits_are_enabled())
        return real(c);
    return cp_hook_wake(c, (cp_unlock_fn *)real, CP_CALLER);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    CP_REAL_VERSION(pthread_cond_broadcast, COND_VERSION);
    if (!cp_waits_are_enabled())
        return real(c);
    return cp_hook_wake(c, (cp_unlock_fn *)real, CP_CALLER);
}

EXPORT int cnd_signal(cnd_t *c)
{
    CP_REAL(cnd_signal);
    if (!cp_waits_are_enabled())
        return real(c);
    return cp_hook_wake(c, (cp_unlock_fn *)real, CP_CALLER);
}

EXPORT int cnd_broadcast(cnd_t *c)
{
    CP_REAL(cnd_broadcast);
    if (!cp_waits_are_enabled())
        return real(c);
    return cp_hook_wake(c, (cp_unlock_fn *)real, CP_CALLER);
}

EXPORT int sem_post(sem_t *s)
{
    CP_REAL(sem_post);
    if (!cp_waits_are_enabled())
        return real(s);
    return cp_hook_wake(s, (cp_unlock_fn *)real, CP_CALLER);
}

/*
 * Decrements the semaphore if that is possible without waiting. sem_wait is a
 * cancellation point even if it does not wait.
 */
static bool try_sem(sem_t *s)
{
    int before = errno;

    CP_REAL(sem_trywait);
    if (!cp_waits_are_enabled())
        return false;
    pthread_testcancel();
    if (real(s) == 0)
        return true;
    errno = before;
    return false;
}

EXPORT int sem_wait(sem_t *s)
{
    CP_REAL(sem_wait);
    if (try_sem(s))
        return 0;
    WAIT(CP_WAIT_SEM, s, real(s));
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *t)
{
    CP_REAL(sem_timedwait);
    if (t->tv_nsec < 0 || t->tv_nsec > 999999999)
        return real(s, t);
    if (try_sem(s))
        return 0;
    WAIT(CP_WAIT_SEM, s, real(s, t));
}

EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t)
{
    CP_REAL(sem_clockwait);
    if ((clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) ||
        t->tv_nsec < 0 || t->tv_nsec > 999999999)
        return real(s, clock, t);
    if (try_sem(s))
        return 0;
    WAIT(CP_WAIT_SEM, s, real(s, clock, t));
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    CP_REAL(pthread_barrier_wait);
    WAIT(CP_WAIT_BARRIER, b, real(b));
}

/* Returns EBUSY if the thread has not ended, or waits are not recorded. */
static int try_join(pthread_t thread, void **result)
{
    CP_REAL(pthread_tryjoin_np);
    return cp_waits_are_enabled() ? real(thread, result) : EBUSY;
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    int tried = try_join(thread, result);

    CP_REAL(pthread_join);
    if (tried != EBUSY)
        return tried;
    WAIT(CP_WAIT_JOIN, thread, real(thread, result));
}

/* libc rejects an invalid timeout even if the thread has ended. */
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
    WAIT(CP_WAIT_JOIN, thread, real(thread, result, t));
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **result,
                                clockid_t clock, const struct timespec *t)
{
    int tried = try_timed_join(thread, result, clock, t);

    CP_REAL(pthread_clockjoin_np);
    if (tried != EBUSY)
        return tried;
    WAIT(CP_WAIT_JOIN, thread, real(thread, result, clock, t));
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
    WAIT(CP_WAIT_JOIN, thread, real(thread, result));
}
