/*
 * locks - the block and mutex profiles: who waited, and who made them wait.
 *
 * The hooks (lock_hooks.c, wait_hooks.c) record; this sets the rates, which
 * mean what Go's mean, and writes what was found since the start.
 */
#ifndef CP_CONTENTION_H
#define CP_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/kind/kind.h"

#define CP_CONTENTION_MAX_RATE ((uint64_t)1 << 50)

extern const struct cp_kind cp_block_kind, cp_mutex_kind;

/* One sample for so many ns of waiting on average; 1: all; 0: off. */
enum cp_status cp_contention_set_block_rate(uint64_t rate_ns,
                                            struct cp_error *err);

/* One wait for a lock of so many, for those who unlock; 1: all; 0: off. */
enum cp_status cp_contention_set_mutex_fraction(uint64_t fraction,
                                                struct cp_error *err);

/* In the child of a fork: it begins anew. */
void cp_contention_reset_after_fork(void);

/* Memory that the tables hold, at most. */
size_t cp_contention_bytes(void);

#endif
