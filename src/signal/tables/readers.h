/*
 * readers - reader epochs: tells the runtime when no thread can still read an
 * object that it has replaced.
 *
 * A reader walks a stack. It reads objects that another thread may replace at
 * any time: the unwind table and the sample tables. It enters one of
 * CP_READER_SLOTS slots, loads the pointers, walks, and exits. The slot also
 * lends it a buffer for the frames, which is too large for a thread's stack.
 * A thread that replaces an object waits for a grace period before it frees
 * the old one: until all readers that entered before have exited.
 *
 * Context: enter, exit and cp_unwind_table_current: any, signal handlers
 * included. publish and wait: a thread of the runtime that is not a reader
 * itself. Locking: none for readers. Publishers of one pointer exclude each
 * other. Ordering: all accesses to epochs and published pointers are
 * sequentially consistent; the proof below needs it. Failure: enter returns
 * NULL while all slots are in use, and the caller loses and counts the sample.
 * wait returns false after one second, and the caller must leak the old object.
 *
 * Proof that no reader uses a freed object.
 *
 *   Invariant: the epoch of a slot is odd exactly while a reader is inside.
 *   Only two operations change an epoch: a reader that enters (R1) and the same
 *   reader when it exits (R3).
 *
 *     reader                                  publisher
 *     R1  CAS epoch from even to odd          P1  store the new pointer
 *     R2  load the pointer, use the object    P2  load the epochs of all slots
 *     R3  increment the epoch to even         P3  load the epochs until each
 *                                                 that was odd has changed
 *                                             P4  free the old object
 *
 *   R1, R2, P1, P2 have one total order. Let P2 be the load of this slot.
 *   - R1 after P2: then P1, P2, R1, R2 is the order, so R2 loads the new
 *     pointer. The reader never sees the old object.
 *   - R1 before P2: P2 sees an odd epoch, or R3 is over. P3 ends only when it
 *     loads a value that R3 or a later reader of the slot wrote. All of these
 *     are read-modify-write operations with release order, so every use of the
 *     object happens before P4.
 *
 *   An epoch may wrap around. If a slot is entered exactly 2^31 times between
 *   two loads, the epoch looks unchanged to P3, which then waits longer. That
 *   is safe.
 *
 *   Worst case: a reader stops inside its slot (SIGSTOP, a debugger, a frozen
 *   cgroup). P3 gives up after one second and the old object leaks. A reader
 *   never waits; with 128 readers at once the next sample is lost.
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
    uintptr_t frames[CP_WALK_MAX]; /* scratch of the reader; not initialized */
};

/*
 * Enters a free slot. Returns NULL if all are in use. `hint` is the index to
 * try first; equal hints contend for a cache line, so pass the number of the
 * thread.
 */
struct cp_reader_slot *cp_readers_enter(uint32_t hint);

void cp_readers_exit(struct cp_reader_slot *slot);

/* The published unwind table, never NULL; valid until cp_readers_exit. */
const struct cp_unwind_table *cp_unwind_table_current(void);

/* Publishes an unwind table; NULL publishes an empty one. */
void cp_readers_publish(const struct cp_unwind_table *table);

/*
 * Waits for a grace period: until all readers that are inside now have exited,
 * which usually takes microseconds. Returns false after one second; the caller
 * must then leak the object that it has replaced.
 */
bool cp_readers_wait(void);

/* The two steps of cp_readers_wait: P2, and one pass of P3. */
void cp_readers_epochs(uint32_t out[CP_READER_SLOTS]);
bool cp_readers_quiesced(const uint32_t epochs[CP_READER_SLOTS]);

/*
 * Empties all slots in the child of a fork: their readers do not exist there.
 * The calling thread must not be a reader.
 */
void cp_readers_reset_after_fork(void);

#endif
