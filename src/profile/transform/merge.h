/*
 * merge - merges many profiles into one.
 *
 * Mappings are equal if size, offset and build id (or file) are equal. The
 * addresses of later profiles are relocated to the mapping of the first, so
 * that runs with address randomization add up. Functions and locations are
 * equal if all their fields are. Values of samples with equal stack and labels
 * are added; samples whose values are all 0 are dropped.
 */
#ifndef CP_MERGE_H
#define CP_MERGE_H

#include <stddef.h>

struct cp_error;
struct cp_profile;
struct cp_stack_pool;

/*
 * Merges n profiles with equal sample types. Consumes them: each is freed as
 * soon as possible and its pointer set to NULL, even on failure.
 */
struct cp_profile *cp_merge(struct cp_profile **profiles, size_t n,
                            struct cp_error *err);

/*
 * Like cp_merge, for profiles whose stacks are in the pool; all users of the
 * pool must be in the list. The stacks are rewritten in place, and the result
 * owns the pool's memory. Afterwards, even on failure, the caller may only
 * release the pool.
 */
struct cp_profile *cp_merge_in_pool(struct cp_profile **profiles, size_t n,
                                    struct cp_stack_pool *pool,
                                    struct cp_error *err);

#endif
