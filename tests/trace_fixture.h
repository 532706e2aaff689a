/*
 * trace_fixture - a short trace for the tests of the writers.
 *
 * Thread 1 creates thread 2, which waits for a lock until thread 1 unlocks it;
 * there are regions, messages, a sample and a system call; thread 2 ends.
 */
#ifndef CP_TRACE_FIXTURE_H
#define CP_TRACE_FIXTURE_H

#include <string.h>

#include "base/out.h"
#include "base/strtab.h"
#include "trace/stacks.h"
#include "trace/step.h"

static inline struct cp_str fixture_str(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

static inline void fixture_stacks(struct cp_trace_stacks *s)
{
    (void)cp_trace_stacks_init(s, 16, NULL);
    for (uint32_t number = 1; number <= 3; number++) {
        struct cp_trace_frame leaf = { .pc = 0x100 * number, .line = number };
        struct cp_trace_frame root = { .pc = 0x1000, .line = 9 };

        leaf.function = cp_trace_stacks_str(s, "leaf", 4);
        leaf.file = cp_trace_stacks_str(s, "a.c", 3);
        root.function = cp_trace_stacks_str(s, "ro\"ot", 5);
        (void)cp_trace_stacks_push(s, number, leaf, NULL);
        (void)cp_trace_stacks_push(s, number, root, NULL);
    }
}

static inline void fixture_steps(const struct cp_trace_format *f, void *w)
{
    const struct cp_step steps[] = {
        { 1000, 1000, CP_STEP_KNOWN, .tid = CP_TRACE_RECORDER },
        { 1000, 1000, CP_STEP_KNOWN, .tid = 1 },
        { 1000, 1000, CP_STEP_NAME, .tid = 1, .text = fixture_str("one") },
        { 2000, 2000, CP_STEP_CREATE, .tid = 2, .other = 1, .stack = 1,
          .start = 2 },
        { 3000, 3000, CP_STEP_BEGIN, .tid = 2 },
        { 4000, 4000, CP_STEP_BLOCK, .tid = 2, .stack = 3,
          .text = fixture_str("sync.mutex") },
        { 4500, 4500, CP_STEP_REGION_BEGIN, .tid = 1,
          .text = fixture_str("re\ngion") },
        { 5000, 5000, CP_STEP_UNBLOCK, .tid = 2, .other = 1, .stack = 1 },
        { 6000, 6000, CP_STEP_RESUME, .tid = 2 },
        { 6500, 6500, CP_STEP_SAMPLE, .tid = 2, .stack = 2 },
        { 7000, 7000, CP_STEP_CALL, .tid = 1, .text = fixture_str("read") },
        { 8000, 8000, CP_STEP_RETURN, .tid = 1 },
        { 8100, 8100, CP_STEP_STOP, .tid = 1,
          .text = fixture_str("preempted") },
        { 8200, 8200, CP_STEP_RESUME, .tid = 1 },
        { 8300, 8300, CP_STEP_REGION_END, .tid = 1,
          .text = fixture_str("re\ngion") },
        { 9000, 9000, CP_STEP_LOG, .tid = CP_TRACE_RECORDER,
          .text = fixture_str("category"), .more = fixture_str("mess\xff") },
        { 9500, 9500, CP_STEP_END, .tid = 2 },
        { 9900, 9900, CP_STEP_BLOCK, .tid = 1, .text = fixture_str("sleep") },
    };

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        f->step(w, &steps[i]);
}

static const struct cp_trace_head fixture_head = { .begin_ns = 1000,
                                                   .boot_ns = 5000000,
                                                   .pid = 1,
                                                   .program = "prog",
                                                   .n_stacks = 16 };

/* Writes the whole trace to out. */
static inline void fixture_write(const struct cp_trace_format *f,
                                 struct cp_out *out)
{
    struct cp_trace_stacks stacks = { 0 };
    void *w = f->open(&fixture_head, out, NULL);
    size_t n;

    fixture_stacks(&stacks);
    fixture_steps(f, w);
    (void)f->wanted(w, true, &n);
    f->flush(w, &stacks, true);
    f->free(w);
    cp_trace_stacks_release(&stacks);
}

#endif
