/*
 * hooked - does the program call our hooks?
 *
 * It does when the library was there from the start. Loaded into a running
 * program (cpprof attach), nobody finds our malloc or pthread_mutex_lock, and
 * the profiles that need them say so.
 */
#ifndef CP_HOOKED_H
#define CP_HOOKED_H

#include <stdbool.h>

/* Told by the hooks: how to find out. */
void cp_hooked_set_test(bool (*is_seen)(void));

/* Finds out; called when somebody has attached. */
void cp_hooked_look(void);

/* True: the program was running before us and does not see the hooks. */
bool cp_hooked_is_late(void);

/* Why there is nothing to see then. */
#define CP_HOOKED_NOTE                                                         \
    "not seen: the program was running before cpprof attach came; start it "   \
    "with cpprof run"

#endif
