/* scale - scales values and makes profiles compatible for a merge. */
#ifndef CP_SCALE_H
#define CP_SCALE_H

#include <stddef.h>

#include "base/error.h"

struct cp_profile;

/*
 * Multiplies each column by its ratio and rounds. Drops samples whose scaled
 * columns all become 0. Does nothing if all ratios are 1.
 */
void cp_scale_columns(struct cp_profile *p, const double *ratios);

/* Multiplies all columns by the same ratio. */
enum cp_status cp_scale_all(struct cp_profile *p, double ratio,
                            struct cp_error *err);

/* Scales each column of p to the sum of that column in the base. */
enum cp_status cp_scale_normalize(struct cp_profile *p,
                                  const struct cp_profile *base,
                                  struct cp_error *err);

/*
 * Reduces all profiles to their common sample types, in the order of the first,
 * and converts each type to the smallest unit that occurs.
 */
enum cp_status cp_make_compatible(struct cp_profile **profiles, size_t n,
                                  struct cp_error *err);

#endif
