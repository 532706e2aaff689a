/*
 * read_spans - what every thread of a trace did, one span after the other.
 *
 * Follows the events in their order and tells a watcher of each span of time
 * that a lane (a goroutine; in traces of native programs a thread) spent in
 * one state, and of single moments: samples, messages, regions. Nothing but
 * the present state of each lane is kept, so a trace of any length can be
 * gone through; what is wanted of it is up to the watcher.
 *
 * A trace with holes, or one that contradicts itself, is followed as far as
 * it makes sense: an event says what the state is from now on.
 */
#ifndef CP_TRACE_READ_SPANS_H
#define CP_TRACE_READ_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strtab.h"
#include "trace/read/read_names.h"

#define CP_TRACE_NO_LANE UINT32_MAX

/* What a lane is doing. Blocked lanes are told apart by the reason. */
enum cp_trace_state {
    CP_TRACE_RUNNING,
    CP_TRACE_RUNNABLE, /* ready, but not on a processor */
    CP_TRACE_SYSCALL,
    CP_TRACE_NETWORK, /* waits for a socket or other I/O */
    CP_TRACE_SYNC,    /* waits for a lock, a channel, another thread */
    CP_TRACE_SLEEP,
    CP_TRACE_BLOCKED, /* waits for anything else */
    CP_TRACE_NONE,    /* is not there */
};
#define CP_TRACE_N_STATES 7 /* without the last */

/* "running", "runnable", ... */
const char *cp_trace_state_name(enum cp_trace_state state);

struct cp_trace_lane {
    uint64_t id;       /* of the goroutine */
    uint64_t since_ns; /* when the present state began */
    uint64_t first_ns, last_ns;
    uint64_t seq; /* count of its starts and wake-ups in the generation */
    uint64_t seq_number; /* the generation of that */
    uint32_t label;      /* string; 0: none */
    uint32_t function;   /* string: what it began with */
    uint32_t reason;     /* string, of the present state */
    uint32_t stack, by;  /* of the same: where it began; which lane did it */
    uint8_t state;
    bool was_created, has_run, has_ended; /* in the trace */
};

/* A time in one state. */
struct cp_trace_span {
    uint32_t lane;
    uint8_t state;
    bool is_open;  /* the trace ended first */
    bool is_early; /* the lane has not run yet in the trace */
    uint32_t reason, stack;
    uint32_t by; /* lane that woke or made it, or CP_TRACE_NO_LANE */
    uint64_t start_ns, end_ns;
};

enum cp_trace_mark_kind {
    CP_TRACE_MARK_SAMPLE,
    CP_TRACE_MARK_LOG,          /* name: category, text */
    CP_TRACE_MARK_REGION_BEGIN, /* name */
    CP_TRACE_MARK_REGION_END,   /* its name, or none for the last that began */
    CP_TRACE_MARK_TASK_BEGIN,   /* name; value: its number */
    CP_TRACE_MARK_TASK_END,
    CP_TRACE_MARK_COUNTER, /* name; value */
    CP_TRACE_MARK_REGION,  /* name; value: its end. Made by read_timeline */
};

/* A moment. */
struct cp_trace_mark {
    uint64_t time_ns, value;
    uint32_t lane; /* CP_TRACE_NO_LANE: of the whole program */
    uint32_t name, text, stack;
    uint8_t kind;
};

/*
 * May this message be from the recorder (docs/trace-format.md)? A program can
 * write the same text; the lane of the recorder tells them apart, once it is
 * known.
 */
static inline bool cp_trace_mark_may_be_ours(const struct cp_trace_mark *m,
                                             uint32_t recorder)
{
    return recorder == CP_TRACE_NO_LANE || m->lane == recorder;
}

/* Functions may be NULL. */
struct cp_trace_watcher {
    void *context;
    enum cp_status (*span)(void *context, const struct cp_trace_span *s,
                           struct cp_error *err);
    enum cp_status (*mark)(void *context, const struct cp_trace_mark *m,
                           struct cp_error *err);
};

struct cp_trace_spans;

/* What the trace came to. */
struct cp_trace_summary {
    int minor; /* of the format's version */
    uint64_t n_events, n_samples, n_generations;
    uint64_t first_ns, last_ns; /* of the events; 0 if there are none */
    bool is_cut;
    uint64_t cut_at;
};

/* Goes through the bytes of a trace, which are borrowed while it does. */
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

/* The lane of that id, or CP_TRACE_NO_LANE. */
uint32_t cp_trace_spans_find(const struct cp_trace_spans *s, uint64_t id);

/* What a person would call the lane: its label or what it began with. */
struct cp_str cp_trace_spans_title(const struct cp_trace_spans *s,
                                   uint32_t lane);

#endif
