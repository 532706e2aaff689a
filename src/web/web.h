/*
 * web - the server of pprof -http: the page, the profile, and the reports that
 * the page cannot make itself.
 *
 *   /ui/flamegraph, /ui/top ...   the page; it reads its view from the path
 *   /ui/data/profile              the profile as loaded
 *   /ui/data/graph                the call graph as SVG
 *   /ui/data/source, disasm       annotated code, as text
 *   /ui/data/configs              saved configurations, see configs.h
 *   /ui/download                  the profile as a file
 *
 *   POST /ui/config?do=save|rename|delete&config=NAME   change.c
 *   POST /ui/take?kind=heap&seconds=0                   a new profile
 *
 * http/guard.h checks each client. A POST must carry the token of the page, and
 * is accepted on a loopback address only. No other request changes state.
 */
#ifndef CP_WEB_H
#define CP_WEB_H

#include "base/error.h"
#include "report/core/options.h"

struct cp_profile;
struct cp_web_live;

struct cp_web_options {
    const struct cp_profile *profile;
    struct cp_options report; /* defaults of the URL parameters */
    const char *title;
    const char *host_port; /* "localhost:8080", ":", ... */
    const struct cp_web_live
        *live; /* NULL if the profile is not from a running program */
};

struct cp_web;

/* Starts to listen. */
enum cp_status cp_web_open(struct cp_web **out,
                           const struct cp_web_options *options,
                           struct cp_error *err);

/* Returns the address, such as "http://localhost:18090", borrowed. */
const char *cp_web_url(const struct cp_web *w);

/* Serves until cp_web_stop. */
enum cp_status cp_web_run(struct cp_web *w, struct cp_error *err);

/* Makes the server stop. Async-signal-safe. */
void cp_web_stop(struct cp_web *w);
void cp_web_close(struct cp_web *w);

#endif
