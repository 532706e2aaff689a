/*
 * read_order - merges the events of a generation into one order.
 *
 * The events of each thread are sorted. Between threads the time stamps decide.
 * Where two threads affect one goroutine or processor, the sequence numbers in
 * the events decide: an event that is_ready rejects waits for other threads. On
 * a busy machine that takes as long as a thread is off its CPU, but rarely
 * TIMEOUT_NS. An event that would wait longer belongs to a trace with a gap and
 * is passed on. The resulting times are strictly increasing.
 */
#ifndef CP_TRACE_READ_ORDER_H
#define CP_TRACE_READ_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cp_trace_generation;
struct cp_trace_read_event;

/* The consumer of the events. */
struct cp_trace_consumer {
    void *context;
    /* Returns a number for the thread, which is passed with its events. */
    enum cp_status (*thread)(void *context, uint64_t id, uint32_t *out,
                             struct cp_error *err);
    bool (*is_ready)(void *context, uint32_t thread,
                     const struct cp_trace_read_event *e);
    enum cp_status (*take)(void *context, uint32_t thread, uint64_t time_ns,
                           const struct cp_trace_read_event *e,
                           struct cp_error *err);
};

/* *last_ns is the time of the last event before the call, and is updated. */
enum cp_status cp_trace_order_run(const struct cp_trace_generation *g,
                                  const struct cp_trace_consumer *consumer,
                                  uint64_t *last_ns, struct cp_error *err);

/* Converts ticks to nanoseconds. */
uint64_t cp_trace_order_ns(const struct cp_trace_generation *g, uint64_t ticks);

#endif
