/* stack_writer.c - turns frames and labels into locations and label sets. */
#include "runtime/stacks/stack_writer.h"

#include <string.h>

#include "base/assert/assert.h"
#include "base/index.h"
#include "profile/model/build.h"
#include "runtime/threads/labels.h"
#include "signal/tables/samples.h"
#include "signal/unwinder/walk.h"

static const char *const special_names[CP_STACK_SPECIAL] = {
    [CP_FRAME_ELIDED] = "[frames left out]",
    [CP_FRAME_NO_ROOM] = "[profile table full]",
    [CP_FRAME_LOST] = "[lost samples]",
    [CP_FRAME_NO_REPLY] = "[thread does not answer]",
    [CP_FRAME_UNATTRIBUTED] = "[threads not seen]",
    [CP_FRAME_ASLEEP] = "[asleep, stack not known]",
};

bool cp_stack_read_slot(const struct cp_signal_samples *s,
                        const struct cp_signal_slot *slot, struct cp_stack *out)
{
    static const uintptr_t no_room = CP_FRAME_NO_ROOM;
    uint64_t where = atomic_load(&slot->frames);

    if (where == CP_SAMPLE_UNWRITTEN)
        return false;
    out->frames =
        where == CP_SAMPLE_NO_ROOM ? &no_room : s->frames + (where >> 16);
    out->n = where == CP_SAMPLE_NO_ROOM ? 1 : where & 0xffff;
    out->labels = slot->tag.labels; /* the frames are published after the tag */
    CP_ASSERT(out->n <= CP_WALK_MAX);
    return true;
}

/* The location of a special frame, created at its first use. */
static uint32_t special_location(struct cp_stack_writer *w, uintptr_t frame)
{
    const char *name = special_names[frame];
    struct cp_function function = { 0 };
    struct cp_line line = { 0 };
    uint32_t location;

    CP_ASSERT(frame < CP_STACK_SPECIAL && name);
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

static uint32_t text_of(struct cp_stack_writer *w, const char *text)
{
    return cp_builder_str(w->b, text, strlen(text), w->err);
}

static uint32_t label_set(struct cp_stack_writer *w,
                          const struct cp_stack *stack)
{
    struct cp_label labels[CP_LABELS_MAX_PAIRS + 2 + CP_STACK_TEXTS];
    const struct cp_label_pair *pairs;
    size_t n_pairs = cp_labels_get(stack->labels, &pairs);
    uint32_t n = 0;

    CP_ASSERT(n_pairs <= CP_LABELS_MAX_PAIRS);
    CP_ASSERT(stack->n_texts <= CP_STACK_TEXTS);
    for (size_t i = 0; i < n_pairs; i++)
        labels[n++] = (struct cp_label){ .key = text_of(w, pairs[i].key),
                                         .str = text_of(w, pairs[i].value) };
    if (stack->text_key)
        labels[n++] = (struct cp_label){ .key = text_of(w, stack->text_key),
                                         .str = text_of(w, stack->text) };
    for (size_t i = 0; i < stack->n_texts; i++)
        labels[n++] =
            (struct cp_label){ .key = text_of(w, stack->texts[i][0]),
                               .str = text_of(w, stack->texts[i][1]) };
    for (uint32_t i = 0; i < n; i++)
        if (labels[i].key == CP_NO_STR || labels[i].str == CP_NO_STR)
            return CP_NONE;
    if (stack->number_key) {
        labels[n] = (struct cp_label){ .key = text_of(w, stack->number_key),
                                       .str = CP_NONE,
                                       .num = stack->number,
                                       .unit = text_of(w, stack->number_unit) };
        if (labels[n].key == CP_NO_STR || labels[n].unit == CP_NO_STR)
            return CP_NONE;
        n++;
    }
    return cp_builder_label_set(w->b, labels, n, w->err);
}

enum cp_status cp_stack_write(struct cp_stack_writer *w,
                              const struct cp_stack *stack,
                              const int64_t *values)
{
    uint32_t locs[CP_WALK_MAX], set = label_set(w, stack);

    CP_ASSERT(stack->n <= CP_WALK_MAX);
    if (set == CP_NONE)
        return CP_ENOMEM;
    for (size_t i = 0; i < stack->n; i++) {
        uintptr_t frame = stack->frames[i];

        if (frame < CP_STACK_SPECIAL && special_names[frame])
            locs[i] = special_location(w, frame);
        else
            locs[i] = cp_builder_location(w->b, frame, w->err);
        if (locs[i] == CP_NONE)
            return CP_ENOMEM;
    }
    return cp_builder_sample(w->b, locs, (uint32_t)stack->n, values, set,
                             w->err);
}

/* The address made the location unique; readers expect 0. */
void cp_stack_writer_finish(struct cp_stack_writer *w)
{
    for (size_t i = 0; i < CP_STACK_SPECIAL; i++)
        if (w->special[i])
            w->b->profile->locations[w->special[i] - 1].address = 0;
}
