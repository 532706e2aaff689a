/* cumulative_table.c - maps, empties and writes a table that hooks fill. */
#include "runtime/stacks/cumulative_table.h"

#include <sys/mman.h>

#include "base/assert/assert.h"
#include "profile/model/build.h"
#include "runtime/os/tables.h"
#include "runtime/stacks/stack_writer.h"
#include "signal/tables/samples.h"

#define MAX_VALUES 4

enum cp_status cp_cumulative_table_map(struct cp_signal_samples *s,
                                       size_t n_slots, size_t n_frames,
                                       struct cp_error *err)
{
    return s->slots ? CP_OK : cp_tables_map(s, n_slots, n_frames, err);
}

void cp_cumulative_table_reset_after_fork(struct cp_signal_samples *s)
{
    if (!s->slots)
        return;
    CP_ASSERT(s->n_slots > 0 && (s->n_slots & (s->n_slots - 1)) == 0);
    (void)madvise(s->slots, s->n_slots * sizeof(*s->slots), MADV_DONTNEED);
    atomic_store(&s->used_slots, 0);
    atomic_store(&s->used_frames, 0);
    atomic_store(&s->lost_count, 0);
    atomic_store(&s->lost_value, 0);
}

static enum cp_status write_slot(struct cp_stack_writer *w,
                                 const struct cp_signal_samples *s, size_t i,
                                 cp_cumulative_values_fn *values)
{
    const struct cp_signal_slot *slot = &s->slots[i];
    struct cp_stack stack = { 0 };
    int64_t numbers[MAX_VALUES] = { 0 };

    CP_ASSERT(i < s->n_slots);
    if (!cp_stack_read_slot(s, slot, &stack))
        return CP_OK;
    values(slot, &stack, numbers);
    if (numbers[0] == 0 && numbers[1] == 0)
        return CP_OK;
    return cp_stack_write(w, &stack, numbers);
}

/* Writes the samples for which the table had no room. */
static enum cp_status write_lost(struct cp_stack_writer *w,
                                 const struct cp_signal_samples *s,
                                 cp_cumulative_values_fn *values)
{
    static const uintptr_t frame = CP_FRAME_LOST;
    struct cp_signal_slot lost = { .count = atomic_load(&s->lost_count),
                                   .value = atomic_load(&s->lost_value) };
    struct cp_stack stack = { .frames = &frame, .n = 1 };
    int64_t numbers[MAX_VALUES] = { 0 };

    if (atomic_load(&lost.count) == 0)
        return CP_OK;
    values(&lost, &stack, numbers);
    return cp_stack_write(w, &stack, numbers);
}

enum cp_status cp_cumulative_table_write(const struct cp_signal_samples *s,
                                         cp_cumulative_values_fn *values,
                                         struct cp_builder *b,
                                         struct cp_error *err)
{
    struct cp_stack_writer w = { .b = b, .err = err };
    enum cp_status status = CP_OK;

    for (size_t i = 0; status == CP_OK && s->slots && i < s->n_slots; i++)
        if (atomic_load_explicit(&s->slots[i].key, memory_order_relaxed))
            status = write_slot(&w, s, i, values);
    if (status == CP_OK)
        status = write_lost(&w, s, values);
    if (status == CP_OK)
        cp_stack_writer_finish(&w);
    return status;
}
