/*
 * trace_switches - the kernel's records of when threads left their processors
 * and came back, and of their page faults, where it lets us have them.
 *
 * One event for each thread, with a small ring that the kernel fills. No
 * descriptor stays open: the mapping of the ring keeps the event alive.
 */
#ifndef CP_TRACE_SWITCHES_H
#define CP_TRACE_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cp_trace_switch_kind {
    CP_SWITCH_IN,
    CP_SWITCH_OUT,     /* it waits for something */
    CP_SWITCH_PREEMPT, /* it could run on */
    CP_SWITCH_FAULT,   /* it met a page that was not there, and runs on */
};

struct cp_trace_switch {
    uint64_t time_ns; /* monotonic */
    int32_t tid;
    uint32_t cpu;
    enum cp_trace_switch_kind kind;
    /* Of a fault: which address, by which instruction, and for how many of
       the thread's faults it stands. */
    uint64_t address, pc, n;
};

struct cp_trace_ring;

/* Starts as { 0 }. */
struct cp_trace_switches {
    struct cp_trace_ring *rings;
    size_t n_rings, cap_rings;
    bool is_refused; /* by the kernel, for the first thread */
    uint64_t n_lost;
};

/* From now on, if the kernel allows it. */
void cp_trace_switches_watch(struct cp_trace_switches *s, int32_t tid);

/* All that has been recorded since the last time. */
void cp_trace_switches_read(struct cp_trace_switches *s,
                            void (*take)(void *context,
                                         const struct cp_trace_switch *record),
                            void *context);

/* The thread is no more: its last records, and no others will come. */
void cp_trace_switches_drop(struct cp_trace_switches *s, int32_t tid,
                            void (*take)(void *context,
                                         const struct cp_trace_switch *record),
                            void *context);

void cp_trace_switches_release(struct cp_trace_switches *s);

#endif
