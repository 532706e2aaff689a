/* scale - multiplying values, and making profiles fit for merging. */
#ifndef CP_SCALE_H
#define CP_SCALE_H

#include <stddef.h>

#include "base/error.h"

struct cp_profile;

/*
 * Multiplies each column by its ratio, rounding. Columns with ratio 1 stay;
 * samples whose other columns all become 0 are dropped. Nothing happens when
 * all ratios are 1.
 */
void cp_scale_columns(struct cp_profile *p, const double *ratios);

/* The same ratio for all columns. */
enum cp_status cp_scale_all(struct cp_profile *p, double ratio,
                            struct cp_error *err);

/* Scales each column of p to the sum that the base has there. */
enum cp_status cp_scale_normalize(struct cp_profile *p,
                                  const struct cp_profile *base,
                                  struct cp_error *err);

/*
 * Reduces all profiles to the sample types that they have in common, in the
 * order of the first, and gives equal types equal units (the finest of each).
 */
enum cp_status cp_make_compatible(struct cp_profile **profiles, size_t n,
                                  struct cp_error *err);

#endif
