/*
 * stacks - the distinct stacks of a report, with the sums of their samples.
 *
 * folded.c writes them and flamegraph_layout.c draws them. Frames are compared
 * by their shown name; an inlined call is a frame. A stack is stored as the
 * number of a sample that has it and is read through a cursor. So a distinct
 * stack takes 40 bytes, whatever its depth.
 */
#ifndef CP_STACKS_H
#define CP_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "report/core/frames.h"
#include "report/core/report.h"

struct cp_stack {
    uint64_t hash;
    int64_t up, down; /* sums of the positive and of the negative values */
    int64_t div;      /* divisor of the mean; 0 without -mean */
    uint32_t sample;  /* a sample with this stack */
};

/* Initialize with { 0 }. */
struct cp_stacks {
    const struct cp_report *report;
    struct cp_frames frames;
    struct cp_strtab names; /* names of frames, as shown */
    uint32_t *name_of;      /* indexed by index in frames.nodes */
    struct cp_stack *stacks;
    uint32_t n_stacks;
    bool has_base; /* some samples belong to a base */
    bool is_diff;  /* has a base or negative values */
    struct cp_arena arena;
};

/* Replaces characters that the format does not allow, in place. */
typedef void (*cp_stacks_clean)(char *name, size_t len);

/* Collects the stacks of all samples with a value; clean may be NULL. */
enum cp_status cp_stacks_init(struct cp_stacks *s, const struct cp_report *r,
                              cp_stacks_clean clean, struct cp_error *err);
void cp_stacks_release(struct cp_stacks *s);

/* Returns the value of a stack: its sum or mean, divided by divide_by. */
int64_t cp_stacks_value(const struct cp_stacks *s, uint32_t stack);

/* Returns the value of a stack with absolute values: gains plus losses. */
double cp_stacks_weight(const struct cp_stacks *s, uint32_t stack);

/* A position in a stack, moving from the root to the leaf. */
struct cp_cursor {
    const uint32_t *locs; /* leaf first */
    uint32_t n_locs;      /* locations below this one */
    uint32_t n_nodes;     /* frames of this location below this one */
    uint32_t stack;
    uint32_t name; /* CP_NONE past the leaf */
};

/* Moves one frame towards the leaf. */
static inline void cp_cursor_next(const struct cp_stacks *s,
                                  struct cp_cursor *c)
{
    const uint32_t *first = s->frames.first;

    if (c->n_nodes == 0) {
        if (c->n_locs == 0) {
            c->name = CP_NONE;
            return;
        }
        c->n_locs--;
        c->n_nodes = first[c->locs[c->n_locs] + 1] - first[c->locs[c->n_locs]];
    }
    c->n_nodes--;
    c->name = s->name_of[first[c->locs[c->n_locs]] + c->n_nodes];
}

/* Returns a cursor on the root frame. */
static inline struct cp_cursor cp_cursor_at_root(const struct cp_stacks *s,
                                                 uint32_t stack)
{
    const struct cp_profile *p = s->report->profile;
    uint32_t sample = s->stacks[stack].sample;
    struct cp_cursor c = { .locs = cp_profile_stack(p, sample),
                           .n_locs = p->samples[sample].n_locs,
                           .stack = stack };

    cp_cursor_next(s, &c);
    return c;
}

static inline bool cp_cursor_is_leaf(const struct cp_cursor *c)
{
    return c->n_locs == 0 && c->n_nodes == 0;
}

#endif
