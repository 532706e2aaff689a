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

#include <stddef.h>

struct cp_error;
struct cp_profile;
struct cp_stack_room;

/*
 * Merges n profiles with the same sample types. Consumes them: each is freed
 * as soon as it is in, and its place set to NULL, whatever the outcome.
 */
struct cp_profile *cp_merge(struct cp_profile **profiles, size_t n,
                            struct cp_error *err);

/*
 * The same for profiles of which all that have stacks in the room are here.
 * These stay where they are, and the result owns the room's memory; whatever
 * the outcome, the room is not to be used again, only released.
 */
struct cp_profile *cp_merge_in_room(struct cp_profile **profiles, size_t n,
                                    struct cp_stack_room *room,
                                    struct cp_error *err);

#endif
