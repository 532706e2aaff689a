/*
 * recorder.c - see recorder.h.
 *
 * The table's memory is mapped once; its pages come when they are touched and
 * go back when the last window is closed.
 */
#include "runtime/recorder.h"

#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "runtime/labels.h"
#include "runtime/timer.h"
#include "signal/walk.h"
#include "unwind/settle.h"

#define FRAMES_SPECIAL 5

static const char *const special_names[FRAMES_SPECIAL] = {
    [CP_FRAME_ELIDED] = "[frames left out]",
    [CP_FRAME_NO_ROOM] = "[profile table full]",
    [CP_FRAME_LOST] = "[lost samples]",
    [CP_FRAME_SILENT] = "[thread does not answer]",
};

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

struct writer {
    struct cp_builder *b;
    struct cp_error *err;
    const char *const *states;
    uint32_t special[FRAMES_SPECIAL]; /* location + 1; 0: not made yet */
};

/* The location of a frame that has a name instead of an address. */
static uint32_t special_location(struct writer *w, uintptr_t frame)
{
    const char *name = special_names[frame];
    struct cp_function function = { 0 };
    struct cp_line line = { 0 };
    uint32_t location;

    if (w->special[frame])
        return w->special[frame] - 1;
    function.name = cp_builder_str(w->b, name, strlen(name), w->err);
    if (function.name == CP_NO_STR)
        return CP_NONE;
    function.system_name = function.name;
    line.function = cp_builder_function(w->b, function, w->err);
    location = cp_builder_location(w->b, frame, w->err);
    if (line.function == CP_NONE || location == CP_NONE ||
        cp_builder_line(w->b, location, line, w->err) != CP_OK)
        return CP_NONE;
    w->special[frame] = location + 1;
    return location;
}

static enum cp_status add_text_label(struct writer *w, struct cp_label *out,
                                     const char *key, const char *value)
{
    *out = (struct cp_label){
        .key = cp_builder_str(w->b, key, strlen(key), w->err),
        .str = cp_builder_str(w->b, value, strlen(value), w->err),
    };
    return out->key == CP_NO_STR || out->str == CP_NO_STR ? CP_ENOMEM : CP_OK;
}

static uint32_t label_set(struct writer *w, struct cp_signal_tag tag)
{
    struct cp_label labels[CP_LABELS_MOST_PAIRS + 1];
    const struct cp_label_pair *pairs;
    size_t n_pairs = cp_labels_get(tag.labels, &pairs);
    uint32_t n = 0;

    for (size_t i = 0; i < n_pairs; i++)
        if (add_text_label(w, &labels[n++], pairs[i].key, pairs[i].value) !=
            CP_OK)
            return CP_NONE;
    if (w->states && tag.state &&
        add_text_label(w, &labels[n++], "state", w->states[tag.state]) != CP_OK)
        return CP_NONE;
    return cp_builder_label_set(w->b, labels, n, w->err);
}

static enum cp_status write_sample(struct writer *w, const uintptr_t *frames,
                                   size_t n, struct cp_signal_tag tag,
                                   struct cp_recorder_count seen)
{
    uint32_t locs[CP_WALK_MOST], set = label_set(w, tag);
    int64_t values[2] = { (int64_t)seen.count, (int64_t)seen.value };

    if (set == CP_NONE)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (frames[i] < FRAMES_SPECIAL && special_names[frames[i]])
            locs[i] = special_location(w, frames[i]);
        else
            locs[i] = cp_builder_location(w->b, frames[i], w->err);
        if (locs[i] == CP_NONE)
            return CP_ENOMEM;
    }
    return cp_builder_sample(w->b, locs, (uint32_t)n, values, set, w->err);
}

static enum cp_status write_slot(struct writer *w,
                                 const struct cp_signal_samples *s, size_t at,
                                 const struct cp_recorder_mark *mark)
{
    const struct cp_signal_slot *slot = &s->slots[at];
    const uintptr_t no_room = CP_FRAME_NO_ROOM;
    uint64_t where = atomic_load(&slot->frames);
    struct cp_recorder_count seen = count_of(slot);

    if (mark->before) {
        seen.count -= mark->before[at].count;
        seen.value -= mark->before[at].value;
    }
    if (seen.count == 0 || where == CP_SAMPLE_UNWRITTEN)
        return CP_OK;
    if (where == CP_SAMPLE_NO_ROOM)
        return write_sample(w, &no_room, 1, slot->tag, seen);
    return write_sample(w, s->frames + (where >> 16), where & 0xffff, slot->tag,
                        seen);
}

enum cp_status cp_recorder_write(const struct cp_recorder *r,
                                 const struct cp_recorder_mark *mark,
                                 const char *const *states,
                                 struct cp_builder *b, struct cp_error *err)
{
    const struct cp_signal_samples *s = &r->samples;
    const uintptr_t lost_frame = CP_FRAME_LOST;
    struct cp_recorder_count lost = lost_of(s);
    struct writer w = { .b = b, .err = err, .states = states };
    enum cp_status status = CP_OK;

    for (size_t i = 0; i < s->n_slots && status == CP_OK; i++)
        if (atomic_load_explicit(&s->slots[i].key, memory_order_relaxed))
            status = write_slot(&w, s, i, mark);
    lost.count -= mark->lost.count;
    lost.value -= mark->lost.value;
    if (status == CP_OK && lost.count)
        status =
            write_sample(&w, &lost_frame, 1, (struct cp_signal_tag){ 0 }, lost);
    for (size_t i = 0; i < FRAMES_SPECIAL && status == CP_OK; i++)
        if (w.special[i])
            b->profile->locations[w.special[i] - 1].address = 0;
    return status;
}
