/*
 * hooked - does the program call our hooks?
 *
 * It does when the library was there from the start. Loaded into a running
 * program (cpprof attach), nobody finds our malloc or pthread_mutex_lock, and
 * the profiles that need them say so.
 */
#ifndef CP_HOOKS_BYPASSED_H
#define CP_HOOKS_BYPASSED_H

#include <stdbool.h>

/* Told by the hooks: how to find out. */
void cp_hooks_bypassed_set_test(bool (*is_seen)(void));

/* Finds out; called when somebody has attached. */
void cp_hooks_bypassed_detect(void);

/* True: the program was running before us and does not see the hooks. */
bool cp_hooks_are_bypassed(void);

/* Why there is nothing to see then. */
#define CP_HOOKS_BYPASSED_REASON                                               \
    "not seen: the program was running before cpprof attach came; start it "   \
    "with cpprof run"

#endif
