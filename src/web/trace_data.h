/*
 * trace_data - the data that the page of a trace requests, as JSON or bytes.
 *
 * Times are nanoseconds since the first event. Lanes, stacks and strings are
 * numbers that are valid for this run of the server. Arrays are never null.
 *
 *   info     {"title","format","duration","events","samples","lanes","lost",
 *             "marks_lost","cut","states":[..],"reasons":{"number":"text"}}
 *   lanes    {"n","lanes":[[lane,id,"name",start,end,[ns by state]],..]}
 *   marks    {"lanes":[{"lane","n","marks":[[kind,time,"name","text",stack,
 *             value],..]},..]}; value of a region: its end
 *   stack    {"frames":[["function","file",line,"pc"],..]}
 *   find     {"stacks":[numbers]} of stacks with a frame that matches
 *   next     {"span":[lane,start,end,stack,by,reason,state]} of the nearest
 *             span with such a stack; [] if there is none
 *   window   see trace/read/read_window.h
 */
#ifndef CP_WEB_TRACE_DATA_H
#define CP_WEB_TRACE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_out;
struct cp_regex;
struct cp_trace_timeline;
struct cp_trace_window;

void cp_trace_data_info(const struct cp_trace_timeline *t, const char *title,
                        struct cp_out *out);

/* Which lanes to return; "time" sorts by the time they ran. */
struct cp_trace_lane_query {
    const char *sort;    /* "time", "name", "start" or "id" */
    struct cp_regex *re; /* matches the name; NULL matches all */
    size_t skip, max_lanes;
};

void cp_trace_data_lanes(const struct cp_trace_timeline *t,
                         const struct cp_trace_lane_query *q,
                         struct cp_out *out);

/* Writes a list of lanes with their marks. */
void cp_trace_data_marks(const struct cp_trace_timeline *t,
                         const struct cp_trace_window *w, const uint32_t *lanes,
                         size_t n, struct cp_out *out);

void cp_trace_data_stack(const struct cp_trace_timeline *t, uint32_t stack,
                         struct cp_out *out);

void cp_trace_data_find(const struct cp_trace_timeline *t, struct cp_regex *re,
                        struct cp_out *out);

/* Writes the nearest span that begins after `ns`, or before it if is_back. */
void cp_trace_data_next(const struct cp_trace_timeline *t, struct cp_regex *re,
                        uint64_t ns, bool is_back, struct cp_out *out);

#endif
