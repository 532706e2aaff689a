/*
 * child - runs a program as a filter: bytes in, bytes out.
 *
 * The input is in an unlinked file before the program starts, and its standard
 * error goes to another one. So its output is the only stream to serve: no
 * deadlock, and no SIGPIPE if it exits early. Used for dot.
 */
#ifndef CP_CHILD_H
#define CP_CHILD_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/error.h"

struct cp_out;

/*
 * Runs argv (found on PATH) on len bytes and appends its output to the memory
 * buffer *out. On failure *out is unchanged, the program has exited, and the
 * message is "PROGRAM: its standard error" in one line. CP_EOTHER means that
 * the program does not exist.
 */
enum cp_status cp_child_run(char *const argv[], const char *input, size_t len,
                            struct cp_out *out, struct cp_error *err);

/*
 * Runs a program without input, like cp_child_run. *pid holds the process
 * number while the program runs, and 0 otherwise, so that a different thread
 * can kill it.
 */
enum cp_status cp_child_run_known(char *const argv[], atomic_int *pid,
                                  struct cp_out *out, struct cp_error *err);

#endif
