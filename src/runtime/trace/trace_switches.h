/*
 * trace_switches - records context switches and page faults of each thread by
 * perf events, where the kernel allows them.
 *
 * Each thread has one perf event with a small ring buffer. No descriptor stays
 * open: the mapping of the ring keeps the event alive.
 *
 * Context: the endpoint thread or the thread of a drain; one at a time.
 * Locking: none. Ordering: the kernel publishes records by data_head; the store
 * of data_tail gives their memory back.
 * Failure: if the kernel refuses perf events, there are no records.
 */
#ifndef CP_TRACE_SWITCHES_H
#define CP_TRACE_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cp_trace_switch_kind {
    CP_SWITCH_IN,      /* the thread got a processor */
    CP_SWITCH_OUT,     /* the thread blocked */
    CP_SWITCH_PREEMPT, /* the thread lost its processor but can run */
    CP_SWITCH_FAULT,   /* page fault */
};

struct cp_trace_switch {
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    int32_t tid;
    uint32_t cpu;
    enum cp_trace_switch_kind kind;
    /* Only for CP_SWITCH_FAULT: */
    uint64_t address; /* faulting address */
    uint64_t pc;      /* instruction */
    uint64_t n;       /* page faults that this record represents */
};

struct cp_trace_ring;

/* Starts as { 0 }, or with is_disabled set. */
struct cp_trace_switches {
    struct cp_trace_ring *rings; /* one for each thread, in no order */
    size_t n_rings, cap_rings;
    bool is_disabled; /* by the request, or refused for the first thread */
    uint64_t n_lost;  /* records lost because a ring was full */
};

/* Starts recording the thread, if the kernel allows it. */
void cp_trace_switches_add_thread(struct cp_trace_switches *s, int32_t tid);

/* Calls take for each record since the last call. */
void cp_trace_switches_read(struct cp_trace_switches *s,
                            void (*take)(void *context,
                                         const struct cp_trace_switch *record),
                            void *context);

/* Reads the last records of a thread that has ended, and frees its ring. */
void cp_trace_switches_remove_thread(
    struct cp_trace_switches *s, int32_t tid,
    void (*take)(void *context, const struct cp_trace_switch *record),
    void *context);

void cp_trace_switches_release(struct cp_trace_switches *s);

#endif
