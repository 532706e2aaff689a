/*
 * custom - profiles that the program itself defines.
 *
 * As in Go: a value is added with the stack of whoever adds it, and removed
 * again; the profile shows where those come from that are there now. For what
 * leaks and is no memory: connections, transactions, file handles.
 */
#ifndef CP_CUSTOM_H
#define CP_CUSTOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_kind;

#define CP_CUSTOM_MAX 16

struct cp_custom;

/*
 * Creates a profile that lives as long as the process. Fails if another custom
 * profile has the name, or if is_reserved says that a built-in one has.
 */
enum cp_status cp_custom_new(struct cp_custom **out, const char *name,
                             bool is_reserved, struct cp_error *err);

/* `caller` is CP_CALLER of the function that the program called. */
enum cp_status cp_custom_add(struct cp_custom *c, const void *value,
                             uintptr_t caller, struct cp_error *err);
enum cp_status cp_custom_remove(struct cp_custom *c, const void *value,
                                struct cp_error *err);

/* The kind of number i, in the order of creation; NULL: there are no more. */
const struct cp_kind *cp_custom_kind(size_t i);

/* In the child of a fork, which keeps what the parent had. */
void cp_custom_after_fork(void);

#endif
