/*
 * hook_table - a table of stacks that hooks fill from the start to the end.
 *
 * For kinds that are cumulative: nobody opens or closes a window. The memory
 * is mapped once; its pages come when they are touched.
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

/* Makes room, unless there is: see tables.h. */
enum cp_status cp_cumulative_table_map(struct cp_signal_samples *s,
                                       size_t n_slots, size_t n_frames,
                                       struct cp_error *err);

/* In the child of a fork: as if nothing had been. */
void cp_cumulative_table_reset_after_fork(struct cp_signal_samples *s);

/* The values of a slot, and labels beyond the thread's. */
typedef void cp_cumulative_values_fn(const struct cp_signal_slot *slot,
                                     struct cp_stack *stack, int64_t *out);

/* Adds all samples to the profile, whose types are there. */
enum cp_status cp_cumulative_table_write(const struct cp_signal_samples *s,
                                         cp_cumulative_values_fn *values,
                                         struct cp_builder *b,
                                         struct cp_error *err);

#endif
