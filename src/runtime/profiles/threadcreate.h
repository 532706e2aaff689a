/*
 * threadcreate - the profile of where threads were started, since the start.
 *
 * Filled by the hook of pthread_create (interpose.c).
 */
#ifndef CP_THREADCREATE_H
#define CP_THREADCREATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/kind/kind.h"

extern const struct cp_kind cp_threadcreate_kind;

/* From now on stacks are kept; they are whole once there is a map of code. */
enum cp_status cp_threadcreate_start(struct cp_error *err);

/* A thread was started by whoever called the hook; `caller` is CP_CALLER. */
void cp_threadcreate_note(uintptr_t caller);

/* In the child of a fork, which has started none. */
void cp_threadcreate_after_fork(void);

size_t cp_threadcreate_bytes(void);

#endif
