/*
 * unlock - the slow path of the hooks that unlock a lock or wake a waiter.
 *
 * A hook calls these only while a profile or a trace needs the waits; otherwise
 * it jumps to the real function. Both are separate functions, so that a hook
 * needs no stack frame on its fast path.
 *
 * The time that others waited is read before the lock is released, because the
 * waiters leave the list afterwards. The caller's stack is captured after the
 * release, because a longer critical section makes all waiters wait longer.
 *
 * Context: hooks of libc's functions, any thread; not a signal handler of the
 *   library.
 * Locking: none of their own; the caller holds `lock` until `real` returns.
 * Ordering: see signal/waits/waiters.h.
 * Failure: what `real` returns; a failed call is not recorded.
 */
#ifndef CP_HOOKS_UNLOCK_H
#define CP_HOOKS_UNLOCK_H

#include <stdint.h>

/* The real function behind a hook, such as pthread_mutex_unlock. */
typedef int cp_unlock_fn(void *object);

/* Unlocks a lock that has a holder, which is charged for the waits. */
int cp_hook_unlock(void *lock, cp_unlock_fn *real, uintptr_t caller);

/* Wakes waiters of an object without a holder: a condition, a semaphore. */
int cp_hook_wake(void *object, cp_unlock_fn *real, uintptr_t caller);

#endif
