/*
 * locks - the block and mutex profiles: who waited, and who made them wait.
 *
 * The hooks (lock_hooks.c, wait_hooks.c) record; this sets the rates, which
 * mean what Go's mean, and writes what was found since the start.
 */
#ifndef CP_LOCKS_PROFILE_H
#define CP_LOCKS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/kind.h"

#define CP_LOCKS_MOST_RATE ((uint64_t)1 << 50)

extern const struct cp_kind cp_block_kind, cp_mutex_kind;

/* One sample for so many ns of waiting on average; 1: all; 0: off. */
enum cp_status cp_locks_set_block_rate(uint64_t rate_ns, struct cp_error *err);

/* One wait for a lock of so many, for those who unlock; 1: all; 0: off. */
enum cp_status cp_locks_set_mutex_fraction(uint64_t fraction,
                                           struct cp_error *err);

/* Whether sleeps and blocking calls are in the block profile too. */
void cp_locks_set_io(bool is_wanted);

/* Whether a trace runs, for which all waits are looked at. */
void cp_locks_set_traced(bool is_traced);

/*
 * From now on a thread notes that it is in a sleep or a call of I/O, and where:
 * for programs in which nobody else says so (still.h).
 */
void cp_locks_note_calls(void);

/* The same for as long as a wall-clock profile runs. */
void cp_locks_set_wall(bool is_on);

/* In the child of a fork: it begins anew. */
void cp_locks_after_fork(void);

/* Memory that the tables hold, at most. */
size_t cp_locks_bytes(void);

#endif
