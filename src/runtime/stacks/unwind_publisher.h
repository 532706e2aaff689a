/*
 * walk_map - the one map of all code that walkers see
 * (signal/unwinder/unwind_table.h), and when it is looked at anew.
 *
 * To look enters the loader, which has a lock that may be held for long: so
 * it is the work of a thread of our own (sampler.h).
 */
#ifndef CP_UNWIND_PUBLISHER_H
#define CP_UNWIND_PUBLISHER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Tables of at most so many bytes; 0 is the default. Before the first look. */
void cp_unwind_publisher_configure(size_t max_bytes);

/* Looks what has come and gone; with_code: for generated code as well. */
enum cp_status cp_unwind_publisher_refresh(bool with_code,
                                           struct cp_error *err);

/* Nobody walks any more. */
void cp_unwind_publisher_free(void);

/* In the child of a fork. */
void cp_unwind_publisher_reset_after_fork(void);

#endif
