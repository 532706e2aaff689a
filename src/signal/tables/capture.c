/* capture.c - walks the current stack and adds it to a sample table. */
#include "signal/tables/capture.h"

#include "base/assert/assert.h"
#include "signal/tables/readers.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/arch.h"

#define MAX_HOOK_FRAMES 8 /* innermost frames, those of the library */

/*
 * Returns the number of the library's frames, which are the innermost ones,
 * before the caller's frame.
 */
static size_t hook_frames(const uintptr_t *frames, size_t n, uintptr_t caller)
{
    for (size_t i = 0; i < n && i < MAX_HOOK_FRAMES; i++)
        if (frames[i] == caller - 1 || frames[i] == caller)
            return i;
    return 0;
}

struct cp_signal_slot *cp_signal_capture(struct cp_signal_samples *s,
                                         uintptr_t caller, uint32_t state,
                                         uint64_t count, uint64_t value)
{
    struct cp_signal_thread *t = cp_signal_self;
    struct cp_reader_slot *reader =
        cp_readers_enter((uint32_t)((uintptr_t)&t >> 12));
    struct cp_signal_walk walk = { 0 };
    struct cp_signal_tag tag = { .state = state };
    struct cp_signal_slot *slot;
    struct cp_signal_regs regs;
    size_t n, n_hook;

    CP_ASSERT(s->slots && s->n_slots > 0);
    if (!reader) {
        cp_signal_add_lost(s, count, value);
        return NULL;
    }
    if (t) {
        walk.reader.stack_low = atomic_load(&t->stack_low);
        walk.reader.stack_high = atomic_load(&t->stack_high);
        tag.labels = atomic_load(&t->labels);
    }
    walk.table = cp_unwind_table_current();
    cp_arch_current_regs(&regs);
    n = cp_signal_walk(&walk, regs, reader->frames);
    n_hook = hook_frames(reader->frames, n, caller);
    CP_ASSERT(n_hook <= n && n <= CP_WALK_MAX);
    slot = cp_signal_add(s, reader->frames + n_hook, n - n_hook, tag, count,
                         value);
    cp_readers_exit(reader);
    return slot;
}
