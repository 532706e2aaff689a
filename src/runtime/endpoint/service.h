/*
 * service - the table of paths under /debug/pprof/ and their handlers.
 *
 * docs/http.md lists all paths and parameters. The sockets and the thread
 * belong to endpoint.h or mount.h.
 *
 * Context: one thread, which runs the HTTP server.
 * Locking: none.
 * Failure: the client gets an HTTP error.
 */
#ifndef CP_SERVICE_H
#define CP_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/server.h"
#include "http/timer.h"
#include "runtime/endpoint/token_gate.h"

struct cp_endpoint_cost;
struct cp_http_exchange;
struct cp_http_server;
struct cp_kind;
struct cp_out;
struct cp_profile;
struct cp_symbols;

#define CP_MAX_KINDS 32
#define CP_N_DELTA_PATHS 3 /* delta_block, delta_heap, delta_mutex */

struct cp_service {
    const struct cp_kind *kinds[CP_MAX_KINDS]; /* sorted by name */
    size_t n_kinds;
    /* The i-th kind that the program has added, or NULL. May be NULL. */
    const struct cp_kind *(*more)(size_t i);
    size_t n_more; /* added kinds that are in `kinds` */
    void (*cost)(struct cp_endpoint_cost *out); /* or NULL */
    struct cp_symbols *symbols;
    struct cp_http_server *server; /* may be NULL */
    bool is_guarded;               /* checks Host and Origin: http/guard.h */
    bool checks_user;              /* changes need the same user or root */
    bool is_local;                 /* every client is on this machine */
    struct cp_token_gate gate;     /* checks the token, if there is one */
    const char *socket_path;       /* path of the unix socket, or NULL */
    int64_t started_ns;            /* monotonic */
    uint64_t n_waiting; /* requests that wait for the end of a profile */
    struct cp_http_timer close_idle; /* closes idle symbol files */
    struct cp_profile
        *last[CP_N_DELTA_PATHS]; /* last profile of each delta_* path */
    /* The handler of /debug/pprof/ui/, or NULL. */
    cp_http_handler *ui;
    void *ui_context;
    void (*on_detach)(void); /* POST detach; NULL if not allowed */
};

/*
 * `kinds` ends in NULL. Kinds that Go has and `kinds` lacks are added as empty
 * kinds.
 */
enum cp_status cp_service_init(struct cp_service *s,
                               const struct cp_kind *const *kinds,
                               struct cp_error *err);
void cp_service_release(struct cp_service *s);

/* The handler for cp_http_server_new; context is the service. */
void cp_service_handle(void *context, struct cp_http_exchange *x);

/* ---- helpers for the handlers ---- */

/* Call it after using s->symbols: restarts the timer that closes its files. */
void cp_service_defer_close_symbols(struct cp_service *s);

/* Sends an error as Go does: with the header X-Go-Pprof: 1 and one line. */
void cp_service_error(struct cp_http_exchange *x, int status, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

/* Adds the headers of a text response. */
void cp_service_text_headers(struct cp_http_exchange *x);

/*
 * Appends the arguments of this program, each ended by NUL. Returns its base
 * name ("server" for "/opt/server"), which points into out.
 */
const char *cp_service_program(struct cp_out *out);

#endif
