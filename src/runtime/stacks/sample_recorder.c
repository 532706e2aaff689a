/*
 * sample_recorder.c - the list of tables, and the samples of one recording.
 *
 * A stack that is in two tables is written twice: readers of profiles sum
 * identical samples.
 */
#include "runtime/stacks/sample_recorder.h"

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "profile/model/build.h"
#include "runtime/os/tables.h"
#include "runtime/stacks/stack_writer.h"
#include "signal/tables/readers.h"

#define SPARE_SLOTS 256 /* slots that handlers may fill during a scan */

static void free_table(struct cp_sample_recorder_table *t)
{
    cp_tables_unmap(&t->samples);
    cp_free(t);
}

static struct cp_sample_recorder_table *new_table(struct cp_error *err)
{
    struct cp_sample_recorder_table *t = cp_alloc(1, sizeof(*t), err);

    if (t && cp_tables_map(&t->samples, CP_SAMPLE_RECORDER_SLOTS,
                           CP_SAMPLE_RECORDER_FRAMES, err) != CP_OK) {
        cp_free(t);
        return NULL;
    }
    return t;
}

static bool is_half_full(const struct cp_signal_samples *s)
{
    return atomic_load(&s->used_slots) > s->n_slots / 2 ||
           atomic_load(&s->used_frames) > s->n_frames / 2;
}

/*
 * Returns the table in which a new recording starts, or NULL if there is no
 * memory.
 */
static struct cp_sample_recorder_table *
current_table(struct cp_sample_recorder *r, struct cp_error *err)
{
    struct cp_sample_recorder_table *t;

    if (r->newest && (!is_half_full(&r->newest->samples) ||
                      r->n_tables == CP_SAMPLE_RECORDER_TABLES))
        return r->newest;
    t = new_table(err);
    if (!t)
        return NULL;
    CP_ASSERT((r->oldest == NULL) == (r->newest == NULL));
    CP_ASSERT(r->n_tables < CP_SAMPLE_RECORDER_TABLES);
    if (r->newest)
        r->newest->next = t;
    else
        r->oldest = t;
    r->newest = t;
    r->n_tables++;
    atomic_store(r->live, &t->samples);
    return t;
}

static struct cp_sample_recorder_count
lost_of(const struct cp_signal_samples *s)
{
    return (struct cp_sample_recorder_count){ atomic_load(&s->lost_count),
                                              atomic_load(&s->lost_value) };
}

static struct cp_sample_recorder_count
count_of(const struct cp_signal_slot *slot)
{
    return (struct cp_sample_recorder_count){ atomic_load(&slot->count),
                                              atomic_load(&slot->value) };
}

static bool is_used(const struct cp_signal_samples *s, size_t at)
{
    return atomic_load_explicit(&s->slots[at].key, memory_order_relaxed) != 0;
}

/*
 * Copies the counts of all slots in use. Handlers fill slots concurrently, so
 * the array is larger than the present number of slots.
 */
static enum cp_status copy_counts(const struct cp_signal_samples *s,
                                  struct cp_sample_recorder_mark *mark,
                                  struct cp_error *err)
{
    size_t cap = (size_t)atomic_load(&s->used_slots);

    if (cap == 0)
        return CP_OK;
    cap += cap / 8 + SPARE_SLOTS;
    mark->before = cp_alloc(cap, sizeof(*mark->before), err);
    if (!mark->before)
        return CP_ENOMEM;
    for (size_t i = 0; i < s->n_slots && mark->n_before < cap; i++)
        if (is_used(s, i))
            mark->before[mark->n_before++] =
                (struct cp_sample_recorder_seen){ i, count_of(&s->slots[i]) };
    return CP_OK;
}

enum cp_status cp_sample_recorder_open(struct cp_sample_recorder *r,
                                       struct cp_sample_recorder_mark *out,
                                       struct cp_error *err)
{
    struct cp_sample_recorder_mark mark = { .table = current_table(r, err) };
    const struct cp_signal_samples *s;

    if (!mark.table)
        return CP_ENOMEM;
    s = &mark.table->samples;
    if (copy_counts(s, &mark, err) != CP_OK)
        return CP_ENOMEM;
    mark.lost = lost_of(s);
    mark.table->n_recordings++;
    r->n_recordings++;
    *out = mark;
    return CP_OK;
}

/*
 * Removes the oldest tables up to the first one in which a recording starts,
 * and frees them after one grace period. A table is leaked if a reader does not
 * exit.
 */
