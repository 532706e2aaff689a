/*
 * lock_hooks.c - hooks of mutexes, read-write locks and spin locks.
 *
 * A hook calls trylock first; only EBUSY means that the thread has to wait.
 * Every other result (EOWNERDEAD, EAGAIN) is the one that lock would return
 * too. If the thread itself holds the lock, the following lock call reports
 * that. So recursive, error-checking, shared and priority-inheriting locks
 * behave as they do without the library.
 *
 * The hooks do not call trylock on a robust mutex, because glibc's trylock
 * leaves an unrecoverable mutex locked. They read its owner instead.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/hooks/mutex_depth.h"
#include "runtime/hooks/real_function.h"
#include "runtime/hooks/unlock.h"
#include "runtime/os/saved_registers.h"
#include "signal/tables/calls.h"
#include "signal/tables/capture.h"
#include "signal/unwinder/syscall.h"
#include "signal/waits/waits.h"

#define EXPORT __attribute__((visibility("default")))
#define SLOW_PATH __attribute__((noinline))

/* Records the wait, unless the lock failed at once with an error. */
static int end_wait(const struct cp_wait *wait, int status, uintptr_t caller)
{
    if (status == 0 || status == ETIMEDOUT || status == EOWNERDEAD)
        cp_wait_end(wait, caller);
    else
        cp_wait_abort(wait);
    return status;
}

#define NOT_TRIED (-1)

/* Returns the result of `call`; `attempt` is its trylock. */
#define LOCK(lock, what, attempt, call)                                        \
    do {                                                                       \
        struct cp_wait wait;                                                   \
        int tried;                                                             \
                                                                               \
        if (!cp_waits_are_enabled())                                           \
            return call;                                                       \
        tried = (attempt);                                                     \
        if (tried == NOT_TRIED)                                                \
            return call;                                                       \
        if (tried != EBUSY)                                                    \
            return tried;                                                      \
        cp_wait_begin(&wait, what, (const void *)(lock), CP_CALLER);           \
        return end_wait(&wait, (call), CP_CALLER);                             \
    } while (0)

/* ---- mutexes ---- */

#define KIND_ROBUST 16 /* bit of glibc's __kind */

/* Whether a different, live thread holds the mutex. */
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
    CP_REAL(pthread_mutex_trylock);
    if (is_robust(m))
        return is_held(m) ? EBUSY : NOT_TRIED;
    return real(m);
}

/*
 * The hooks of lock and unlock, which programs call most, are an indirect jump:
 * to libc's function while no profile needs them, else to a function below.
 * choose() sets the pointers when a profile is switched on or off.
 */
typedef int mutex_call(pthread_mutex_t *);

static struct {
    mutex_call *_Atomic lock, *_Atomic trylock, *_Atomic unlock;
} libc;

static SLOW_PATH int wait_for_mutex(pthread_mutex_t *m, uintptr_t caller)
{
    mutex_call *lock = atomic_load_explicit(&libc.lock, memory_order_relaxed);
    struct cp_wait wait;

    cp_save_registers();
    if (!cp_waits_are_enabled() || (is_robust(m) && !is_held(m)))
        return lock(m);
    cp_wait_begin(&wait, CP_WAIT_MUTEX, m, caller);
    return end_wait(&wait, lock(m), caller);
}

static int lock_recorded(pthread_mutex_t *m)
{
    mutex_call *trylock =
        atomic_load_explicit(&libc.trylock, memory_order_relaxed);
    int tried = EBUSY;

    if (__builtin_expect(!is_robust(m), 1))
        tried = trylock(m);
    return __builtin_expect(tried == EBUSY, 0) ? wait_for_mutex(m, CP_CALLER)
                                               : tried;
}

/* For the mutex profile: only waits that are sampled matter. */
static int unlock_sampled(pthread_mutex_t *m)
{
    mutex_call *unlock =
        atomic_load_explicit(&libc.unlock, memory_order_relaxed);

    if (cp_waiters_has_sampled(m) && !cp_mutex_is_nested(m))
        return cp_hook_unlock(m, (cp_unlock_fn *)unlock, CP_CALLER);
    return unlock(m);
}

/* For a trace: every unlock with a waiter is recorded. */
static int unlock_traced(pthread_mutex_t *m)
{
    mutex_call *unlock =
        atomic_load_explicit(&libc.unlock, memory_order_relaxed);

    if (cp_mutex_is_nested(m))
        return unlock(m);
    return cp_hook_unlock(m, (cp_unlock_fn *)unlock, CP_CALLER);
}

/* The pointers until the constructor runs: they find libc's function. */

static mutex_call *find_lock(void)
{
    CP_REAL(pthread_mutex_lock);
    return real;
}

static mutex_call *find_unlock(void)
{
    CP_REAL(pthread_mutex_unlock);
    return real;
}

static int first_lock(pthread_mutex_t *m)
{
    return find_lock()(m);
}

static int first_unlock(pthread_mutex_t *m)
{
    return find_unlock()(m);
}

static mutex_call *find_trylock(void)
{
    CP_REAL(pthread_mutex_trylock);
    return real;
}

static struct {
    mutex_call *_Atomic lock, *_Atomic unlock;
} current = { first_lock, first_unlock };

