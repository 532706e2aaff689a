/*
 * delta - computes the difference of two snapshots of one profile kind.
 *
 * Samples with equal stack and labels are subtracted; samples that have not
 * changed are left out.
 *
 * Context: the endpoint thread, or the thread that writes a profile.
 * Locking: none. Failure: NULL with *err set.
 */
#ifndef CP_DELTA_H
#define CP_DELTA_H

struct cp_error;
struct cp_profile;

/* `after` minus `before` in every column, as Go does. Consumes both. */
struct cp_profile *cp_delta_between(struct cp_profile *before,
                                    struct cp_profile *after,
                                    struct cp_error *err);

/*
 * Returns the change since the last call: differences for columns that only
 * grow (all but inuse_*), present values for the others. *last is NULL before
 * the first call, and a copy of `after` on success. Always consumes `after`.
 */
struct cp_profile *cp_delta_since(struct cp_profile **last,
                                  struct cp_profile *after,
                                  struct cp_error *err);

#endif
