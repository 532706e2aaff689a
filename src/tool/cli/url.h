/*
 * url - source names that are addresses.
 *
 *   http://host/path, https://host/path
 *   https+insecure://host/path     certificates are not checked
 *   host:port, host:port/path      http
 *   unix:/path/of/socket[:/path]   http over a local socket
 *
 * Without a path it is /debug/pprof/profile, as `go tool pprof` has it.
 */
#ifndef CP_URL_H
#define CP_URL_H

#include <stdbool.h>

#include "base/error.h"

struct cp_arena;

struct cp_url {
    const char *text;   /* for curl: http or https */
    const char *socket; /* local socket, or NULL */
    bool is_insecure;
    int seconds;  /* what the query asks for, 0 if it does not */
    int expected; /* how long the server will take, 0: it answers at once */
};

/* Whether a name that is no file is an address. */
bool cp_url_is_one(const char *name);

/*
 * Takes an address apart. seconds > 0 is put into the query in place of what
 * is there. The texts are in the arena; CP_ENOMEM is the only failure.
 */
enum cp_status cp_url_read(struct cp_url *u, const char *name, int seconds,
                           struct cp_arena *arena, struct cp_error *err);

/*
 * The address as it may be shown: a password in it becomes xxxxx. The name
 * itself if there is none, else a text in the arena.
 */
const char *cp_url_hide(const char *name, struct cp_arena *arena);

#endif
