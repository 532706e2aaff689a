/*
 * child - runs a program as a filter: bytes in, bytes out.
 *
 * The input lies in an unnamed file before the program starts, and its
 * complaints go to another, so the only stream to serve is its output: no
 * deadlock, and no SIGPIPE when it ends early. Used for dot.
 */
#ifndef CP_CHILD_H
#define CP_CHILD_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/error.h"

struct cp_out;

/*
 * Runs argv (found on PATH) on len bytes and appends what it writes to the
 * memory buffer *out. On failure out is as it was, the program is gone, and
 * the message is "PROGRAM: what it said" in one line; CP_EOTHER means that
 * there is no such program.
 */
enum cp_status cp_child_run(char *const argv[], const char *input, size_t len,
                            struct cp_out *out, struct cp_error *err);

/*
 * The same without input. While it runs *pid is its number, else 0, for
 * another thread that wants to end it.
 */
enum cp_status cp_child_run_known(char *const argv[], atomic_int *pid,
                                  struct cp_out *out, struct cp_error *err);

#endif
