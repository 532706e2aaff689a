/*
 * lanes - the steps of a trace as slices: what a thread is in, from when to
 * when. For the formats whose viewers draw one lane a thread.
 */
#ifndef CP_TRACE_LANES_H
#define CP_TRACE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/tid_table.h"

struct cp_step;

#define CP_LANE_TEXT 64

struct cp_lane {
    int32_t tid;
    bool is_open;
    uint64_t since_ns;
    char name[CP_LANE_TEXT]; /* "running", "sync.mutex", "read", ... */
    const char *category;    /* "running", "blocked", "syscall", "runnable" */
    uint32_t stack;
    uint64_t flow;        /* of who woke it; 0: nobody, or it is told */
    char thread_name[64]; /* "": not known yet */
};

/* Starts with CP_LANES_INIT. */
struct cp_lanes {
    struct cp_tid_table threads;
    uint64_t n_flows;
};

#define CP_LANES_INIT                                                          \
    {                                                                          \
        .threads = {.size = sizeof(struct cp_lane) }                           \
    }

void cp_lanes_release(struct cp_lanes *l);

/*
 * Takes a step. If it ends a slice, *out_ended is that and true is returned.
 * *out_lane is the thread's lane, NULL if there is none (any more).
 */
bool cp_lanes_step(struct cp_lanes *l, const struct cp_step *s,
                   struct cp_lane **out_lane, struct cp_lane *out_ended);

/* The stacks of a writer that are still to be named; each comes up once. */
struct cp_lane_stacks {
    bool *seen; /* by number */
    uint32_t n_stacks;
    uint32_t *wanted;
    size_t n_wanted, cap_wanted;
};

enum cp_status cp_lane_stacks_init(struct cp_lane_stacks *s, uint32_t n_stacks,
                                   struct cp_error *err);
void cp_lane_stacks_release(struct cp_lane_stacks *s);

/* The number if it can be had, else 0. */
uint32_t cp_lane_stacks_use(struct cp_lane_stacks *s, uint32_t stack);

#endif
