/* serve_trace.c - see serve_trace.h. */
#include "tool/serve_trace.h"

enum cp_status cp_serve_trace(const struct cp_trace_source *source,
                              const char *host_port, bool no_browser,
                              struct cp_error *err)
{
    (void)source;
    (void)host_port;
    (void)no_browser;
    return cp_error_set(err, CP_EOTHER, "not yet");
}
