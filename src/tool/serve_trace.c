/* serve_trace.c - see serve_trace.h. */
#include "tool/serve_trace.h"

#include <signal.h>

#include "tool/serve.h"
#include "web/trace_web.h"

static struct cp_trace_web *serving; /* for the signal handler */

static void stop(int signal)
{
    (void)signal;
    cp_trace_web_stop(serving);
}

enum cp_status cp_serve_trace(const struct cp_trace_source *source,
                              const char *host_port, bool no_browser,
                              struct cp_error *err)
{
    struct cp_trace_web_options options = { .title = source->name,
                                            .host_port = host_port };
    struct sigaction action = { .sa_handler = stop };
    struct cp_trace_timeline *timeline = NULL;
    enum cp_status status =
        cp_trace_timeline_new(&timeline, source->bytes, source->len, err);

    if (status != CP_OK) {
        cp_error_prefix(err, "%s: ", source->name);
        return status;
    }
    options.timeline = timeline;
    status = cp_trace_web_open(&serving, &options, err);
    if (status == CP_OK) {
        (void)sigaction(SIGINT, &action, NULL);
        (void)sigaction(SIGTERM, &action, NULL);
        cp_serve_announce(cp_trace_web_url(serving), no_browser);
        status = cp_trace_web_run(serving, err);
        cp_trace_web_close(serving);
    }
    cp_trace_timeline_free(timeline);
    return status;
}
