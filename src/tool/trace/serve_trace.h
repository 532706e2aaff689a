/* serve_trace - `cpprof trace -http`: serves the web page of a trace. */
#ifndef CP_SERVE_TRACE_H
#define CP_SERVE_TRACE_H

#include <stdbool.h>

#include "base/error.h"

struct cp_trace_source;

/* Reads the trace and serves its page until SIGINT or SIGTERM. */
enum cp_status cp_serve_trace(const struct cp_trace_source *source,
                              const char *host_port, bool no_browser,
                              struct cp_error *err);

#endif
