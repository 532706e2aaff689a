/*
 * trace_web - the server of cpprof trace -http: the page of a trace.
 *
 *   /trace            the page
 *   /trace/info ...   its data, see trace_data.h and trace_stats.h
 *   /trace/profile    a profile of waiting, as a file
 *
 * No request changes state, and requests from other sites are rejected, as in
 * web.h. The server's thread handles all requests: each is fast, whatever the
 * size of the trace.
 */
#ifndef CP_TRACE_WEB_H
#define CP_TRACE_WEB_H

#include "base/error.h"

struct cp_trace_timeline;

struct cp_trace_web_options {
    const struct cp_trace_timeline *timeline;
    const char *title;
    const char *host_port; /* "localhost:8080", ":", ... */
};

struct cp_trace_web;

/* Starts to listen. */
enum cp_status cp_trace_web_open(struct cp_trace_web **out,
                                 const struct cp_trace_web_options *options,
                                 struct cp_error *err);

/* Returns the address, such as "http://localhost:18090", borrowed. */
const char *cp_trace_web_url(const struct cp_trace_web *w);

/* Serves until cp_trace_web_stop. */
enum cp_status cp_trace_web_run(struct cp_trace_web *w, struct cp_error *err);

/* Makes the server stop. Async-signal-safe. */
void cp_trace_web_stop(struct cp_trace_web *w);
void cp_trace_web_close(struct cp_trace_web *w);

#endif
