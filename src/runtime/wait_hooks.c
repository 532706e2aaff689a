/*
 * wait_hooks.c - conditions, semaphores, barriers and joins, ours first.
 *
 * These always wait, or may; a wait that was none (a semaphore that was free,
 * a thread that had ended) is not asked for twice, but is too short to matter.
 * A wait for a condition gives its mutex up, so whoever waits for that mutex
 * is charged to it first. Cancellation passes through: nothing is held here.
 */
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "runtime/next.h"
#include "signal/capture.h"
#include "signal/locks.h"

#define EXPORT __attribute__((visibility("default")))

/* The version of glibc's conditions since they are process-shared. */
#if defined(__x86_64__)
#define COND_VERSION "GLIBC_2.3.2"
#else
#define COND_VERSION NULL
#endif

/* Returns what `call` returns, and charges the wait if the profile is on. */
#define WAIT(what, call)                                                       \
    do {                                                                       \
        struct cp_wait wait;                                                   \
        int status;                                                            \
                                                                               \
        if (!cp_locks_are_on())                                                \
            return call;                                                       \
        wait = cp_wait_begin(NULL);                                            \
        status = (call);                                                       \
        cp_wait_end(wait, what, CP_CALLER);                                    \
        return status;                                                         \
    } while (0)

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    CP_NEXT_VERSION(pthread_cond_wait, COND_VERSION);
    cp_locks_before_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, next(c, m));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  const struct timespec *t)
{
    CP_NEXT_VERSION(pthread_cond_timedwait, COND_VERSION);
    cp_locks_before_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, next(c, m, t));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  clockid_t clock, const struct timespec *t)
{
    CP_NEXT(pthread_cond_clockwait);
    cp_locks_before_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, next(c, m, clock, t));
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    CP_NEXT(cnd_wait);
    cp_locks_before_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, next(c, m));
}

EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t)
{
    CP_NEXT(cnd_timedwait);
    cp_locks_before_unlock(m, CP_CALLER);
    WAIT(CP_WAIT_COND, next(c, m, t));
}

EXPORT int sem_wait(sem_t *s)
{
    CP_NEXT(sem_wait);
    WAIT(CP_WAIT_SEM, next(s));
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *t)
{
    CP_NEXT(sem_timedwait);
    WAIT(CP_WAIT_SEM, next(s, t));
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    CP_NEXT(pthread_barrier_wait);
    WAIT(CP_WAIT_BARRIER, next(b));
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    CP_NEXT(pthread_join);
    WAIT(CP_WAIT_JOIN, next(thread, result));
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
    CP_NEXT(thrd_join);
    WAIT(CP_WAIT_JOIN, next(thread, result));
}
