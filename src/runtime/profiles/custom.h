/*
 * custom - profiles that the program itself defines, as in Go.
 *
 * The program adds a value, whose stack is recorded, and removes it later. The
 * profile shows the stacks of the values that are in it now. It finds leaks of
 * things other than memory: connections, transactions, file handles.
 *
 * Context: any thread outside signal handlers.
 * Locking: each profile has its own lock; a separate lock protects the list.
 * Ordering: a profile is initialized before n_customs publishes it.
 * Failure: CP_EUSAGE for a bad name, a duplicate value or an unknown one;
 * CP_ENOMEM.
 */
#ifndef CP_CUSTOM_H
#define CP_CUSTOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_kind;

#define CP_CUSTOM_MAX_PROFILES 16 /* profiles */

struct cp_custom;

/*
 * Creates a profile that lives as long as the process. Fails if a custom
 * profile of that name exists, or if is_reserved says that the name is that of
 * a built-in one.
 */
enum cp_status cp_custom_new(struct cp_custom **out, const char *name,
                             bool is_reserved, struct cp_error *err);

/* `caller` is CP_CALLER of the function that the program called. */
enum cp_status cp_custom_add(struct cp_custom *c, const void *value,
                             uintptr_t caller, struct cp_error *err);
enum cp_status cp_custom_remove(struct cp_custom *c, const void *value,
                                struct cp_error *err);

/* Returns profile i in the order of creation, or NULL after the last one. */
const struct cp_kind *cp_custom_kind(size_t i);

/*
 * Call in the child of a fork, which keeps the values of the parent. A profile
 * whose lock was held during the fork is emptied.
 */
void cp_custom_reset_after_fork(void);

#endif
