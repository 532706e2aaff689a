/* pid_name - names that each process has one of its own of: "run/{pid}.sock" */
#ifndef CP_PID_NAME_H
#define CP_PID_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define CP_PID_NAME "{pid}"

/* Copies `from` to `to`, {pid} replaced; false: it is empty or does not fit. */
bool cp_pid_name_expand(const char *from, long pid, char *to, size_t cap);

#endif
