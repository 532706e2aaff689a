/*
 * drop_frames - the frames of a legacy profile that belong to the profiler.
 *
 * Legacy formats do not list them, so the sample types decide: an allocation
 * profile has the allocator at the leaf of each stack, a contention profile the
 * lock function, a CPU profile the signal handler.
 */
#ifndef CP_DROP_FRAMES_H
#define CP_DROP_FRAMES_H

#include <stdbool.h>

#include "base/error.h"

struct cp_profile;

/*
 * Sets the drop and keep expressions for the sample types, unless they are set
 * already.
 */
enum cp_status cp_drop_frames_set(struct cp_profile *p, struct cp_error *err);

/* Sets those of a heap profile from jemalloc. */
enum cp_status cp_drop_frames_set_jemalloc(struct cp_profile *p,
                                           struct cp_error *err);

/* Whether the profile has the expressions for jemalloc. */
bool cp_drop_frames_is_jemalloc(const struct cp_profile *p);

#endif
