/*
 * walk_map - the one map of all code that walkers see (signal/unwinder/map.h),
 * and when it is looked at anew.
 *
 * To look enters the loader, which has a lock that may be held for long: so
 * it is the work of a thread of our own (sampler.h). A program that is to have
 * none (CPPROF=asleep:1) is `alone`: it looks itself, where that is safe, that
 * is when it starts, before it forks, and in a hook of malloc after a walk has
 * met code that is not known; the latter two as long as it has but one thread,
 * since then nobody else can have the loader's lock, and as long as it has not
 * given up rights, since a sandbox may end who makes a call it does not expect.
 */
#ifndef CP_WALK_MAP_H
#define CP_WALK_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Tables of at most so many bytes; 0 is the default. Before the first look. */
void cp_walk_map_configure(size_t most_bytes);

/* Looks what has come and gone; with_code: for generated code as well. */
enum cp_status cp_walk_map_look(bool with_code, struct cp_error *err);

/* Nobody walks any more. */
void cp_walk_map_free(void);

/* In the child of a fork. */
void cp_walk_map_after_fork(void);

extern _Atomic bool cp_walk_map_is_alone;

/* Finds out where libc says it; false: the program has had threads. */
bool cp_walk_map_learn(void);

/* The program gives up rights: from now on it makes no calls but its own. */
void cp_walk_map_confine(void);
bool cp_walk_map_is_confined(void);

/* If it is alone, these look; in others they do nothing. */
void cp_walk_map_before_fork(void);
void cp_walk_map_met_unknown(void);

#endif
