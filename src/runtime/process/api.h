/* api - what the functions of include/cpprof.h have in common. */
#ifndef CP_API_H
#define CP_API_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define EXPORT __attribute__((visibility("default")))

/* Keeps the message for cpprof_error; gives 0, or -1 for a failure. */
int cp_api_result(enum cp_status status, const struct cp_error *err);

/*
 * Copies a struct of the program's, which begins with its size, into one of
 * ours of `size` bytes, at least `least` of which it must have. What an older
 * program does not know is 0; what a newer one knows and we do not must be.
 */
enum cp_status cp_api_take(void *to, size_t size, const void *from,
                           size_t least, struct cp_error *err);

/* In the child of a fork. */
void cp_api_reset_after_fork(void);

#endif
