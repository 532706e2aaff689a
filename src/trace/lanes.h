/*
 * lanes - turns the steps of a trace into slices: the state of a thread with
 * begin and end. For formats whose viewers draw one lane per thread.
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
    uint64_t flow; /* flow id from its waker; 0 if none or already written */
    char thread_name[64]; /* "" if unknown */
};

/* Initialize with CP_LANES_INIT. */
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
 * Applies a step. Returns true if the step ends a slice, which it copies to
 * *out_ended. *out_lane is the thread's lane, or NULL if it has none.
 */
bool cp_lanes_step(struct cp_lanes *l, const struct cp_step *s,
                   struct cp_lane **out_lane, struct cp_lane *out_ended);

/* The stacks that a writer must still symbolize; each is returned once. */
struct cp_lane_stacks {
    bool *seen; /* indexed by number */
    uint32_t n_stacks;
    uint32_t *wanted;
    size_t n_wanted, cap_wanted;
};

enum cp_status cp_lane_stacks_init(struct cp_lane_stacks *s, uint32_t n_stacks,
                                   struct cp_error *err);
void cp_lane_stacks_release(struct cp_lane_stacks *s);

/* Marks the stack as used. Returns its number, or 0 if memory is exhausted. */
uint32_t cp_lane_stacks_use(struct cp_lane_stacks *s, uint32_t stack);

#endif
