/*
 * cost - adds up the memory, samples and CPU time of the profiler.
 *
 * Context: any thread; the endpoint calls it for its index page.
 */
#ifndef CP_COST_H
#define CP_COST_H

struct cp_endpoint_cost;

void cp_cost(struct cp_endpoint_cost *out);

#endif
