/*
 * registry - writes a file that tells `cpprof list` about this process.
 *
 * base/instance.h defines its path and format. The file is removed when the
 * endpoint ends and at exit. A killed process leaves it behind; readers compare
 * the start time, and the next process of the user removes it.
 *
 * Context: the thread that starts or ends the endpoint, and exit.
 * Locking: none; one atomic process id.
 * Failure: silent; without the file `cpprof list` does not show the process.
 */
#ifndef CP_REGISTRY_H
#define CP_REGISTRY_H

#include <stdbool.h>

/*
 * Writes the file. An app_id of "" means the name of the program. Returns false
 * if the file existed with the same address, because the process has called
 * exec.
 */
bool cp_registry_add(const char *address, const char *app_id);
void cp_registry_remove(void);

/* In the child of a fork; in a new pid namespace it may have the same pid. */
void cp_registry_reset_after_fork(void);

#endif
