/*
 * wait_switches - which users of the hooks of waiting calls are active.
 *
 * The hooks test one flag per call (struct cp_waits). Four users switch it: the
 * block and mutex profiles by their rates, a trace, a wall-clock profile, and
 * readers of sleeping threads. This module holds their requests and derives the
 * flags.
 *
 * Context: any thread outside signal handlers. Locking: takes its own lock.
 * Ordering: the caller maps a table before it sets that table's rate; hooks
 * read the flags relaxed and the table's fields after a rate that is not 0.
 */
#ifndef CP_WAIT_SWITCHES_H
#define CP_WAIT_SWITCHES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets one of the rates of struct cp_waits. */
void cp_wait_switches_set_rate(_Atomic uint64_t *rate, uint64_t value);

/* Whether the block profile includes sleeps and blocking I/O. */
void cp_wait_switches_set_block_io(bool is_enabled);

/* Whether a trace runs; it records every wait. */
void cp_wait_switches_set_trace(bool is_running);

/* Whether a wall-clock profile runs; hooks then save the call and registers. */
void cp_wait_switches_set_wall(bool is_running);

/*
 * From now on hooks of sleep and I/O calls save their registers, because /proc
 * does not give them (runtime/stacks/sleeping_stack.h). Stays on until the
 * process exits.
 */
void cp_wait_switches_save_registers(void);

/* Call in the child of a fork: switches trace and wall-clock profile off. */
void cp_wait_switches_reset_after_fork(void);

#endif
