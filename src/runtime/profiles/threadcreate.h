/*
 * threadcreate - the profile of the stacks that have created threads since the
 * process start. The hook of pthread_create (hooks/interpose.c) records them.
 *
 * Context: cp_threadcreate_record in any thread; the others at process start or
 * in the endpoint thread. Locking: none. Ordering: the table is mapped before
 * is_on is set. Failure: CP_ENOMEM; a stack that does not fit is lost.
 */
#ifndef CP_THREADCREATE_H
#define CP_THREADCREATE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/kind/kind.h"

extern const struct cp_kind cp_threadcreate_kind;

/*
 * Starts recording. Stacks are complete only after the code map is published
 * (cp_refresh_acquire_for_hooks).
 */
enum cp_status cp_threadcreate_start(struct cp_error *err);

/* Records that the caller of the hook created a thread; see CP_CALLER. */
void cp_threadcreate_record(uintptr_t caller);

/* Call in the child of a fork: empties the profile. */
void cp_threadcreate_reset_after_fork(void);

/* Upper limit of the resident memory of the table, bytes. */
size_t cp_threadcreate_bytes(void);

#endif
