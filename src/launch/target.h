/*
 * target - a running process: may the library be loaded into it, and how?
 *
 * What is known from /proc, before anything is touched. Refusals say why, and
 * what to do instead.
 */
#ifndef CP_TARGET_H
#define CP_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* CP_OK if nothing is in the way of loading that library into it. */
enum cp_status cp_target_check(pid_t pid, const char *library,
                               struct cp_error *err);

/*
 * The address of a function in the object of the process whose file name
 * begins so ("libc.so.6", "libcpprof.so"). CP_EOTHER: no such object.
 */
enum cp_status cp_target_function(pid_t pid, const char *object,
                                  const char *function, uint64_t *out,
                                  struct cp_error *err);

/*
 * Threads of it, best first, by where they wait (tracee.h); returns how many,
 * at most cap.
 */
size_t cp_target_threads(pid_t pid, pid_t *out, size_t cap);

#endif
