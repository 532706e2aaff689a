/* serve - pprof -http: the web page on a profile, until interrupted. */
#ifndef CP_SERVE_H
#define CP_SERVE_H

#include <stdbool.h>

#include "base/error.h"

struct cp_command;
struct cp_profile;

enum cp_status cp_serve(const struct cp_command *c, const struct cp_profile *p,
                        struct cp_error *err);

/* Has SIGINT and SIGTERM handled so. */
void cp_serve_catch(void (*handler)(int signal));

/* Tells where a page is, and opens a browser on it if a person is there. */
void cp_serve_announce(const char *url, bool no_browser);

#endif
