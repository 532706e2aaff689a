/*
 * prune - cuts the inner part of stacks at frames nobody wants to see.
 *
 * Names are compared without arguments (simple_name.h).
 */
#ifndef CP_PRUNE_H
#define CP_PRUNE_H

#include "base/error.h"

struct cp_profile;
struct cp_regex;

/*
 * Applies the profile's own drop_frames and keep_frames: each stack is cut at
 * the outermost dropped frame that has an ordinary frame outside of it.
 */
enum cp_status cp_prune_uninteresting(struct cp_profile *p,
                                      struct cp_error *err);

/* Cuts everything on the leaf side of the innermost match of re. */
enum cp_status cp_prune_from(struct cp_profile *p, struct cp_regex *re,
                             struct cp_error *err);

/*
 * Drops the innermost frames that lie in a file whose name, without folders,
 * begins so: a library's own frames, whether they have names or not. A stack
 * of nothing else stays.
 */
void cp_prune_file(struct cp_profile *p, const char *name);

#endif
