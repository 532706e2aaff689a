/*
 * read_follow - applies each event of a trace to goroutines, threads and
 * processors. Internal to read_spans.
 */
#ifndef CP_TRACE_READ_FOLLOW_H
#define CP_TRACE_READ_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cp_trace_read_event;

/* Callbacks for read_order.h: whether an event is ready, and its effect. */
bool cp_trace_follow_is_ready(void *context, uint32_t thread,
                              const struct cp_trace_read_event *e);
enum cp_status cp_trace_follow_take(void *context, uint32_t thread,
                                    uint64_t now,
                                    const struct cp_trace_read_event *e,
                                    struct cp_error *err);

#endif