static void drop_tables(struct cp_sample_recorder *r)
{
    bool is_quiesced = true, has_waited = false;

    while (r->oldest && r->oldest->n_recordings == 0 &&
           (r->oldest != r->newest || r->n_recordings == 0)) {
        struct cp_sample_recorder_table *t = r->oldest;

        if (!has_waited)
            is_quiesced = cp_readers_wait();
        has_waited = true;
        CP_ASSERT(r->n_tables > 0);
        CP_ASSERT(&t->samples != atomic_load(r->live));
        r->oldest = t->next;
        if (!r->oldest)
            r->newest = NULL;
        r->n_tables--;
        if (is_quiesced)
            free_table(t);
    }
}

void cp_sample_recorder_close(struct cp_sample_recorder *r,
                              struct cp_sample_recorder_mark *mark)
{
    CP_ASSERT(mark->table && mark->table->n_recordings > 0);
    CP_ASSERT(r->n_recordings > 0);
    cp_free(mark->before);
    mark->table->n_recordings--;
    *mark = (struct cp_sample_recorder_mark){ 0 };
    if (--r->n_recordings == 0)
        atomic_store(r->live, NULL);
    drop_tables(r);
}

size_t cp_sample_recorder_bytes(const struct cp_sample_recorder *r)
{
    size_t bytes = 0;

    for (const struct cp_sample_recorder_table *t = r->oldest; t; t = t->next)
        bytes += cp_tables_bytes(&t->samples);
    return bytes;
}

/* Leaks the tables: a thread of the parent may have been changing them. */
void cp_sample_recorder_reset_after_fork(struct cp_sample_recorder *r)
{
    atomic_store(r->live, NULL);
    r->oldest = r->newest = NULL;
    r->n_tables = r->n_recordings = 0;
}

/* Writes the growth of one slot since `before`. */
static enum cp_status write_slot(struct cp_stack_writer *w,
                                 const struct cp_signal_samples *s,
                                 const struct cp_sample_recorder_seen *before,
                                 const char *const *states)
{
    const struct cp_signal_slot *slot = &s->slots[before->slot];
    struct cp_sample_recorder_count seen = count_of(slot);
    struct cp_stack stack = { 0 };
    int64_t values[2];

    seen.count -= before->count.count;
    seen.value -= before->count.value;
    if (seen.count == 0 || !cp_stack_read_slot(s, slot, &stack))
        return CP_OK;
    CP_ASSERT(before->slot < s->n_slots);
    if (states && slot->tag.state) {
        stack.text_key = "state";
        stack.text = states[slot->tag.state];
    }
    values[0] = (int64_t)seen.count;
    values[1] = (int64_t)seen.value;
    return cp_stack_write(w, &stack, values);
}

/* Writes the growth of a table since the mark. */
static enum cp_status write_table(struct cp_stack_writer *w,
                                  const struct cp_signal_samples *s,
                                  const struct cp_sample_recorder_mark *mark,
                                  const char *const *states)
{
    const uintptr_t lost_frame = CP_FRAME_LOST;
    struct cp_sample_recorder_count lost = lost_of(s);
    int64_t values[2] = { (int64_t)(lost.count - mark->lost.count),
                          (int64_t)(lost.value - mark->lost.value) };
    struct cp_stack stack = { .frames = &lost_frame, .n = 1 };
    enum cp_status status = CP_OK;
    size_t at = 0; /* index in mark->before */

    for (size_t i = 0; i < s->n_slots && status == CP_OK; i++) {
        struct cp_sample_recorder_seen before = { .slot = i };

        if (at < mark->n_before && mark->before[at].slot == i)
            before = mark->before[at++];
        CP_ASSERT(at == mark->n_before || mark->before[at].slot > i);
        if (is_used(s, i))
            status = write_slot(w, s, &before, states);
    }
    if (status == CP_OK && values[0])
        status = cp_stack_write(w, &stack, values);
    return status;
}

enum cp_status
cp_sample_recorder_write(const struct cp_sample_recorder_mark *mark,
                         const char *const *states, struct cp_builder *b,
                         struct cp_error *err)
{
    const struct cp_sample_recorder_mark none = { 0 };
    struct cp_stack_writer w = { .b = b, .err = err };
    enum cp_status status = CP_OK;

    for (const struct cp_sample_recorder_table *t = mark->table;
         t && status == CP_OK; t = t->next)
        status = write_table(&w, &t->samples, t == mark->table ? mark : &none,
                             states);
    if (status == CP_OK)
        cp_stack_writer_finish(&w);
    return status;
}
