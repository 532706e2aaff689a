/*
 * conn - one client's connection: its state, and the turns it takes.
 *
 *   IDLE      no byte of a request yet; may be closed to make room
 *   READING   part of a request is here
 *   HANDLING  the handler has it, or keeps it
 *   WRITING   an answer is on its way
 *   LINGERING refused; what the client still sends is thrown away, so that
 *             the answer is not lost to a reset
 *
 * Internal to src/http.
 */
#ifndef CP_HTTP_CONN_H
#define CP_HTTP_CONN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/exchange.h"
#include "http/limits.h"
#include "http/request.h"
#include "http/server.h"
#include "http/timer.h"

struct cp_http_listener;
struct cp_http_watch;

enum cp_http_state {
    CP_HTTP_IDLE,
    CP_HTTP_READING,
    CP_HTTP_HANDLING,
    CP_HTTP_WRITING,
    CP_HTTP_LINGERING,
    CP_HTTP_DEAD, /* closed; freed when the loop comes round */
};

/* What epoll's data points at. */
struct cp_http_source {
    void (*ready)(struct cp_http_source *source, uint32_t events);
};

/* A connection is also its current exchange. */
struct cp_http_exchange {
    struct cp_http_source source; /* first */
    struct cp_http_server *server;
    int fd;
    enum cp_http_state state;
    uint32_t events; /* that epoll watches */
    struct cp_http_request request;
    struct cp_http_text unread;  /* bytes after the request, not parsed yet */
    struct cp_http_text headers; /* of the answer, added by the handler */
    struct cp_http_text output;  /* head, body or chunks, being written */
    struct cp_http_text body;    /* written after `output`; moved, not copied */
    size_t written;              /* of output and body together */
    size_t held;                 /* bytes of memory that the request takes */
    size_t lingered;             /* bytes thrown away */
    struct cp_http_timer limit;  /* closes the connection */
    struct cp_http_timer due;    /* the callbacks's */
    struct cp_http_callbacks callbacks;
    bool is_deferred; /* the callbacks is to be told */
    bool is_stream, is_chunked;
    bool is_ended;      /* the handler has said all */
    bool has_failed;    /* out of memory: no more than a closed connection */
    bool will_close;    /* after this answer */
    bool has_continued; /* "100 Continue" was sent */
    bool has_policy;    /* `headers` has a Content-Security-Policy */
    bool is_touched;    /* in the server's list `touched` */
    struct cp_http_exchange *prev, *next; /* oldest first, or of the dead */
    struct cp_http_exchange *next_touched;
};

struct cp_http_server {
    struct cp_http_limits limits;
    cp_http_handler *handler;
    void *context;
    int epoll_fd, event_fd;
    struct cp_http_listener *listeners;
    struct cp_http_watch *watches;
    struct cp_http_timers timers;
    struct cp_http_exchange *oldest, *newest, *dead, *touched;
    struct cp_http_stats stats;
    _Atomic int is_stopped;
    struct cp_http_wake *_Atomic wakes;
    struct cp_http_source wake_source;
    struct cp_http_timer accept_again; /* after descriptors ran out */
    bool is_accepting;
    bool is_paused; /* by the caller; is_accepting is false meanwhile */
    char *scratch;  /* what is read goes here first */
};

#define CP_HTTP_SCRATCH_BYTES ((size_t)16 << 10)
#define CP_HTTP_SPARE_TIMERS 8 /* besides two for each connection */

/* Takes over a connected, non-blocking socket; false: it could not. */
bool cp_http_conn_open(struct cp_http_server *s, int fd);

/* Looks at all that were touched. */
void cp_http_conn_advance_touched(struct cp_http_server *s);

/* Bytes that the client has not taken yet. */
size_t cp_http_write_pending(const struct cp_http_exchange *x);

#endif
