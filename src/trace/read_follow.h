/*
 * read_follow - the state of all goroutines, threads and processors of a trace,
 * and what each event makes of it. The inside of read_spans.
 */
#ifndef CP_TRACE_READ_FOLLOW_H
#define CP_TRACE_READ_FOLLOW_H

#include "trace/read_events.h"
#include "trace/read_spans.h"

/* A thread of the system: which goroutine and processor it has. */
struct cp_trace_thread {
    uint32_t lane;           /* or CP_TRACE_NO_LANE */
    uint32_t proc;           /* the same */
    bool is_proc_in_syscall; /* it may be taken away */
};

struct cp_trace_proc {
    uint64_t seq, seq_number; /* as those of a lane */
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
    uint8_t *states; /* by reason, + 1; 0: not known yet */
    size_t n_states, cap_states;
    uint64_t number;                  /* of the generation */
    uint32_t counters[3], gc, assist; /* strings of our own */
    uint32_t pause;                   /* string: why the world is stopped */
};

/* For read_order.h: a thread's number, whose turn it is, what it does. */
enum cp_status cp_trace_follow_thread(void *context, uint64_t id, uint32_t *out,
                                      struct cp_error *err);
bool cp_trace_follow_is_ready(void *context, uint32_t thread,
                              const struct cp_trace_read_event *e);
enum cp_status cp_trace_follow_take(void *context, uint32_t thread,
                                    uint64_t now,
                                    const struct cp_trace_read_event *e,
                                    struct cp_error *err);

/* Tells the watcher of a moment. */
enum cp_status cp_trace_follow_mark(struct cp_trace_spans *s,
                                    const struct cp_trace_mark *m,
                                    struct cp_error *err);

/* Ends all spans where the trace ends. */
enum cp_status cp_trace_follow_end(struct cp_trace_spans *s, uint64_t now,
                                   struct cp_error *err);

#endif
