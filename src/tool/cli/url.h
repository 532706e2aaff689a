/*
 * url - source names that are addresses of servers.
 *
 *   http://host/path, https://host/path
 *   https+insecure://host/path     certificates are not checked
 *   host:port, host:port/path      http
 *   unix:/path/of/socket[:/path]   http over a unix socket
 *
 * The default path is /debug/pprof/profile, as in `go tool pprof`.
 */
#ifndef CP_URL_H
#define CP_URL_H

#include <stdbool.h>

#include "base/error.h"

struct cp_arena;

struct cp_url {
    const char *text;   /* URL for libcurl: http or https */
    const char *socket; /* path of the unix socket, or NULL */
    bool is_insecure;
    int seconds;  /* seconds= of the query, 0 if absent */
    int expected; /* seconds until the server replies; 0 if at once */
};

/* Whether a name that is not a file is an address. */
bool cp_url_is_url(const char *name);

/*
 * Parses an address. seconds > 0 replaces seconds= in the query. Allocates the
 * strings in the arena; CP_ENOMEM is the only failure.
 */
enum cp_status cp_url_read(struct cp_url *u, const char *name, int seconds,
                           struct cp_arena *arena, struct cp_error *err);

/*
 * Returns the address with its password replaced by xxxxx, allocated in the
 * arena; returns name itself if it has no password.
 */
const char *cp_url_redact(const char *name, struct cp_arena *arena);

#endif
