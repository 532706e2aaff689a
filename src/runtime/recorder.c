/*
 * recorder.c - see recorder.h.
 *
 * The table's memory is mapped once; its pages come when they are touched and
 * go back when the last window is closed.
 */
#include "runtime/recorder.h"

#include <sys/mman.h>

#include "base/alloc.h"
#include "runtime/stack_writer.h"
#include "runtime/timer.h"
#include "unwind/settle.h"

static void *map_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static enum cp_status map_table(struct cp_recorder *r, struct cp_error *err)
{
    struct cp_signal_samples *s = &r->samples;

    if (!s->slots)
        s->slots = map_pages(CP_RECORDER_SLOTS * sizeof(*s->slots));
    if (!s->frames)
        s->frames = map_pages(CP_RECORDER_FRAMES * sizeof(*s->frames));
    if (!s->slots || !s->frames)
        return cp_error_nomem(err);
    s->n_slots = CP_RECORDER_SLOTS;
    s->n_frames = CP_RECORDER_FRAMES;
    s->seed = cp_timer_random(UINT64_MAX - 1);
    return CP_OK;
}

static void clear_table(struct cp_recorder *r)
{
    struct cp_signal_samples *s = &r->samples;

    (void)madvise(s->slots, s->n_slots * sizeof(*s->slots), MADV_DONTNEED);
    (void)madvise(s->frames, s->n_frames * sizeof(*s->frames), MADV_DONTNEED);
    atomic_store(&s->used_frames, 0);
    atomic_store(&s->used_slots, 0);
    atomic_store(&s->lost_count, 0);
    atomic_store(&s->lost_value, 0);
}

static struct cp_recorder_count lost_of(const struct cp_signal_samples *s)
{
    return (struct cp_recorder_count){ atomic_load(&s->lost_count),
                                       atomic_load(&s->lost_value) };
}

static struct cp_recorder_count count_of(const struct cp_signal_slot *slot)
{
    return (struct cp_recorder_count){ atomic_load(&slot->count),
                                       atomic_load(&slot->value) };
}

enum cp_status cp_recorder_open(struct cp_recorder *r,
                                struct cp_recorder_mark *out,
                                struct cp_error *err)
{
    struct cp_signal_samples *s = &r->samples;
    struct cp_recorder_mark mark = { 0 };

    if (r->n_windows == 0) {
        if (map_table(r, err) != CP_OK)
            return CP_ENOMEM;
        atomic_store(r->live, s);
    } else {
        mark.before = cp_alloc(s->n_slots, sizeof(*mark.before), err);
        if (!mark.before)
            return CP_ENOMEM;
        for (size_t i = 0; i < s->n_slots; i++)
            if (atomic_load_explicit(&s->slots[i].key, memory_order_relaxed))
                mark.before[i] = count_of(&s->slots[i]);
        mark.lost = lost_of(s);
    }
    r->n_windows++;
    *out = mark;
    return CP_OK;
}

void cp_recorder_close(struct cp_recorder *r, struct cp_recorder_mark *mark)
{
    cp_free(mark->before);
    *mark = (struct cp_recorder_mark){ 0 };
    if (--r->n_windows > 0)
        return;
    atomic_store(r->live, NULL);
    if (cp_settle()) {
        clear_table(r);
    } else {
        r->samples.slots = NULL; /* left to whoever is still at it */
        r->samples.frames = NULL;
    }
}

size_t cp_recorder_bytes(const struct cp_recorder *r)
{
    size_t n_frames = (size_t)atomic_load(&r->samples.used_frames);
    size_t n_slots = (size_t)atomic_load(&r->samples.used_slots);
    size_t most = CP_RECORDER_SLOTS * sizeof(*r->samples.slots);

    /* A page for each slot, until all pages are touched. */
    return n_frames * sizeof(uintptr_t) +
           (n_slots * 4096 < most ? n_slots * 4096 : most);
}

void cp_recorder_forget(struct cp_recorder *r)
{
    atomic_store(r->live, NULL);
    r->n_windows = 0;
    if (r->samples.slots && r->samples.frames)
        clear_table(r);
}

/* Writing. */

static enum cp_status write_slot(struct cp_stack_writer *w,
                                 const struct cp_signal_samples *s, size_t at,
                                 const struct cp_recorder_mark *mark,
                                 const char *const *states)
{
    const struct cp_signal_slot *slot = &s->slots[at];
    struct cp_recorder_count seen = count_of(slot);
    struct cp_stack stack = { .labels = slot->tag.labels };
    int64_t values[2];

    if (mark->before) {
        seen.count -= mark->before[at].count;
        seen.value -= mark->before[at].value;
    }
    if (seen.count == 0 || !cp_stack_of_slot(s, slot, &stack))
        return CP_OK;
    if (states && slot->tag.state) {
        stack.text_key = "state";
        stack.text = states[slot->tag.state];
    }
    values[0] = (int64_t)seen.count;
    values[1] = (int64_t)seen.value;
    return cp_stack_write(w, &stack, values);
}

enum cp_status cp_recorder_write(const struct cp_recorder *r,
                                 const struct cp_recorder_mark *mark,
                                 const char *const *states,
                                 struct cp_builder *b, struct cp_error *err)
{
    const struct cp_signal_samples *s = &r->samples;
    const uintptr_t lost_frame = CP_FRAME_LOST;
    struct cp_recorder_count lost = lost_of(s);
    int64_t values[2] = { (int64_t)(lost.count - mark->lost.count),
                          (int64_t)(lost.value - mark->lost.value) };
    struct cp_stack stack = { .frames = &lost_frame, .n = 1 };
    struct cp_stack_writer w = { .b = b, .err = err };
    enum cp_status status = CP_OK;

    for (size_t i = 0; i < s->n_slots && status == CP_OK; i++)
        if (atomic_load_explicit(&s->slots[i].key, memory_order_relaxed))
            status = write_slot(&w, s, i, mark, states);
    if (status == CP_OK && values[0])
        status = cp_stack_write(&w, &stack, values);
    if (status == CP_OK)
        cp_stack_writer_finish(&w);
    return status;
}
