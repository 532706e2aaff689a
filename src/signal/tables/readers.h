/*
 * readers - who is walking right now, and what they see.
 *
 * A walker takes a place in a fixed pool: it gets a buffer for its frames,
 * which are too many for a stranger's stack, and from then on sees one map.
 * Whoever publishes a new map waits until every place that was taken at that
 * time has been left, and may then free the old one. Nobody waits for a place:
 * if all are taken the sample is lost, and counted by the caller.
 */
#ifndef CP_SIGNAL_READERS_H
#define CP_SIGNAL_READERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "signal/unwinder/walk.h"

struct cp_unwind_table;

#define CP_READER_SLOTS 128

struct cp_reader_slot {
    uintptr_t frames[CP_WALK_MAX];
};

/* A free place, or NULL. `hint` spreads the takers: a thread id will do. */
struct cp_reader_slot *cp_readers_enter(uint32_t hint);

void cp_readers_exit(struct cp_reader_slot *place);

/* What code is known; for use between enter and leave. Never NULL. */
const struct cp_unwind_table *cp_unwind_table(void);

/* Outside signal context: what all who enter from now on will see. */
void cp_readers_publish(const struct cp_unwind_table *map);

/* The turns of all places, to be given to cp_readers_quiesced later. */
void cp_readers_epochs(uint32_t out[CP_READER_SLOTS]);

/* Has everyone left who was in when the turns were taken? */
bool cp_readers_quiesced(const uint32_t turns[CP_READER_SLOTS]);

/* In the child of a fork, where the other threads are no more. */
void cp_readers_reset_after_fork(void);

#endif
