/* cost - what the profiler itself costs, for the index page. */
#ifndef CP_COST_H
#define CP_COST_H

#include "runtime/endpoint/endpoint.h"

void cp_cost(struct cp_endpoint_cost *out);

#endif
