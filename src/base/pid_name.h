/* pid_name - file names that contain the pid: "run/{pid}.sock" */
#ifndef CP_PID_NAME_H
#define CP_PID_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define CP_PID_NAME "{pid}"

/*
 * Copies `from` to `to` and replaces {pid}; false if the result is empty or
 * does not fit.
 */
bool cp_pid_name_expand(const char *from, long pid, char *to, size_t cap);

#endif
