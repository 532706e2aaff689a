/*
 * contention - the "block" and "mutex" profiles: where threads waited, and
 * which stacks held the lock that they waited for.
 *
 * The hooks (hooks/lock_hooks.c, wait_hooks.c, io_hooks.c) record waits in the
 * tables of signal/waits/waits.h. This module sets the rates, which mean what
 * Go's mean, maps the tables and writes the profiles since the process start.
 *
 * Context: any thread outside signal handlers. Locking: a lock of this module
 * serializes the mapping of the tables.
 * Ordering: a table is mapped before its rate becomes non-zero.
 * Failure: CP_EUSAGE if the rate is out of range or the program bypasses the
 * hooks; CP_ENOMEM.
 */
#ifndef CP_CONTENTION_H
#define CP_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/kind/kind.h"

#define CP_CONTENTION_MAX_RATE ((uint64_t)1 << 50)

extern const struct cp_kind cp_block_kind, cp_mutex_kind;

/* Mean ns of waiting for each sample; 1 records every wait, 0 disables. */
enum cp_status cp_contention_set_block_rate(uint64_t rate_ns,
                                            struct cp_error *err);

/* Samples 1 of `fraction` waits for locks; 1 samples all, 0 disables. */
enum cp_status cp_contention_set_mutex_fraction(uint64_t fraction,
                                                struct cp_error *err);

/* Call in the child of a fork: clears both profiles. */
void cp_contention_reset_after_fork(void);

/* Upper limit of the resident memory of the tables, bytes. */
size_t cp_contention_bytes(void);

#endif
