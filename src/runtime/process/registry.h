/*
 * registry - writes down that this process serves, for `cpprof list`.
 *
 * base/instance.h says where and how. Nothing depends on it: where the file
 * cannot be written there is none, and nobody is told. It is removed when the
 * endpoint ends and at the program's end; what a killed program leaves behind
 * is recognised by its start time, and removed by the next one of the user.
 */
#ifndef CP_REGISTRY_H
#define CP_REGISTRY_H

#include <stdbool.h>

/*
 * "" for the app id: the program's name. False: it was there already, with the
 * same address; the process has executed another program since.
 */
bool cp_registry_add(const char *address, const char *app_id);
void cp_registry_remove(void);

/* In the child of a fork, which in a pod of its own may have the same pid. */
void cp_registry_reset_after_fork(void);

#endif
