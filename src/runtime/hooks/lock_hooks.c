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
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
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
#include "signal/waits/waiters.h"
#include "signal/waits/waits.h"

#define EXPORT __attribute__((visibility("default")))
#define STEP __attribute__((noinline))

/* Of a wait for a lock: was it one, or was the lock refused at once? */
static int waited(const struct cp_wait *wait, int status, uintptr_t caller)
{
    if (status == 0 || status == ETIMEDOUT || status == EOWNERDEAD)
        cp_wait_end(wait, caller);
    else
        cp_wait_abort(wait);
    return status;
}

#define NOT_TRIED (-1)

/* Returns what `call` returns; `attempt` is the same without a wait. */
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
    CP_REAL(pthread_mutex_trylock);
    if (is_robust(m))
        return is_held(m) ? EBUSY : NOT_TRIED;
    return next(m);
}

/*
 * The two that programs call most go where a pointer says: to libc's while
 * nobody wants to know, so that they cost a jump, and else to the functions
 * below. Each of these has no more to do than what is met most needs.
 */
typedef int mutex_call(pthread_mutex_t *);

static struct {
    mutex_call *_Atomic lock, *_Atomic trylock, *_Atomic unlock;
} libc;

static STEP int wait_for_mutex(pthread_mutex_t *m, uintptr_t caller)
{
    mutex_call *lock = atomic_load_explicit(&libc.lock, memory_order_relaxed);
    struct cp_wait wait;

    cp_save_registers();
    if (!cp_waits_are_enabled() || (is_robust(m) && !is_held(m)))
        return lock(m);
    cp_wait_begin(&wait, CP_WAIT_MUTEX, m, caller);
    return waited(&wait, lock(m), caller);
}

static int lock_watched(pthread_mutex_t *m)
{
    mutex_call *trylock =
        atomic_load_explicit(&libc.trylock, memory_order_relaxed);
    int tried = EBUSY;

    if (__builtin_expect(!is_robust(m), 1))
        tried = trylock(m);
    return __builtin_expect(tried == EBUSY, 0) ? wait_for_mutex(m, CP_CALLER)
                                               : tried;
}

static int unlock_watched(pthread_mutex_t *m)
{
    mutex_call *unlock =
        atomic_load_explicit(&libc.unlock, memory_order_relaxed);

    if (cp_waiters_has_sampled(m) && !cp_mutex_is_nested(m))
        return cp_hook_unlock(m, (cp_unlock_fn *)unlock, CP_CALLER);
    return unlock(m);
}

static int unlock_traced(pthread_mutex_t *m)
{
    mutex_call *unlock =
        atomic_load_explicit(&libc.unlock, memory_order_relaxed);

    if (cp_mutex_is_nested(m))
        return unlock(m);
    return cp_hook_unlock(m, (cp_unlock_fn *)unlock, CP_CALLER);
}

/* Before all is prepared: nothing is watched yet. */

static mutex_call *find_lock(void)
{
    CP_REAL(pthread_mutex_lock);
    return next;
}

static mutex_call *find_unlock(void)
{
    CP_REAL(pthread_mutex_unlock);
    return next;
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
    return next;
}

static struct {
    mutex_call *_Atomic lock, *_Atomic unlock;
} now = { first_lock, first_unlock };

static void choose(void)
{
    mutex_call *lock = atomic_load(&libc.lock);
    mutex_call *unlock = atomic_load(&libc.unlock);

    if (cp_waits_are_enabled())
        lock = lock_watched;
    if (atomic_load(&cp_waits.mutex_fraction))
        unlock = unlock_watched;
    if (atomic_load(&cp_waits.is_traced))
        unlock = unlock_traced;
    atomic_store_explicit(&now.lock, lock, memory_order_release);
    atomic_store_explicit(&now.unlock, unlock, memory_order_release);
}

