/*
 * server - an HTTP/1.1 server on one thread.
 *
 * An epoll loop parses requests (request.h), enforces limits (limits.h) and
 * passes each request to one handler (exchange.h). An idle client costs a few
 * hundred bytes and no CPU time. The server knows nothing about profiles.
 *
 * Context: the thread that runs the loop; cp_http_server_stop and
 * cp_http_server_wake from any thread.
 * Locking: none.
 * Ordering: wake pushes onto a lock-free list; the loop takes the whole list.
 * Failure: CP_EIO or CP_ENOMEM.
 */
#ifndef CP_HTTP_SERVER_H
#define CP_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_http_exchange;
struct cp_http_limits;
struct cp_http_timer;

struct cp_http_server;

typedef void cp_http_handler(void *context, struct cp_http_exchange *x);

struct cp_http_stats {
    size_t n_connections;
    uint64_t n_accepted, n_requests;
    uint64_t n_evicted;               /* closed to make room or for slowness */
    size_t input_bytes, output_bytes; /* bytes in memory now; see limits.h */
};

/* Creates a server without a listening socket. */
enum cp_status cp_http_server_new(struct cp_http_server **out,
                                  const struct cp_http_limits *limits,
                                  cp_http_handler *handler, void *context,
                                  struct cp_error *err);

/* Adds a non-blocking listening socket; the server closes it. */
enum cp_status cp_http_server_listen(struct cp_http_server *s, int fd,
                                     struct cp_error *err);

/*
 * Stops or resumes accepting connections. The sockets still listen, and
 * connected clients stay.
 */
void cp_http_server_pause(struct cp_http_server *s, bool is_paused);

/* Closes the listening sockets; connected clients stay. */
void cp_http_server_unlisten(struct cp_http_server *s);

/* Calls ready(context) whenever fd is readable; the caller closes fd. */
enum cp_status cp_http_server_watch(struct cp_http_server *s, int fd,
                                    void (*ready)(void *context), void *context,
                                    struct cp_error *err);

/* Serves until cp_http_server_stop. Returns CP_EIO if epoll_wait() fails. */
enum cp_status cp_http_server_run(struct cp_http_server *s,
                                  struct cp_error *err);

/*
 * Runs one turn of the loop: waits for events, at most max_ms unless it is
 * negative, and handles them. For callers with their own loop.
 */
enum cp_status cp_http_server_turn(struct cp_http_server *s, int max_ms,
                                   struct cp_error *err);

/*
 * Adds a connected socket. Returns false if out of memory; the caller then
 * still owns the socket.
 */
bool cp_http_server_adopt(struct cp_http_server *s, int fd);

/*
 * Calls timer->fire after ns nanoseconds; a second call moves the timer. The
 * caller owns the timer, which must outlive the server. At most a few timers.
 */
void cp_http_server_after(struct cp_http_server *s, struct cp_http_timer *timer,
                          int64_t ns);

/* Makes cp_http_server_run return. Async-signal-safe. */
void cp_http_server_stop(struct cp_http_server *s);

/* A function call for the thread of the server; owned by the caller. */
struct cp_http_wake {
    struct cp_http_wake *next;
    void (*run)(void *context);
    void *context;
};

/* Makes the loop call wake->run once; `wake` must live until then. */
void cp_http_server_wake(struct cp_http_server *s, struct cp_http_wake *wake);

void cp_http_server_stats(const struct cp_http_server *s,
                          struct cp_http_stats *out);

/*
 * Call it in the child of a fork whose parent runs the server: closes the
 * inherited descriptors and changes nothing else.
 */
void cp_http_server_abandon(const struct cp_http_server *s);

/* Closes everything; calls on_disconnect of deferred exchanges. */
void cp_http_server_free(struct cp_http_server *s);

#endif
