/*
 * read_lanes - the states of all goroutines (lanes), threads and processors of
 * a trace, and the transitions of a lane. Internal to read_spans; read_follow.c
 * maps events to transitions.
 */
#ifndef CP_TRACE_READ_LANES_H
#define CP_TRACE_READ_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/read/read_spans.h"

/* A thread of the system, and the goroutine and processor it holds. */
struct cp_trace_thread {
    uint32_t lane;           /* or CP_TRACE_NO_LANE */
    uint32_t proc;           /* index, or CP_TRACE_NO_LANE */
    bool is_proc_in_syscall; /* a different thread may steal the processor */
};

struct cp_trace_proc {
    uint64_t seq, seq_number; /* as in struct cp_trace_lane */
};

struct cp_trace_spans {
    const struct cp_trace_watcher *watcher;
    struct cp_trace_summary summary;
    struct cp_trace_names names;
    struct cp_trace_lane *lanes;
    struct cp_trace_thread *threads;
    struct cp_trace_proc *procs;
    size_t n_lanes, cap_lanes, n_threads, cap_threads, n_procs, cap_procs;
    struct cp_table lane_ids, thread_ids, proc_ids;
    uint8_t *states; /* indexed by reason: state + 1; 0 if unknown */
    size_t n_states, cap_states;
    uint64_t number; /* number of the generation */
    uint32_t counters[3], gc,
        assist;     /* strings of marks that the reader makes */
    uint32_t pause; /* string: reason of the stop-the-world pause */
};

/* Returns the index for an id, or CP_TABLE_END. */
uint32_t cp_trace_lanes_find(const struct cp_table *ids, uint64_t id);

/*
 * Finds the index of a lane, a processor or (for read_order.h) a thread;
 * added if new.
 */
enum cp_status cp_trace_lanes_lane(struct cp_trace_spans *s, uint64_t id,
                                   uint32_t *out, struct cp_error *err);
enum cp_status cp_trace_lanes_proc(struct cp_trace_spans *s, uint64_t id,
                                   uint32_t *out, struct cp_error *err);
enum cp_status cp_trace_lanes_thread(void *context, uint64_t id, uint32_t *out,
                                     struct cp_error *err);

/* Releases the thread's processor. */
void cp_trace_lanes_drop_proc(struct cp_trace_thread *t);

bool cp_trace_lanes_is_blocked(const struct cp_trace_lane *l);

/* Finds the state of a lane blocked for that reason (a string). */
enum cp_status cp_trace_lanes_blocked_state(struct cp_trace_spans *s,
                                            uint32_t reason, uint8_t *out,
                                            struct cp_error *err);

/* The new state of a lane. */
struct cp_trace_change {
    uint8_t state;
    uint32_t reason, stack, by;
};

enum cp_status cp_trace_lanes_change(struct cp_trace_spans *s, uint32_t lane,
                                     uint64_t now, struct cp_trace_change to,
                                     struct cp_error *err);

/* Changes the lane that the thread runs, if it has one; or ends it. */
enum cp_status cp_trace_lanes_change_own(struct cp_trace_spans *s,
                                         uint32_t thread, uint64_t now,
                                         struct cp_trace_change to,
                                         struct cp_error *err);
enum cp_status cp_trace_lanes_end_own(struct cp_trace_spans *s, uint32_t thread,
                                      uint64_t now, struct cp_error *err);

/* Ends all spans at the end of the trace. */
enum cp_status cp_trace_lanes_end(struct cp_trace_spans *s, uint64_t now,
                                  struct cp_error *err);

#endif
