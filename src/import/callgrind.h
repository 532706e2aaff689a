/*
 * callgrind - what callgrind.c reads and callgrind_stacks.c makes stacks of.
 *
 * A callgrind file has no stacks: it has the cost of each line of a function
 * itself, and the cost of each call, with all that was called from there.
 */
#ifndef CP_CALLGRIND_H
#define CP_CALLGRIND_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "import/gather.h"

/* What a line costs, or a call from there. */
struct cp_callgrind_cost {
    uint32_t function; /* whose line it is */
    uint32_t callee;   /* CP_NONE: not a call */
    uint32_t location;
    uint32_t n_values; /* of all events, less those at the end that are 0 */
    size_t values;     /* the first in cp_callgrind.values */
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
 * Adds stacks such that the cost of each line is exactly what the file says,
 * in each event. What a function costs is spread over its callers by what the
 * calls cost, so that costs with callees agree as well; but calls of less
 * than a ten-thousandth of the total, and what recursion counts twice, go to
 * the way to the function that costs most.
 */
enum cp_status cp_callgrind_stacks(const struct cp_callgrind *c,
                                   struct cp_gather *g, struct cp_error *err);

#endif
