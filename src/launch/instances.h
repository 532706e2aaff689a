/*
 * instances - lists the processes of this machine that serve profiles.
 *
 * Reads the registry files (base/instance.h), removes those of dead processes,
 * and returns the processes that accept connections. Root sees the processes of
 * all users.
 *
 * Context: one thread of the tool; waits up to 1 s for connections.
 */
#ifndef CP_INSTANCES_H
#define CP_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct cp_instance;

struct cp_instances {
    struct cp_instance *items; /* sorted by time of registration */
    size_t n, cap;
};

enum cp_status cp_instances_find(struct cp_instances *out,
                                 struct cp_error *err);
void cp_instances_release(struct cp_instances *list);

/* Finds the process with that id. Returns false if it does not serve. */
bool cp_instances_of_pid(pid_t pid, struct cp_instance *out);

#endif
