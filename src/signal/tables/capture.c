/* capture.c - see capture.h. */
#include "signal/tables/capture.h"

#include <stdatomic.h>
#include <stddef.h>

#include "signal/tables/readers.h"
#include "signal/tables/samples.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/arch.h"
#include "signal/unwinder/regs.h"
#include "signal/unwinder/walk.h"

#define MAX_OWN_FRAMES 8 /* frames of our own on top of a stack */

/* How many frames on top are ours: those before the return to the program. */
static size_t own_frames(const uintptr_t *frames, size_t n, uintptr_t caller)
{
    for (size_t i = 0; i < n && i < MAX_OWN_FRAMES; i++)
        if (frames[i] == caller - 1 || frames[i] == caller)
            return i;
    return 0;
}

struct cp_signal_slot *cp_signal_capture(struct cp_signal_samples *s,
                                         uintptr_t caller, uint32_t state,
                                         uint64_t count, uint64_t value)
{
    struct cp_signal_thread *t = cp_signal_self;
    struct cp_reader_slot *place =
        cp_readers_enter((uint32_t)((uintptr_t)&t >> 12));
    struct cp_signal_walk walk = { 0 };
    struct cp_signal_tag tag = { .state = state };
    struct cp_signal_slot *slot;
    struct cp_signal_regs regs;
    size_t n, own;

    if (!place) {
        cp_signal_add_lost(s, count, value);
        return NULL;
    }
    if (t) {
        walk.reader.stack_low = atomic_load(&t->stack_low);
        walk.reader.stack_high = atomic_load(&t->stack_high);
        tag.labels = atomic_load(&t->labels);
    }
    walk.table = cp_unwind_table();
    cp_arch_current_regs(&regs);
    n = cp_signal_walk(&walk, regs, place->frames);
    own = own_frames(place->frames, n, caller);
    slot = cp_signal_add(s, place->frames + own, n - own, tag, count, value);
    cp_readers_exit(place);
    return slot;
}
