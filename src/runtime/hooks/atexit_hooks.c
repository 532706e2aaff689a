/*
 * atexit_hooks.c - hooks of the functions that lock libc's list of exit
 * functions, so that no fork happens while it is locked (atexit_fork_lock.h).
 *
 * Libraries with static C++ objects call __cxa_atexit when they are loaded;
 * every library calls __cxa_finalize when it is unloaded. exit() itself does
 * not pass through here.
 *
 * Sanitizers call these functions before this library is initialized, so
 * sanitizer builds have no such hooks.
 */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include "runtime/hooks/real_function.h"
#include "runtime/process/atexit_fork_lock.h"

#define EXPORT __attribute__((visibility("default")))

int __cxa_atexit(void (*run)(void *), void *arg, void *object);
void __cxa_finalize(void *object);

EXPORT int __cxa_atexit(void (*run)(void *), void *arg, void *object)
{
    bool has_entered = cp_atexit_fork_lock_acquire();
    int failed;

    CP_REAL(__cxa_atexit);
    failed = real(run, arg, object);
    if (has_entered)
        cp_atexit_fork_lock_release();
    return failed;
}

EXPORT void __cxa_finalize(void *object)
{
    bool has_entered = cp_atexit_fork_lock_acquire();

    CP_REAL(__cxa_finalize);
    real(object);
    if (has_entered)
        cp_atexit_fork_lock_release();
}

#else
typedef int cp_no_atexit_hooks;
#endif
