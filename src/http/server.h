/*
 * server - an HTTP/1.1 server on one thread.
 *
 * An epoll loop: thousands of idle or slow clients cost a few hundred bytes
 * each and no time. It parses (request.h), keeps the limits (limits.h) and
 * hands each request to one handler (exchange.h). It knows nothing of profiles.
 *
 * Everything but cp_http_server_stop and cp_http_server_wake belongs to the
 * thread that runs it.
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
    uint64_t n_evicted;               /* closed to make room, or too slow */
    size_t input_bytes, output_bytes; /* held for clients, see limits.h */
};

/* A server that listens nowhere yet. */
enum cp_status cp_http_server_new(struct cp_http_server **out,
                                  const struct cp_http_limits *limits,
                                  cp_http_handler *handler, void *context,
                                  struct cp_error *err);

/* Serves a listening socket, non-blocking; the server closes it. */
enum cp_status cp_http_server_listen(struct cp_http_server *s, int fd,
                                     struct cp_error *err);

/*
 * Stops to accept connections, or accepts them again. The sockets go on to
 * listen; clients that are connected stay.
 */
void cp_http_server_pause(struct cp_http_server *s, bool is_paused);

/* Closes the listening sockets; clients that are connected stay. */
void cp_http_server_unlisten(struct cp_http_server *s);

/* Calls ready(context) whenever fd can be read; the caller closes fd. */
enum cp_status cp_http_server_watch(struct cp_http_server *s, int fd,
                                    void (*ready)(void *context), void *context,
                                    struct cp_error *err);

/* Serves until stopped. CP_EIO if the loop's own descriptors are gone. */
enum cp_status cp_http_server_run(struct cp_http_server *s,
                                  struct cp_error *err);

/*
 * One turn of the loop: waits, at most most_ms if that is not below 0, and
 * does what there is to do. For those who have a loop of their own.
 */
enum cp_status cp_http_server_turn(struct cp_http_server *s, int most_ms,
                                   struct cp_error *err);

/* Serves a socket that is connected, and closes it; false: it could not. */
bool cp_http_server_adopt(struct cp_http_server *s, int fd);

/*
 * Has timer->fire called after ns nanoseconds; another call moves it. The
 * struct is the caller's and lives as long as the server. A few can be had.
 */
void cp_http_server_after(struct cp_http_server *s, struct cp_http_timer *timer,
                          int64_t ns);

/* Makes run return. Safe from any thread and in a signal handler. */
void cp_http_server_stop(struct cp_http_server *s);

/* Work for the server's thread, from another. The struct is the caller's. */
struct cp_http_wake {
    struct cp_http_wake *next;
    void (*run)(void *context);
    void *context;
};

/* Has wake->run called by the loop, once; wake must live until then. */
void cp_http_server_wake(struct cp_http_server *s, struct cp_http_wake *wake);

void cp_http_server_stats(const struct cp_http_server *s,
                          struct cp_http_stats *out);

/*
 * In the child of a fork, while the server runs in the parent: closes every
 * descriptor that the child has got, and touches nothing else.
 */
void cp_http_server_abandon(const struct cp_http_server *s);

/* Closes everything; keepers are told that their clients have gone. */
void cp_http_server_free(struct cp_http_server *s);

#endif
