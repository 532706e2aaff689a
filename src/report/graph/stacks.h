/*
 * stacks - the distinct stacks of a report, with what their samples add up to.
 *
 * What folded.c writes out and flamegraph_layout.c draws. Frames are told
 * apart by the name that is shown, and an inlined call is a frame of its own.
 * A stack is not copied: it is remembered as a sample that has it, and read
 * again with a cursor, so memory is 40 bytes a distinct stack, however deep.
 */
#ifndef CP_STACKS_H
#define CP_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/index.h"
#include "base/strtab.h"
#include "profile/model/profile.h"
#include "report/core/frames.h"
#include "report/core/report.h"

struct cp_stack {
    uint64_t hash;
    int64_t up, down; /* sums of the positive and of the negative values */
    int64_t div;      /* of means; 0 otherwise */
    uint32_t sample;  /* one that has this stack */
};

/* Starts as { 0 }. */
struct cp_stacks {
    const struct cp_report *report;
    struct cp_frames frames;
    struct cp_strtab names; /* of frames, as shown */
    uint32_t *name_of;      /* by place in frames.nodes */
    struct cp_stack *stacks;
    uint32_t n_stacks;
    bool has_base; /* some samples are a base to compare with */
    bool is_diff;  /* there is a base, or there are negative values */
    struct cp_arena arena;
};

/* Makes a name fit the report; the text may be changed in place. */
typedef void (*cp_stacks_clean)(char *name, size_t len);

/* Collects the stacks of all samples with a value; clean may be NULL. */
enum cp_status cp_stacks_init(struct cp_stacks *s, const struct cp_report *r,
                              cp_stacks_clean clean, struct cp_error *err);
void cp_stacks_release(struct cp_stacks *s);

/* The value of a stack: its sum or mean, divided by divide_by. */
int64_t cp_stacks_value(const struct cp_stacks *s, uint32_t stack);

/* The same for the sizes of what it gained and lost, added up. */
double cp_stacks_weight(const struct cp_stacks *s, uint32_t stack);

/* A place in a stack, on the way from the root to the leaf. */
struct cp_cursor {
    const uint32_t *locs; /* leaf first */
    uint32_t n_locs;      /* locations below this one */
    uint32_t n_nodes;     /* frames of this location below this one */
    uint32_t stack;
    uint32_t name; /* CP_NONE past the leaf */
};

/* One frame down. */
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

/* A cursor on the root frame. */
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
