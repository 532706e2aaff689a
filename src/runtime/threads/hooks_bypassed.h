/*
 * hooks_bypassed - tells whether the program calls the library's hooks.
 *
 * The program calls them if the library was loaded at its start. If `cpprof
 * attach` has loaded the library later, the program's symbols are bound to
 * libc: malloc and pthread_mutex_lock bypass the hooks, and profiles that need
 * them report so.
 *
 * Context: any thread. Locking: none. Failure: none.
 */
#ifndef CP_HOOKS_BYPASSED_H
#define CP_HOOKS_BYPASSED_H

#include <stdbool.h>

/* Sets the test that calls a hooked function; called by the hooks at start. */
void cp_hooks_bypassed_set_test(bool (*is_seen)(void));

/* Runs the test; called after an attach. */
void cp_hooks_bypassed_detect(void);

/* The result of the last test; false before the first. */
bool cp_hooks_are_bypassed(void);

/* Message for users: why a profile that needs hooks is empty. */
#define CP_HOOKS_BYPASSED_REASON                                               \
    "no data: the program was running before cpprof attach loaded the "        \
    "library, "                                                                \
    "so its calls bypass the hooks; start it with cpprof run"

#endif
