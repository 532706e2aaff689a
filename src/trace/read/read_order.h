/*
 * read_order - the events of a generation, those of all threads in one order.
 *
 * Each thread's events are in order; between threads the time stamps decide,
 * and where two threads touch one goroutine or processor, the counts that the
 * events carry: one whose turn has not come (is_ready says no) waits for the
 * other threads. On a busy machine that can be as long as a thread was off its
 * processor, but hardly TIMEOUT_NS; what would have to wait longer belongs to
 * a trace with a hole in it and is let through. Times that come out go up, by a
 * nanosecond at least.
 */
#ifndef CP_TRACE_READ_ORDER_H
#define CP_TRACE_READ_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cp_trace_generation;
struct cp_trace_read_event;

/* Who takes the events. */
struct cp_trace_taker {
    void *context;
    /* A number for the thread, kept for its events. */
    enum cp_status (*thread)(void *context, uint64_t id, uint32_t *out,
                             struct cp_error *err);
    bool (*is_ready)(void *context, uint32_t thread,
                     const struct cp_trace_read_event *e);
    enum cp_status (*take)(void *context, uint32_t thread, uint64_t time_ns,
                           const struct cp_trace_read_event *e,
                           struct cp_error *err);
};

/* last_ns is the time of the last event before, and then that of the last. */
enum cp_status cp_trace_order_run(const struct cp_trace_generation *g,
                                  const struct cp_trace_taker *taker,
                                  uint64_t *last_ns, struct cp_error *err);

/* Ticks as nanoseconds. */
uint64_t cp_trace_order_ns(const struct cp_trace_generation *g, uint64_t ticks);

#endif
