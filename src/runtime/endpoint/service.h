/*
 * service - what the endpoint answers, by path.
 *
 * Knows the kinds and the contract; the sockets and the thread are the
 * endpoint's (endpoint.h). docs/http.md lists all paths and parameters.
 */
#ifndef CP_SERVICE_H
#define CP_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
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
#define CP_LASTS 3 /* delta_block, delta_heap, delta_mutex */

struct cp_service {
    const struct cp_kind *kinds[CP_MAX_KINDS]; /* by name */
    size_t n_kinds;
    /* Kinds that come while it serves, by number; NULL: none do. */
    const struct cp_kind *(*more)(size_t i);
    size_t n_more; /* of them are among the kinds */
    void (*cost)(struct cp_endpoint_cost *out); /* or NULL */
    struct cp_symbols *symbols;
    struct cp_http_server *server;     /* for its statistics; may be NULL */
    bool is_guarded;                   /* see http/guard.h */
    bool checks_user;                  /* changes are for our user and root */
    bool is_local;                     /* nobody comes from another machine */
    struct cp_token_gate gate;         /* asks for the token, if there is one */
    const char *socket_path;           /* of a unix socket, or NULL */
    int64_t started_ns;                /* monotonic */
    uint64_t n_windows;                /* open now */
    struct cp_http_timer rest;         /* closes files when nobody asks */
    struct cp_profile *last[CP_LASTS]; /* what delta_* has answered from */
    /* Serves what is under /debug/pprof/ui/; NULL: nothing is there. */
    cp_http_handler *ui;
    void *ui_context;
    void (*ending)(void); /* ends all of it soon; NULL: it cannot be */
};

/* Takes the kinds, ended by NULL, and fills in those that are missing. */
enum cp_status cp_service_init(struct cp_service *s,
                               const struct cp_kind *const *kinds,
                               struct cp_error *err);
void cp_service_release(struct cp_service *s);

/* The handler for cp_http_server_new; context is the service. */
void cp_service_handle(void *context, struct cp_http_exchange *x);

/* ---- for the pages ---- */

/* After symbols were used: they are closed if that was the last for a while. */
void cp_service_used_symbols(struct cp_service *s);

/* An error as Go gives it: X-Go-Pprof: 1, the text and a newline. */
void cp_service_error(struct cp_http_exchange *x, int status, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

/* Adds the headers of a text of ours. */
void cp_service_text_headers(struct cp_http_exchange *x);

/*
 * Appends the arguments of this program, a NUL behind each; returns what it is
 * called, "server" of "/opt/server", which is good as long as out is.
 */
const char *cp_service_program(struct cp_out *out);

#endif
