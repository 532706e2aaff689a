/*
 * atexit_hooks.c - what changes libc's list of exit functions, which a fork
 * should not come upon: see atexit_fork_lock.h.
 *
 * Libraries with static objects call the first when they are loaded, and all
 * call the second when they are unloaded. What the program does in exit itself
 * is libc's own.
 *
 * A sanitizer calls these before we can know who comes next: it has no hooks.
 */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <stdbool.h>

#include "runtime/hooks/real_function.h"
#include "runtime/process/atexit_fork_lock.h"

#define EXPORT __attribute__((visibility("default")))

int __cxa_atexit(void (*run)(void *), void *arg, void *object);
void __cxa_finalize(void *object);

EXPORT int __cxa_atexit(void (*run)(void *), void *arg, void *object)
{
    bool is_inside = cp_atexit_fork_lock_enter();
    int failed;

    CP_REAL(__cxa_atexit);
    failed = next(run, arg, object);
    if (is_inside)
        cp_atexit_fork_lock_exit();
    return failed;
}

EXPORT void __cxa_finalize(void *object)
{
    bool is_inside = cp_atexit_fork_lock_enter();

    CP_REAL(__cxa_finalize);
    next(object);
    if (is_inside)
        cp_atexit_fork_lock_exit();
}

#else
typedef int cp_no_atexit_hooks;
#endif