/* After real_function.c's and before lifecycle.c's. */
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
    return atomic_load_explicit(&now.lock, memory_order_acquire)(m);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    return atomic_load_explicit(&now.unlock, memory_order_acquire)(m);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
    CP_REAL(pthread_mutex_timedlock);
    LOCK(m, CP_WAIT_MUTEX, try_mutex(m), next(m, t));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                   const struct timespec *t)
{
    CP_REAL(pthread_mutex_clocklock);
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
        return next(m, clock, t); /* which says EINVAL even if it is free */
    LOCK(m, CP_WAIT_MUTEX, try_mutex(m), next(m, clock, t));
}

/* The same in C11's words. */

static int try_mtx(mtx_t *m)
{
    CP_REAL(mtx_trylock);
    return next(m);
}

static int waited_mtx(const struct cp_wait *wait, int status, uintptr_t caller)
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

    CP_REAL(mtx_timedlock);
    if (!cp_waits_are_enabled())
        return next(m, t);
    tried = try_mtx(m);
    if (tried != thrd_busy)
        return tried;
    cp_wait_begin(&wait, CP_WAIT_MUTEX, m, CP_CALLER);
    return waited_mtx(&wait, next(m, t), CP_CALLER);
}

EXPORT int mtx_unlock(mtx_t *m)
{
    CP_REAL(mtx_unlock);
    if (!cp_waits_are_enabled() || cp_mutex_is_nested(m))
        return next(m);
    return cp_hook_unlock(m, (cp_unlock_fn *)next, CP_CALLER);
}

/*
 * Read-write locks. A bad time or clock is refused even if they are free. None,
 * which the header forbids and the compiler believes, glibc takes for ever.
 */

static bool is_good(clockid_t clock, const struct timespec *t)
{
    __asm__("" : "+r"(t));
    return t && (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME) &&
           t->tv_nsec >= 0 && t->tv_nsec <= 999999999;
}

static int try_read(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_tryrdlock);
    return next(l);
}

static int try_write(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_trywrlock);
    return next(l);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_rdlock);
    LOCK(l, CP_WAIT_READ, try_read(l), next(l));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l,
                                      const struct timespec *t)
{
    CP_REAL(pthread_rwlock_timedrdlock);
    if (!is_good(CLOCK_REALTIME, t))
        return next(l, t);
    LOCK(l, CP_WAIT_READ, try_read(l), next(l, t));
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                      const struct timespec *t)
{
    CP_REAL(pthread_rwlock_clockrdlock);
    if (!is_good(clock, t))
        return next(l, clock, t);
    LOCK(l, CP_WAIT_READ, try_read(l), next(l, clock, t));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_wrlock);
    LOCK(l, CP_WAIT_WRITE, try_write(l), next(l));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l,
                                      const struct timespec *t)
{
    CP_REAL(pthread_rwlock_timedwrlock);
    if (!is_good(CLOCK_REALTIME, t))
        return next(l, t);
    LOCK(l, CP_WAIT_WRITE, try_write(l), next(l, t));
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                      const struct timespec *t)
{
    CP_REAL(pthread_rwlock_clockwrlock);
    if (!is_good(clock, t))
        return next(l, clock, t);
    LOCK(l, CP_WAIT_WRITE, try_write(l), next(l, clock, t));
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    CP_REAL(pthread_rwlock_unlock);
    if (!cp_waits_are_enabled())
        return next(l);
    return cp_hook_unlock(l, (cp_unlock_fn *)next, CP_CALLER);
}

/* Spin locks. */

static int try_spin(pthread_spinlock_t *l)
{
    CP_REAL(pthread_spin_trylock);
    return next(l);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    CP_REAL(pthread_spin_lock);
    LOCK(l, CP_WAIT_SPIN, try_spin(l), next(l));
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    CP_REAL(pthread_spin_unlock);
    if (!cp_waits_are_enabled())
        return next(l);
    return cp_hook_unlock((void *)(uintptr_t)l, (cp_unlock_fn *)next,
                          CP_CALLER);
}
