/*
 * prune - removes the leaf side of stacks at uninteresting frames.
 *
 * Names are matched without arguments (simple_name.h).
 */
#ifndef CP_PRUNE_H
#define CP_PRUNE_H

#include "base/error.h"

struct cp_profile;
struct cp_regex;

/*
 * Applies the profile's drop_frames and keep_frames: cuts each stack at the
 * outermost dropped frame that is not the root of the stack.
 */
enum cp_status cp_prune_uninteresting(struct cp_profile *p,
                                      struct cp_error *err);

/* Removes all frames on the leaf side of the innermost match of re. */
enum cp_status cp_prune_from(struct cp_profile *p, struct cp_regex *re,
                             struct cp_error *err);

/*
 * Removes the innermost frames of files whose base name begins with `name`: a
 * library's own frames, symbolized or not. A stack with no other frames stays.
 */
void cp_prune_file(struct cp_profile *p, const char *name);

#endif
