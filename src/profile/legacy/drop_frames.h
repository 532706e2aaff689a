/*
 * drop_frames - which frames of a legacy profile are the profiler's own.
 *
 * The old formats say nothing about it, so the list follows from what was
 * measured: an allocation profile has the allocator on top of each stack, a
 * contention profile the lock, a CPU profile the signal handler.
 */
#ifndef CP_DROP_FRAMES_H
#define CP_DROP_FRAMES_H

#include <stdbool.h>

#include "base/error.h"

struct cp_profile;

/*
 * Sets the drop and keep expressions that fit the sample types, unless there
 * are some already.
 */
enum cp_status cp_drop_frames_set(struct cp_profile *p, struct cp_error *err);

/* Sets those of a heap profile in which the allocator is jemalloc. */
enum cp_status cp_drop_frames_set_jemalloc(struct cp_profile *p,
                                           struct cp_error *err);

/* Whether that was done to the profile. */
bool cp_drop_frames_is_jemalloc(const struct cp_profile *p);

#endif
