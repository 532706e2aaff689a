/*
 * instances - the programs that serve profiles on this machine.
 *
 * As they have written it down (base/instance.h). Only those are given that
 * are alive and answer; what the dead have left behind is removed. Root sees
 * those of all users.
 */
#ifndef CP_INSTANCES_H
#define CP_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct cp_instance;

struct cp_instances {
    struct cp_instance *items; /* by the time they began to serve */
    size_t n, cap;
};

enum cp_status cp_instances_find(struct cp_instances *out,
                                 struct cp_error *err);
void cp_instances_release(struct cp_instances *list);

/* The one with that process number; false: there is none. */
bool cp_instances_of_pid(pid_t pid, struct cp_instance *out);

#endif
