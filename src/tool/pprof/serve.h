/* serve - `pprof -http`: serves the web page of a profile until interrupted. */
#ifndef CP_SERVE_H
#define CP_SERVE_H

#include <stdbool.h>

#include "base/error.h"

struct cp_command;
struct cp_profile;

enum cp_status cp_serve(const struct cp_command *c, const struct cp_profile *p,
                        struct cp_error *err);

/* Installs `handler` for SIGINT and SIGTERM. */
void cp_serve_catch(void (*handler)(int signal));

/*
 * Prints the address of the page, and opens a browser if standard output is a
 * terminal.
 */
void cp_serve_announce(const char *url, bool no_browser);

#endif
