/*
 * objects - keeps the walker's map in step with what the process has loaded.
 *
 * Knows every object that the loader knows, the vDSO too, and compiles the
 * unwind information of each one once, when it appears. Used by one thread at
 * a time, outside signal context; the thread must not hold a lock that the
 * loader or malloc could want.
 */
#ifndef CP_OBJECTS_H
#define CP_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_objects;

/* Tables take at most so many bytes; objects beyond that have none. */
struct cp_objects *cp_objects_new(size_t limit_bytes, struct cp_error *err);

/*
 * Publishes a new map if objects have come or gone, or, with `with_code`, if
 * there is other executable memory than before. Cheap when nothing changed.
 */
enum cp_status cp_objects_refresh(struct cp_objects *o, bool with_code,
                                  struct cp_error *err);

/* How often objects were seen to have come or gone. */
unsigned cp_objects_changes(const struct cp_objects *o);

struct cp_objects_stats {
    size_t n_objects, n_rows, bytes;
    size_t n_without; /* objects without a table */
};

void cp_objects_stats(const struct cp_objects *o, struct cp_objects_stats *out);

/* Publishes an empty map and frees everything. */
void cp_objects_free(struct cp_objects *o);

#endif
