/*
 * unwind_publisher - builds and publishes the unwind table of all loaded code
 * (signal/unwinder/unwind_table.h).
 *
 * Context: a refresh enters the dynamic loader, whose lock may be held for
 * long, so only the refresh thread calls it (refresh_thread.h).
 * Locking: takes its own lock.
 * Ordering: cp_objects_refresh (unwind/objects.h) publishes the table by one
 * atomic store and frees the old one after a grace period.
 * Failure: the published table stays as it was.
 */
#ifndef CP_UNWIND_PUBLISHER_H
#define CP_UNWIND_PUBLISHER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Limits the tables to `bytes`; 0 selects 128 MiB. Call before the first
 * refresh.
 */
void cp_unwind_publisher_configure(size_t max_bytes);

/* Scans for loaded and unloaded objects; with_code: for generated code too. */
enum cp_status cp_unwind_publisher_refresh(bool with_code,
                                           struct cp_error *err);

/* Frees the table; no thread may walk a stack any more. */
void cp_unwind_publisher_free(void);

/* In the child of a fork. */
void cp_unwind_publisher_reset_after_fork(void);

#endif
