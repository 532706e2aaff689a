/*
 * read_spans - reads a trace and reports each span of each lane.
 *
 * A lane is a goroutine; in traces of native programs it is a thread. A span is
 * a time that a lane spends in one state; a mark is a moment: sample, message,
 * region. The reader follows the events in order and passes spans and marks to
 * a watcher. It keeps only the current state of each lane, so a trace may have
 * any length.
 *
 * A trace with gaps or contradictions is read as far as possible: each event
 * sets the state from then on.
 */
#ifndef CP_TRACE_READ_SPANS_H
#define CP_TRACE_READ_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/read/read_names.h"

#define CP_TRACE_NO_LANE UINT32_MAX

/* State of a lane. The reason distinguishes blocked lanes. */
enum cp_trace_state {
    CP_TRACE_RUNNING,
    CP_TRACE_RUNNABLE, /* ready, but not on a CPU */
    CP_TRACE_SYSCALL,
    CP_TRACE_NETWORK, /* waits for a socket or other I/O */
    CP_TRACE_SYNC,    /* waits for a lock, a channel or a thread */
    CP_TRACE_SLEEP,
    CP_TRACE_BLOCKED, /* waits for a different reason */
    CP_TRACE_NONE,    /* does not exist */
};
#define CP_TRACE_N_STATES 7 /* without CP_TRACE_NONE */

/* Returns the name: "running", "runnable", ... */
const char *cp_trace_state_name(enum cp_trace_state state);

struct cp_trace_lane {
    uint64_t id;       /* goroutine id */
    uint64_t since_ns; /* begin of the current state */
    uint64_t first_ns, last_ns;
    uint64_t seq;        /* sequence number of its starts and wake-ups */
    uint64_t seq_number; /* generation of seq */
    uint32_t label;      /* string, or 0 */
    uint32_t function;   /* string: start function */
    uint32_t reason;     /* string: reason of the current state */
    uint32_t stack,
        by; /* stack at the begin of the state; lane that caused it */
    uint8_t state;
    bool was_created, has_run, has_ended; /* during the trace */
};

/* A time in one state. */
struct cp_trace_span {
    uint32_t lane;
    uint8_t state;
    bool is_open;  /* ended by the end of the trace */
    bool is_early; /* before the lane first runs in the trace */
    uint32_t reason, stack;
    uint32_t by; /* lane that woke or created it, or CP_TRACE_NO_LANE */
    uint64_t start_ns, end_ns;
};

enum cp_trace_mark_kind {
    CP_TRACE_MARK_SAMPLE,
    CP_TRACE_MARK_LOG,          /* name: category; text */
    CP_TRACE_MARK_REGION_BEGIN, /* name */
    CP_TRACE_MARK_REGION_END,   /* name, or none for the innermost region */
    CP_TRACE_MARK_TASK_BEGIN,   /* name; value: task id */
    CP_TRACE_MARK_TASK_END,
    CP_TRACE_MARK_COUNTER, /* name; value */
    CP_TRACE_MARK_REGION,  /* name; value: end. Made by read_timeline */
};

/* A moment. */
struct cp_trace_mark {
    uint64_t time_ns, value;
    uint32_t lane; /* CP_TRACE_NO_LANE means the whole program */
    uint32_t name, text, stack;
    uint8_t kind;
};

/*
 * Whether this message may come from the recorder (docs/trace-format.md). A
 * program can write the same text; the recorder's lane distinguishes them once
 * it is known.
 */
static inline bool cp_trace_mark_may_be_recorders(const struct cp_trace_mark *m,
                                                  uint32_t recorder)
{
    return recorder == CP_TRACE_NO_LANE || m->lane == recorder;
}

/* Callbacks; each may be NULL. */
struct cp_trace_watcher {
    void *context;
    enum cp_status (*span)(void *context, const struct cp_trace_span *s,
                           struct cp_error *err);
    enum cp_status (*mark)(void *context, const struct cp_trace_mark *m,
                           struct cp_error *err);
};

struct cp_trace_spans;

/* Totals of the trace. */
struct cp_trace_summary {
    int minor; /* minor version of the format */
    uint64_t n_events, n_samples, n_generations;
    uint64_t first_ns, last_ns; /* times of the events; 0 if there are none */
    bool is_cut;
    uint64_t cut_at;
};

/* Reads a trace. Borrows the bytes during the call. */
enum cp_status cp_trace_spans_read(struct cp_trace_spans **out,
                                   const void *bytes, size_t len,
                                   const struct cp_trace_watcher *watcher,
                                   struct cp_error *err);
void cp_trace_spans_free(struct cp_trace_spans *s);

const struct cp_trace_summary *
cp_trace_spans_summary(const struct cp_trace_spans *s);
const struct cp_trace_names *
cp_trace_spans_names(const struct cp_trace_spans *s);
uint32_t cp_trace_spans_n_lanes(const struct cp_trace_spans *s);
const struct cp_trace_lane *cp_trace_spans_lane(const struct cp_trace_spans *s,
                                                uint32_t lane);

/* Returns the lane of that id, or CP_TRACE_NO_LANE. */
uint32_t cp_trace_spans_find(const struct cp_trace_spans *s, uint64_t id);

/* Returns the shown name of the lane: its label or its start function. */
struct cp_str cp_trace_spans_title(const struct cp_trace_spans *s,
                                   uint32_t lane);

#endif
