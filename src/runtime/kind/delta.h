/*
 * delta - what has changed between two snapshots of one kind.
 *
 * Samples are the same when stack and labels are; those that did not change
 * are left out.
 */
#ifndef CP_DELTA_H
#define CP_DELTA_H

struct cp_error;
struct cp_profile;

/* After less before, in every column, as Go does it. Consumes both. */
struct cp_profile *cp_delta_between(struct cp_profile *before,
                                    struct cp_profile *after,
                                    struct cp_error *err);

/*
 * What has come since the last call: columns that only grow (all but inuse_*)
 * as differences, the others as they are. *last is what the last call left,
 * NULL before the first; on success it is a copy of `after`, which is consumed
 * whatever the outcome.
 */
struct cp_profile *cp_delta_since(struct cp_profile **last,
                                  struct cp_profile *after,
                                  struct cp_error *err);

#endif
