/*
 * api - helpers that the functions of include/cpprof.h share.
 *
 * Context: any thread of the program. Locking: none.
 */
#ifndef CP_API_H
#define CP_API_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define EXPORT __attribute__((visibility("default")))

/* Stores the message for cpprof_error. Returns 0, or -1 for a failure. */
int cp_api_result(enum cp_status status, const struct cp_error *err);

/*
 * Copies a struct of the program, which begins with its size, into one of
 * `size` bytes. The program may be older or newer than the library: missing
 * fields become 0, unknown fields must be 0, and min_size bytes must be
 * present.
 */
enum cp_status cp_api_copy_struct(void *to, size_t size, const void *from,
                                  size_t min_size, struct cp_error *err);

/* In the child of a fork (fork_handlers.c). */
void cp_api_reset_after_fork(void);

#endif
