/*
 * atexit_fork_lock - prevents a fork() while a thread holds the lock of glibc's
 * list of exit functions.
 *
 * glibc protects that list by a lock that fork() does not acquire. If another
 * thread holds it during the fork, in dlopen() or dlclose(), the child inherits
 * a locked lock and hangs in exit(). So the hooks of the functions that take it
 * (atexit_hooks.c) enter a shared section here, and fork() waits until every
 * thread has left that section. New threads wait until the fork is over.
 *
 * The library makes the window for this hang wider. In a program that loads
 * libraries all the time, 4 of 300 children hang without the library, 18 with
 * the library but without this lock, and none with both (tests/cli/harm,
 * check_forks).
 *
 * Every wait has a timeout, because either side may hold a lock that the other
 * side needs. After a timeout the program runs as it does without the library.
 * A thread that stays inside (a slow exit function, or one that left by
 * longjmp) is waited for once. A fork that does not end is also waited for only
 * once.
 *
 * Context: any thread, and signal handlers that fork.
 * Locking: none; atomic counters only.
 * Ordering: an entering thread counts itself and then reads the number of
 * forks; a fork counts itself and then reads the number of threads inside. Both
 * use sequential consistency, so at least one of them sees the other.
 * Failure: after a timeout the caller continues without protection.
 */
#ifndef CP_ATEXIT_FORK_LOCK_H
#define CP_ATEXIT_FORK_LOCK_H

#include <stdbool.h>

/* Call it once fork handlers are installed. Before, enter() counts nothing. */
void cp_atexit_fork_lock_enable(void);

/*
 * Enters the section. If it returns true, the caller must call
 * cp_atexit_fork_lock_release.
 */
bool cp_atexit_fork_lock_acquire(void);
void cp_atexit_fork_lock_release(void);

/*
 * Waits until no thread is inside. Returns false if a thread was still inside
 * when the timeout expired.
 */
bool cp_atexit_fork_lock_before_fork(void);
void cp_atexit_fork_lock_after_fork(bool is_child);

#endif
