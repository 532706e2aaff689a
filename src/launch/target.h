/*
 * target - checks by /proc whether the library can be loaded into a process,
 * and finds functions and threads in it.
 *
 * Nothing is stopped or changed. Errors say why, and what to do instead.
 */
#ifndef CP_TARGET_H
#define CP_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Returns CP_OK if the process can load that library. */
enum cp_status cp_target_check(pid_t pid, const char *library,
                               struct cp_error *err);

/*
 * Finds the address of a function in the object whose file name begins with
 * `object` ("libc.so.6", "libcpprof.so"). Returns CP_EOTHER if the process has
 * no such object.
 */
enum cp_status cp_target_function(pid_t pid, const char *object,
                                  const char *function, uint64_t *out,
                                  struct cp_error *err);

/*
 * Lists the threads of the process, best candidate for a stop first
 * (cp_tracee_rank). Returns their number, at most cap.
 */
size_t cp_target_threads(pid_t pid, pid_t *out, size_t cap);

#endif
