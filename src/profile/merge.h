/*
 * merge - many profiles into one.
 *
 * Mappings are the same when size, offset and build id (or file) are; the
 * addresses of later profiles move to where the first had the mapping, so
 * that runs with address randomisation add up. Functions and locations are
 * the same when all that is known of them is; samples, when stack and labels
 * are, and their values add up. Samples that come to nothing are left out.
 */
#ifndef CP_MERGE_H
#define CP_MERGE_H

#include "profile/profile.h"

/*
 * Merges n profiles with the same sample types. Consumes them: each is freed
 * as soon as it is in, and its place set to NULL, whatever the outcome.
 */
struct cp_profile *cp_merge(struct cp_profile **profiles, size_t n,
                            struct cp_error *err);

#endif
