/*
 * trace_threads - the threads of a trace: which there are, and what they wait
 * in that has not ended.
 *
 * A wait is one event, written when it is over. So whoever has to know of those
 * that are under way looks at the threads' records; of calls of I/O these have
 * no stack, and the thread's own is walked from the hook on, which stays where
 * it is until the call is over.
 */
#ifndef CP_TRACE_THREADS_H
#define CP_TRACE_THREADS_H

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

/* A thread as it was when it was last looked at. */
struct cp_trace_seen {
    uint64_t key; /* the tid; first, to be found by it (base/search.h) */
    int32_t tid;
    struct cp_signal_thread *record;
    bool is_ours;     /* it began in our hook, and says itself what it does */
    uint64_t wait_ns; /* since when it waits; 0: it does not */
    uint32_t wait_call, wait_stack;
    struct cp_signal_regs wait_regs; /* of the hook, if it has no stack */
};

struct cp_trace_seen_list {
    struct cp_trace_seen *threads; /* by tid */
    size_t n, cap;
    bool is_short; /* there was no memory for all */
};

/* The first four are the caller's. */
struct cp_trace_threads {
    struct cp_trace_model *model;
    struct cp_trace_accounts *accounts;
    struct cp_trace_switches *switches;
    uint64_t begin_ns;                     /* of the trace */
    struct cp_trace_seen_list seen, known; /* now, and at the look before */
    struct cp_sleeping_stack *look;
};

enum cp_status cp_trace_threads_init(struct cp_trace_threads *t,
                                     struct cp_error *err);
void cp_trace_threads_release(struct cp_trace_threads *t);

/* Tells of those that are there at the beginning. */
void cp_trace_threads_know(struct cp_trace_threads *t);

/*
 * And of those that began, or ended, before that would have been written down.
 */
void cp_trace_threads_know_late(struct cp_trace_threads *t, uint64_t now_ns);

/* False: there was no memory for it, and all is as at the look before. */
bool cp_trace_threads_scan(struct cp_trace_threads *t);

/*
 * Tells who has come and who has gone between the last two looks; the time is
 * one after the last.
 */
void cp_trace_threads_tell(struct cp_trace_threads *t, uint64_t time_ns);

/* Of those that were known before the last look: is this one there no more? */
bool cp_trace_threads_is_gone(const struct cp_trace_threads *t, size_t i);

/*
 * Finds the stacks of waits that have none. False: some have ended since the
 * look, and are in the pool of events by now, with a stack of their own; these
 * are forgotten here.
 */
bool cp_trace_threads_find_stacks(struct cp_trace_threads *t,
                                  uint64_t until_ns);

/* Tells of all waits that have not ended: a format that is full has to know. */
void cp_trace_threads_say_waits(struct cp_trace_threads *t, uint64_t until_ns);

#endif
