/* threadcreate.c - a cumulative table of stacks, and its profile. */
#include "runtime/profiles/threadcreate.h"

#include "profile/model/build.h"
#include "runtime/kind/kind_build.h"
#include "runtime/os/tables.h"
#include "runtime/stacks/cumulative_table.h"
#include "signal/tables/capture.h"
#include "signal/tables/samples.h"

#define SLOTS ((size_t)1 << 12)
#define FRAMES ((size_t)1 << 17)

static struct cp_signal_samples table;
static _Atomic bool is_on;

enum cp_status cp_threadcreate_start(struct cp_error *err)
{
    enum cp_status status = cp_cumulative_table_map(&table, SLOTS, FRAMES, err);

    if (status == CP_OK)
        atomic_store(&is_on, true);
    return status;
}

void cp_threadcreate_record(uintptr_t caller)
{
    if (atomic_load(&is_on))
        (void)cp_signal_capture(&table, caller, 0, 1, 0);
}

void cp_threadcreate_reset_after_fork(void)
{
    cp_cumulative_table_reset_after_fork(&table);
}

size_t cp_threadcreate_bytes(void)
{
    return cp_tables_bytes(&table);
}

static void value_of(const struct cp_signal_slot *slot, struct cp_stack *stack,
                     int64_t *out)
{
    (void)stack;
    out[0] = (int64_t)atomic_load(&slot->count);
}

static enum cp_status fill(struct cp_builder *b, void *context,
                           struct cp_error *err)
{
    (void)context;
    return cp_cumulative_table_write(&table, value_of, b, err);
}

static enum cp_status finish(void *recording, struct cp_profile **out,
                             struct cp_error *err)
{
    static const struct cp_kind_form form = {
        .types = { { "threadcreate", "count" } },
        .period = { "threadcreate", "count" },
        .fill = fill,
    };

    return cp_kind_build(&form, 1, recording, out, err);
}

static uint64_t count(void)
{
    uint64_t n = 0;

    for (size_t i = 0; table.slots && i < table.n_slots; i++)
        n += atomic_load(&table.slots[i].count);
    return n;
}

const struct cp_kind cp_threadcreate_kind = {
    .name = "threadcreate",
    .summary = "Where threads were started, since the program began.",
    .text = CP_KIND_TEXT_COUNT,
    .begin = cp_kind_begin_snapshot,
    .finish = finish,
    .cancel = cp_kind_cancel_snapshot,
    .count = count,
};
