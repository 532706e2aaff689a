/* contention.c - sets the rates of wait recording, and writes the tables. */
#include "runtime/profiles/contention.h"

#include "profile/model/build.h"
#include "runtime/kind/kind_build.h"
#include "runtime/os/tables.h"
#include "runtime/stacks/cumulative_table.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/threads/hooks_bypassed.h"
#include "runtime/threads/wait_switches.h"
#include "signal/tables/calls.h"
#include "signal/waits/waits.h"

#define SLOTS ((size_t)1 << 15)
#define FRAMES ((size_t)1 << 20)

/* Values of the label "wait". */
static const char *const wait_names[CP_WAIT_KINDS] = {
    [CP_WAIT_MUTEX] = "mutex",         [CP_WAIT_READ] = "rwlock read",
    [CP_WAIT_WRITE] = "rwlock write",  [CP_WAIT_SPIN] = "spin lock",
    [CP_WAIT_COND] = "condition",      [CP_WAIT_SEM] = "semaphore",
    [CP_WAIT_BARRIER] = "barrier",     [CP_WAIT_JOIN] = "join",
    [CP_WAIT_SLEEP] = "sleep",         [CP_WAIT_IO] = "io",
    [CP_WAIT_POLL] = "poll",           [CP_WAIT_CHILD] = "child",
    [CP_WAIT_FILE_LOCK] = "file lock",
};

/* Serializes the creation of the tables. */
static struct cp_lock tables_lock;

/* Sets one of the two rates; maps its table first. */
static enum cp_status set(_Atomic uint64_t *rate, uint64_t value,
                          struct cp_signal_samples *table, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (value > CP_CONTENTION_MAX_RATE)
        return cp_error_set(err, CP_EUSAGE,
                            "%llu is out of range; use 0 (off) to %llu",
                            (unsigned long long)value,
                            (unsigned long long)CP_CONTENTION_MAX_RATE);
    if (value && cp_hooks_are_bypassed())
        return cp_error_set(err, CP_EUSAGE, CP_HOOKS_BYPASSED_REASON);
    if (value)
        status = cp_refresh_acquire_for_hooks(err);
    if (status != CP_OK)
        return status;
    cp_lock_acquire(&tables_lock);
    if (value)
        status = cp_cumulative_table_map(table, SLOTS, FRAMES, err);
    cp_lock_release(&tables_lock);
    if (status == CP_OK)
        cp_wait_switches_set_rate(rate, value);
    return status;
}

enum cp_status cp_contention_set_block_rate(uint64_t rate_ns,
                                            struct cp_error *err)
{
    return set(&cp_waits.block_rate_ns, rate_ns, &cp_waits.block, err);
}

enum cp_status cp_contention_set_mutex_fraction(uint64_t fraction,
                                                struct cp_error *err)
{
    return set(&cp_waits.mutex_fraction, fraction, &cp_waits.mutex, err);
}

void cp_contention_reset_after_fork(void)
{
    cp_lock_reset(&tables_lock);
    cp_wait_switches_reset_after_fork();
    cp_waits_reset_after_fork();
    cp_cumulative_table_reset_after_fork(&cp_waits.block);
    cp_cumulative_table_reset_after_fork(&cp_waits.mutex);
}

size_t cp_contention_bytes(void)
{
    return cp_tables_bytes(&cp_waits.block) + cp_tables_bytes(&cp_waits.mutex);
}

static void values_of(const struct cp_signal_slot *slot, struct cp_stack *stack,
                      int64_t *out)
{
    uint64_t parts = atomic_load(&slot->count); /* fixed point */

    out[0] =
        (int64_t)((parts + CP_WAITS_COUNT_SCALE / 2) / CP_WAITS_COUNT_SCALE);
    out[1] = (int64_t)atomic_load(&slot->value);
    if (slot->tag.state > 0 && slot->tag.state < CP_WAIT_KINDS) {
        stack->text_key = "wait";
        stack->text = wait_names[slot->tag.state];
    }
}

static enum cp_status fill(struct cp_builder *b, void *table,
                           struct cp_error *err)
{
    return cp_cumulative_table_write(table, values_of, b, err);
}

static enum cp_status finish(struct cp_signal_samples *s,
                             struct cp_profile **out, struct cp_error *err)
{
    static const struct cp_kind_form form = {
        .types = { { "contentions", "count" }, { "delay", "nanoseconds" } },
        .period = { "contentions", "count" },
        .fill = fill,
    };

    return cp_kind_build(&form, 1, s, out, err);
}

static enum cp_status finish_block(void *recording, struct cp_profile **out,
                                   struct cp_error *err)
{
    (void)recording;
    return finish(&cp_waits.block, out, err);
}

static enum cp_status finish_mutex(void *recording, struct cp_profile **out,
                                   struct cp_error *err)
{
    (void)recording;
    return finish(&cp_waits.mutex, out, err);
}

static const char *block_disabled_reason(void)
{
    if (cp_hooks_are_bypassed())
        return CP_HOOKS_BYPASSED_REASON;
    return atomic_load(&cp_waits.block_rate_ns)
               ? NULL
               : "off: CPPROF=block_rate:NS, or POST block?rate=NS";
}

static const char *mutex_disabled_reason(void)
{
    if (cp_hooks_are_bypassed())
        return CP_HOOKS_BYPASSED_REASON;
    return atomic_load(&cp_waits.mutex_fraction)
               ? NULL
               : "off: CPPROF=mutex_fraction:N, or POST mutex?fraction=N";
}

static uint64_t count_block(void)
{
    return atomic_load(&cp_waits.block.used_slots);
}

static uint64_t count_mutex(void)
{
    return atomic_load(&cp_waits.mutex.used_slots);
}

const struct cp_kind cp_block_kind = {
    .name = "block",
    .summary = "Where threads waited: for mutexes, read-write locks, "
               "conditions, semaphores, barriers and other threads.",
    .text = CP_KIND_TEXT_CONTENTION,
    .begin = cp_kind_begin_snapshot,
    .finish = finish_block,
    .cancel = cp_kind_cancel_snapshot,
    .count = count_block,
    .disabled_reason = block_disabled_reason,
    .setting = "rate",
    .set = cp_contention_set_block_rate,
};

const struct cp_kind cp_mutex_kind = {
    .name = "mutex",
    .summary = "Which code made others wait: the stacks that held a lock while "
               "another thread waited for it.",
    .text = CP_KIND_TEXT_MUTEX,
    .begin = cp_kind_begin_snapshot,
    .finish = finish_mutex,
    .cancel = cp_kind_cancel_snapshot,
    .count = count_mutex,
    .disabled_reason = mutex_disabled_reason,
    .setting = "fraction",
    .set = cp_contention_set_mutex_fraction,
};
