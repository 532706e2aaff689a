/* cost - what the profiler itself costs, for the index page. */
#ifndef CP_COST_H
#define CP_COST_H

struct cp_endpoint_cost;

void cp_cost(struct cp_endpoint_cost *out);

#endif
