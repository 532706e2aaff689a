/*
 * read_follow - what each event of a trace makes of its goroutines, threads and
 * processors. The inside of read_spans.
 */
#ifndef CP_TRACE_READ_FOLLOW_H
#define CP_TRACE_READ_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cp_trace_read_event;

/* For read_order.h: whose turn it is, and what it does. */
bool cp_trace_follow_is_ready(void *context, uint32_t thread,
                              const struct cp_trace_read_event *e);
enum cp_status cp_trace_follow_take(void *context, uint32_t thread,
                                    uint64_t now,
                                    const struct cp_trace_read_event *e,
                                    struct cp_error *err);

#endif