static void choose(void)
{
    mutex_call *lock = atomic_load(&libc.lock);
    mutex_call *unlock = atomic_load(&libc.unlock);

    if (cp_waits_are_enabled())
        lock = lock_recorded;
    if (atomic_load(&cp_waits.mutex_fraction))
        unlock = unlock_sampled;
    if (atomic_load(&cp_waits.is_traced))
        unlock = unlock_traced;
    atomic_store_explicit(&current.lock, lock, memory_order_release);
    atomic_store_explicit(&current.unlock, unlock, memory_order_release);
}

/* Runs after the constructor of real_function.c, before lifecycle.c's. */
__attribute__((constructor(102))) static void prepare(void)
{
    atomic_store(&libc.lock, find_lock());
    atomic_store(&libc.trylock, find_trylock());
    atomic_store(&libc.unlock, find_unlock());
    cp_waits.on_change = choose;
    choose();
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    return atomic_load_explicit(&current.lock, memory_order_acquire)(m);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    return atomic_load_explicit(&current.unlock, memory_order_acquire)(m);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
    CP_REAL(pthread_mutex_timedlock);
    LOCK(m, CP_WAIT_MUTEX, try_mutex(m), real(m, t));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                   const struct timespec *t)
{
    CP_REAL(pthread_mutex_clocklock);
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
        return real(m, clock, t); /* returns EINVAL even if it is free */
    LOCK(m, CP_WAIT_MUTEX, try_mutex(m), real(m, clock, t));
}

/* ---- C11 mutexes ---- */

static int try_mtx(mtx_t *m)
{
    CP_REAL(mtx_trylock);
    return real(m);
}

static int end_mtx_wait(const struct cp_wait *wait, int status,
                        uintptr_t caller)
{
    if (status == thrd_success || status == thrd_timedout)
        cp_wait_end(wait, caller);
    else
        cp_wait_abort(wait);
    return status;
}

EXPORT int mtx_lock(mtx_t *m)
{
    struct cp_wait wait;
    int tried;

    CP_REAL(mtx_lock);
    if (!cp_waits_are_enabled())
        return real(m);
    tried = try_mtx(m);
    if (tried != thrd_busy)
        return tried;
    cp_wait_begin(&wait, CP_WAIT_MUTEX, m, CP_CALLER);
    return end_mtx_wait(&wait, real(m), CP_CALLER);
}

EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *t)
{
    struct cp_wait wait;
    int tried;

    CP_REAL(mtx_timedlock);
    if (!cp_waits_are_enabled())
        return real(m, t);
    tried = try_mtx(m);
    if (tried != thrd_busy)
        return tried;
    cp_wait_begin(&wait, CP_WAIT_MUTEX, m, CP_CALLER);
    return end_mtx_wait(&wait, real(m, t), CP_CALLER);
}

EXPORT int mtx_unlock(mtx_t *m)
{
    CP_REAL(mtx_unlock);
    if (!cp_waits_are_enabled() || cp_mutex_is_nested(m))
        return real(m);
    return cp_hook_unlock(m, (cp_unlock_fn *)real, CP_CALLER);
}

/* ---- read-write locks ---- */

/*
 * Whether the timeout is valid. libc rejects an invalid one even if the lock is
 * free, so the hook must not call trylock then. glibc accepts NULL as no
 * timeout. The header declares t nonnull; the asm keeps the compiler from
 * removing the check.
 */
static bool is_valid_timeout(clockid_t clock, const struct timespec *t)
{
    __asm__("" : "+r"(t));
    return t && (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME) &&
           t->tv_nsec >= 0 && t->tv_nsec <= 999999999;
}

static int try_read(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_tryrdlock);
    return real(l);
}

static int try_write(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_trywrlock);
    return real(l);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_rdlock);
    LOCK(l, CP_WAIT_READ, try_read(l), real(l));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l,
                                      const struct timespec *t)
{
    CP_REAL(pthread_rwlock_timedrdlock);
    if (!is_valid_timeout(CLOCK_REALTIME, t))
        return real(l, t);
    LOCK(l, CP_WAIT_READ, try_read(l), real(l, t));
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                      const struct timespec *t)
{
    CP_REAL(pthread_rwlock_clockrdlock);
    if (!is_valid_timeout(clock, t))
        return real(l, clock, t);
    LOCK(l, CP_WAIT_READ, try_read(l), real(l, clock, t));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_wrlock);
    LOCK(l, CP_WAIT_WRITE, try_write(l), real(l));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l,
                                      const struct timespec *t)
{
    CP_REAL(pthread_rwlock_timedwrlock);
    if (!is_valid_timeout(CLOCK_REALTIME, t))
        return real(l, t);
    LOCK(l, CP_WAIT_WRITE, try_write(l), real(l, t));
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                      const struct timespec *t)
{
    CP_REAL(pthread_rwlock_clockwrlock);
    if (!is_valid_timeout(clock, t))
        return real(l, clock, t);
    LOCK(l, CP_WAIT_WRITE, try_write(l), real(l, clock, t));
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_unlock);
    if (!cp_waits_are_enabled())
        return real(l);
    return cp_hook_unlock(l, (cp_unlock_fn *)real, CP_CALLER);
}

/* ---- spin locks ---- */

static int try_spin(pthread_spinlock_t *l)
{
    CP_REAL(pthread_spin_trylock);
    return real(l);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    CP_REAL(pthread_spin_lock);
    LOCK(l, CP_WAIT_SPIN, try_spin(l), real(l));
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    CP_REAL(pthread_spin_unlock);
    if (!cp_waits_are_enabled())
        return real(l);
    return cp_hook_unlock((void *)(uintptr_t)l, (cp_unlock_fn *)real,
                          CP_CALLER);
}
