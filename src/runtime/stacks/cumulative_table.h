/*
 * cumulative_table - a sample table that hooks fill as long as the process
 * lives, for cumulative profiles (block, mutex, threadcreate, custom).
 *
 * Context: map, reset and write run on any thread outside signal handlers;
 * hooks add samples concurrently (signal/tables/samples.h).
 * Locking: the caller serializes cp_cumulative_table_map.
 * Ordering: hooks use the table only after its owner has stored a rate or a
 * flag that is atomic.
 * Failure: CP_ENOMEM.
 */
#ifndef CP_CUMULATIVE_TABLE_H
#define CP_CUMULATIVE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_builder;
struct cp_signal_samples;
struct cp_signal_slot;
struct cp_stack;

/* Maps the table unless it is mapped; see cp_tables_map for the sizes. */
enum cp_status cp_cumulative_table_map(struct cp_signal_samples *s,
                                       size_t n_slots, size_t n_frames,
                                       struct cp_error *err);

/* Call in the child of a fork: empties the table and keeps it mapped. */
void cp_cumulative_table_reset_after_fork(struct cp_signal_samples *s);

/* Computes the values of a slot, and may add labels to its stack. */
typedef void cp_cumulative_values_fn(const struct cp_signal_slot *slot,
                                     struct cp_stack *stack, int64_t *out);

/*
 * Adds all samples to a profile that has its types already. A slot whose first
 * two values are 0 is left out.
 */
enum cp_status cp_cumulative_table_write(const struct cp_signal_samples *s,
                                         cp_cumulative_values_fn *values,
                                         struct cp_builder *b,
                                         struct cp_error *err);

#endif
