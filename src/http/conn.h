/*
 * conn - the connection of one client, and its state machine.
 *
 *   IDLE      no byte of a request yet; may be closed to make room
 *   READING   part of a request has arrived
 *   HANDLING  the handler runs, or has deferred the response
 *   WRITING   the complete response is being sent
 *   LINGERING the response is sent and the connection will close; input is
 *             discarded, because closing with unread input resets the
 *             connection, and the client would lose the response
 *   DEAD      closed; freed at the end of the turn of the loop
 *
 * Context: the thread of the server, except is_stopped and wakes. Locking:
 * none. Internal to src/http.
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
    CP_HTTP_DEAD,
};

/* The object that the data of an epoll event points to. */
struct cp_http_source {
    void (*ready)(struct cp_http_source *source, uint32_t events);
};

/* A connection with its current exchange. */
struct cp_http_exchange {
    struct cp_http_source source; /* must be first */
    struct cp_http_server *server;
    int fd;
    enum cp_http_state state;
    uint32_t events; /* epoll events that are armed */
    struct cp_http_request request;
    struct cp_http_text unread;  /* bytes after the request, not parsed */
    struct cp_http_text headers; /* response headers that the handler added */
    struct cp_http_text output;  /* head, body or chunks to send */
    struct cp_http_text body;    /* sent after `output` */
    size_t written;              /* bytes sent of output and body together */
    size_t held;                 /* bytes of memory of the request */
    size_t lingered;             /* bytes discarded while LINGERING */
    struct cp_http_timer limit;  /* closes a slow or idle connection */
    struct cp_http_timer due;    /* calls callbacks.on_timeout */
    struct cp_http_callbacks callbacks;
    bool is_deferred; /* whether `callbacks` is set */
    bool is_stream, is_chunked;
    bool is_ended;      /* whether the response is complete in the buffers */
    bool has_failed;    /* out of memory: close the connection */
    bool will_close;    /* whether to close after this response */
    bool has_continued; /* whether "100 Continue" was sent */
    bool has_policy;    /* whether `headers` has a Content-Security-Policy */
    bool is_touched;    /* whether it is in server->touched */
    struct cp_http_exchange *prev,
        *next; /* list of all, oldest first; `next` also links the dead */
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
    struct cp_http_timer accept_again; /* runs after a failed accept() */
    bool is_accepting;
    bool is_paused; /* whether the caller paused; then not is_accepting */
    char *scratch;  /* receive buffer, CP_HTTP_SCRATCH_BYTES */
};

#define CP_HTTP_SCRATCH_BYTES ((size_t)16 << 10)
#define CP_HTTP_SPARE_TIMERS 8 /* timers in addition to two per connection */

/* Adds a connected, non-blocking socket. On false, the caller still owns it. */
bool cp_http_conn_open(struct cp_http_server *s, int fd);

/* Advances every connection that was touched. */
void cp_http_conn_advance_touched(struct cp_http_server *s);

/* Returns the number of bytes not sent yet. */
size_t cp_http_write_pending(const struct cp_http_exchange *x);

#endif
