/*
 * thread_tracker - tracks which threads a trace has, and which waits are in
 * progress.
 *
 * A wait is one event, emitted when it is over. While it lasts, the thread's
 * record says in which call the thread is and since when. For I/O calls the
 * record has no stack; the tracker then walks the thread's stack from the
 * registers of the hook, whose frame stays valid until the call returns.
 *
 * Context: the endpoint thread or the thread of a drain; one at a time.
 * Locking: cp_thread_tracker_scan takes the lock of the thread list.
 * Ordering: trace_wait_ns of a record is read before and after the fields that
 * belong to it (as a seqlock); if it has changed, the wait is ignored.
 * Failure: without memory a scan keeps the previous lists.
 */
#ifndef CP_THREAD_TRACKER_H
#define CP_THREAD_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "signal/unwinder/regs.h"

struct cp_signal_thread;
struct cp_sleeping_stack;
struct cp_trace_accounts;
struct cp_trace_model;
struct cp_trace_switches;

/* A thread as the last scan found it. */
struct cp_tracked_thread {
    uint64_t key; /* tid; the first member, for base/search.h */
    int32_t tid;
    struct cp_signal_thread *record;
    bool is_hooked;      /* started by our hook; emits its own start and end */
    uint64_t wait_ns;    /* start of the wait, CLOCK_MONOTONIC; 0 if none */
    uint32_t wait_call;  /* index in cp_trace_calls */
    uint32_t wait_stack; /* stack number; 0 if not known yet */
    struct cp_signal_regs wait_regs; /* registers of the hook, for I/O calls */
};

struct cp_tracked_threads {
    struct cp_tracked_thread *threads; /* sorted by key */
    size_t n, cap;
    bool is_incomplete; /* no memory for all threads */
};

/* The caller sets the first four. */
struct cp_thread_tracker {
    struct cp_trace_model *model;
    struct cp_trace_accounts *accounts;
    struct cp_trace_switches *switches;
    uint64_t begin_ns;                 /* start of the trace, CLOCK_MONOTONIC */
    struct cp_tracked_threads current; /* result of the last scan */
    struct cp_tracked_threads previous; /* result of the scan before */
    struct cp_sleeping_stack *walker;   /* memory for walks */
};

enum cp_status cp_thread_tracker_init(struct cp_thread_tracker *t,
                                      struct cp_error *err);
void cp_thread_tracker_release(struct cp_thread_tracker *t);

/* Call before events are emitted: reports all threads to the model. */
void cp_thread_tracker_add_initial(struct cp_thread_tracker *t);

/*
 * Call after events are emitted: reports threads that started or ended since
 * cp_thread_tracker_add_initial without emitting an event.
 */
void cp_thread_tracker_add_missed(struct cp_thread_tracker *t, uint64_t now_ns);

/* Lists all threads. Returns false, with the lists unchanged, without memory.
 */
bool cp_thread_tracker_scan(struct cp_thread_tracker *t);

/*
 * Reports threads that started or ended between the last two scans. time_ns is
 * after the last scan.
 */
void cp_thread_tracker_report_changes(struct cp_thread_tracker *t,
                                      uint64_t time_ns);

/* Whether thread i of the previous scan is missing in the current one. */
bool cp_thread_tracker_has_ended(const struct cp_thread_tracker *t, size_t i);

/*
 * Finds the missing stacks of waits in progress. Returns false if a wait has
 * ended since the scan: its event, with its own stack, is in the pool now, and
 * the tracker discards the wait.
 */
bool cp_thread_tracker_find_stacks(struct cp_thread_tracker *t,
                                   uint64_t until_ns);

/* Reports the waits in progress to the model. */
void cp_thread_tracker_report_waits(struct cp_thread_tracker *t,
                                    uint64_t until_ns);

#endif
