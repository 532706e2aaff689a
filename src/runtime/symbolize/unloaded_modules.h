/*
 * unloaded_modules - keeps the mappings of libraries that may have been
 * unloaded, so that samples in them still get names.
 *
 * The refresh thread records all mappings when the loader's list has changed.
 * If two libraries were at the same address, the newer one is kept.
 *
 * Context: record on the refresh thread; join on any thread that writes a
 * profile; never in a signal handler.
 * Locking: takes its own lock.
 * Failure: a failed record changes nothing; join returns CP_ENOMEM.
 */
#ifndef CP_UNLOADED_MODULES_H
#define CP_UNLOADED_MODULES_H

#include "base/error.h"

struct cp_mappings;

/* Adds the present mappings. */
void cp_unloaded_modules_record(void);

/* Adds the recorded maps whose addresses are not mapped in *m. */
enum cp_status cp_unloaded_modules_join(struct cp_mappings *m,
                                        struct cp_error *err);

/* In the child of a fork. */
void cp_unloaded_modules_reset_after_fork(void);

#endif
