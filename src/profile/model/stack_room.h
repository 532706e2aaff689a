/*
 * stack_room - one array for the stacks of many profiles that will be merged.
 *
 * Profiles that are read into a room have their stacks in one array from the
 * start. Merging them rewrites the stacks where they are: no second array, and
 * no page of memory is asked for or given back twice.
 *
 * The room is address space; what is not used costs nothing. A profile that
 * finds no place in it has an array of its own, and is copied by the merge.
 */
#ifndef CP_STACK_ROOM_H
#define CP_STACK_ROOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Starts as { 0 }. */
struct cp_stack_room {
    struct cp_arena arena; /* owns the array, until somebody takes it over */
    uint32_t *locs;
    uint64_t cap;
    atomic_uint_fast64_t next; /* first that is free */
};

/* False when so much cannot be had. */
bool cp_stack_room_init(struct cp_stack_room *r, uint64_t cap);

/* A stretch of n, for any thread; NULL when there are not so many left. */
uint32_t *cp_stack_room_take(struct cp_stack_room *r, uint64_t n);

/* Whether the room has this place. */
bool cp_stack_room_has(const struct cp_stack_room *r, const uint32_t *place);

void cp_stack_room_release(struct cp_stack_room *r);

#endif
