/*
 * labels - the sets of labels that threads carry, by number.
 *
 * A set is made once and never changes or goes, so a handler can take its
 * number and a profile can look it up much later. A thread that changes its
 * labels gets the number of another set. There are at most so many sets and
 * bytes: a program that puts a request's id in a label must take it out again.
 */
#ifndef CP_LABELS_H
#define CP_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CP_LABELS_MAX_SETS 65536
#define CP_LABELS_MAX_BYTES ((size_t)8 << 20)
#define CP_LABELS_MAX_PAIRS 32
#define CP_LABELS_MAX_TEXT 1024 /* bytes of a key or a value */

struct cp_label_pair {
    const char *key, *value;
};

/*
 * The set that is `set` with this key added or changed; value NULL: without
 * the key. On failure *err says why and *out is as it was.
 */
enum cp_status cp_labels_change(uint32_t set, const char *key,
                                const char *value, uint32_t *out,
                                struct cp_error *err);

/* The pairs of a set, sorted by key; valid for ever. */
size_t cp_labels_get(uint32_t set, const struct cp_label_pair **out);

void cp_labels_before_fork(void);
void cp_labels_after_fork(void);

#endif
