/* serve_trace.c - reads a trace, starts the server and opens a browser. */
#include "tool/trace/serve_trace.h"

#include <signal.h>
#include <stdio.h>

#include "base/units.h"
#include "tool/cli/print.h"
#include "tool/pprof/serve.h"
#include "tool/trace/trace_source.h"
#include "trace/read/read_timeline.h"
#include "web/trace_web.h"

#define LARGE_BYTES                                                            \
    ((size_t)100 << 20) /* size from which reading is announced */

static struct cp_trace_web *serving; /* used by the signal handler */

static void stop(int signal)
{
    (void)signal;
    cp_trace_web_stop(serving);
}

static void announce_size(const struct cp_trace_source *source)
{
    char size[CP_LABEL_BYTES], line[sizeof(source->name) + 128];

    if (source->len < LARGE_BYTES)
        return;
    cp_unit_label((int64_t)source->len, "bytes", "auto", size);
    (void)snprintf(line, sizeof(line), "Reading %s, %s", source->name, size);
    cp_print_line("", line);
}

enum cp_status cp_serve_trace(const struct cp_trace_source *source,
                              const char *host_port, bool no_browser,
                              struct cp_error *err)
{
    struct cp_trace_web_options options = { .title = source->name,
                                            .host_port = host_port };
    struct cp_trace_timeline *timeline = NULL;
    enum cp_status status;

    announce_size(source);
    status = cp_trace_timeline_new(&timeline, source->bytes, source->len, err);
    if (status != CP_OK) {
        cp_error_prefix(err, "%s: ", source->name);
        return status;
    }
    options.timeline = timeline;
    status = cp_trace_web_open(&serving, &options, err);
    if (status == CP_OK) {
        cp_serve_catch(stop);
        cp_serve_announce(cp_trace_web_url(serving), no_browser);
        status = cp_trace_web_run(serving, err);
        cp_serve_catch(SIG_IGN);
        cp_trace_web_close(serving);
    }
    cp_trace_timeline_free(timeline);
    return status;
}
