/*
 * objects - keeps the published unwind table up to date with the objects that
 * the process has loaded.
 *
 * It finds every object that the dynamic loader knows, also the vDSO, and
 * compiles its unwind information once, when it appears.
 *
 * Context: one thread at a time, not a signal handler.
 * Locking: the caller holds no lock that the loader or malloc may need.
 * Ordering: a new table is published; the old one is freed after a grace period
 *   (signal/tables/readers.h).
 * Failure: an error status; the published table stays as it is.
 */
#ifndef CP_OBJECTS_H
#define CP_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_objects;

/*
 * limit_bytes limits the tables of all modules together. Objects loaded after
 * the limit is reached get no CFI.
 */
struct cp_objects *cp_objects_new(size_t limit_bytes, struct cp_error *err);

/*
 * Publishes a new unwind table if objects were loaded or unloaded, or, with
 * `with_code`, if the executable mappings have changed. Cheap without a change.
 */
enum cp_status cp_objects_refresh(struct cp_objects *o, bool with_code,
                                  struct cp_error *err);

/* Returns the number of refreshes that found loaded or unloaded objects. */
unsigned cp_objects_changes(const struct cp_objects *o);

struct cp_objects_stats {
    size_t n_objects, n_rows, bytes;
    size_t n_without; /* objects without a table */
};

void cp_objects_stats(const struct cp_objects *o, struct cp_objects_stats *out);

/* Publishes an empty unwind table and frees everything. */
void cp_objects_free(struct cp_objects *o);

#endif
