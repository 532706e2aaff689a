/*
 * labels - numbered sets of labels that threads carry.
 *
 * A set is immutable and never freed: a handler stores only its number, and a
 * profile looks the number up much later. A thread that changes its labels gets
 * the number of a different set. The number of sets is limited, so a program
 * must not put an unbounded value such as a request id into a label.
 *
 * Context: any thread outside signal handlers.
 * Locking: cp_labels_change takes its own lock; cp_labels_get takes none.
 * Ordering: a number reaches another thread only after its set is complete.
 * Failure: cp_labels_change fails if a limit is reached; see below.
 */
#ifndef CP_LABELS_H
#define CP_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_LABELS_MAX_SETS 65536
#define CP_LABELS_MAX_BYTES ((size_t)8 << 20)
#define CP_LABELS_MAX_PAIRS 32  /* labels of one set */
#define CP_LABELS_MAX_TEXT 1024 /* bytes of a key or a value */

struct cp_label_pair {
    const char *key, *value;
};

/*
 * Finds or adds the set that equals `set` with the key set to value, or without
 * the key if value is NULL. On failure *out is unchanged.
 */
enum cp_status cp_labels_change(uint32_t set, const char *key,
                                const char *value, uint32_t *out,
                                struct cp_error *err);

/* The pairs of a set, sorted by key, and their number; never freed. */
size_t cp_labels_get(uint32_t set, const struct cp_label_pair **out);

/* Fork protocol (threads.h): acquire and release the lock. */
void cp_labels_before_fork(void);
void cp_labels_after_fork(void);

#endif
