/*
 * callgrind - the call graph that callgrind.c reads and callgrind_stacks.c
 * turns into stacks.
 *
 * A callgrind file has no stacks. It has the exclusive cost of each line of a
 * function, and the inclusive cost of each call.
 */
#ifndef CP_CALLGRIND_H
#define CP_CALLGRIND_H

#include <stddef.h>
#include <stdint.h>

#include "import/gather.h"

/* The cost of a line, or of a call from that line. */
struct cp_callgrind_cost {
    uint32_t function; /* index of the function that contains the line */
    uint32_t callee;   /* callee; CP_NONE if not a call */
    uint32_t location;
    uint32_t n_values; /* number of events, without trailing zeros */
    size_t values;     /* first index in cp_callgrind.values */
};

struct cp_callgrind {
    struct cp_callgrind_cost *costs;
    size_t n_costs, cap_costs;
    int64_t *values;
    size_t n_values, cap_values;
    uint32_t n_functions;
    uint32_t n_events; /* columns 0 to n_events - 1 of the gatherer */
};

static inline int64_t cp_callgrind_value(const struct cp_callgrind *c,
                                         const struct cp_callgrind_cost *cost,
                                         uint32_t event)
{
    return event < cost->n_values ? c->values[cost->values + event] : 0;
}

/*
 * Adds stacks such that the exclusive cost of each line is exact in each event.
 * The cost of a function is distributed over its callers in proportion to the
 * cost of the calls, so that inclusive costs match too. Exceptions: calls of
 * less than a ten-thousandth of the total, and double counting by recursion, go
 * to the most expensive path to the function.
 */
enum cp_status cp_callgrind_stacks(const struct cp_callgrind *c,
                                   struct cp_gather *g, struct cp_error *err);

#endif
