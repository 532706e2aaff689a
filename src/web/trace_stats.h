/*
 * trace_stats - the totals between two times of a trace.
 *
 *   {"states":[ns],"n_lanes":..,"lanes":[[lane,id,"name",[ns by state]],..],
 *    "waits":[[state,reason,stack,"function",ns,count],..],
 *    "functions":[["function",samples],..],"n_samples":..,"whole":true}
 *
 * lanes, waits and functions hold the heaviest entries. Waits are added up span
 * by span; above a limit "whole" is false and they cover a part.
 */
#ifndef CP_WEB_TRACE_STATS_H
#define CP_WEB_TRACE_STATS_H

#include <stdint.h>

struct cp_out;
struct cp_trace_profile;
struct cp_trace_timeline;

void cp_trace_stats_write(const struct cp_trace_timeline *t, uint64_t from_ns,
                          uint64_t to_ns, struct cp_out *out);

/* Writes a profile of waiting between two times, compressed. */
void cp_trace_stats_profile(const struct cp_trace_timeline *t,
                            struct cp_trace_profile *kind, struct cp_out *out);

#endif
