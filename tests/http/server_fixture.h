/*
 * server_fixture - a server on its own thread, and a client that sends raw
 * bytes.
 *
 * The path selects the behaviour of the handler; a comment beside each says it.
 */
#ifndef CP_SERVER_FIXTURE_H
#define CP_SERVER_FIXTURE_H

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "base/error.h"
#include "base/out.h"
#include "http/address.h"
#include "http/exchange.h"
#include "http/limits.h"
#include "http/request.h"
#include "http/server.h"

struct cp_http_exchange;
struct cp_http_server;
struct sockaddr;

#define BIG_BYTES ((size_t)8 << 20)
#define REPLY_BYTES ((size_t)16 << 20)

struct fixture {
    struct cp_http_server *server;
    struct cp_http_address address;
    pthread_t thread;
    int told[2]; /* pipe: w for a deferred exchange, g for a disconnection */
    struct cp_http_exchange *kept;
    struct cp_http_wake wake;
    size_t n_chunks; /* left to stream */
};

static inline void fixture_tell(struct fixture *f, char what)
{
    ssize_t n = write(f->told[1], &what, 1);

    (void)n;
}

static inline void fixture_gone(void *context)
{
    struct fixture *f = context;

    f->kept = NULL;
    fixture_tell(f, 'g');
}

static inline void fixture_late(void *context)
{
    struct fixture *f = context;

    cp_http_answer_text(f->kept, 200, "late\n");
}

static inline void fixture_drained(void *context)
{
    static char chunk[100000];
    struct fixture *f = context;

    while (f->n_chunks > 0) {
        f->n_chunks--;
        if (!cp_http_stream_write(f->kept, chunk, sizeof(chunk)))
            return;
    }
    cp_http_stream_end(f->kept);
}

static inline void fixture_big(struct cp_http_exchange *x)
{
    struct cp_out out = { .fd = -1 };

    cp_out_fill(&out, 'b', BIG_BYTES);
    cp_http_answer(x, 200, &out);
}

static inline void fixture_stats(struct fixture *f, struct cp_http_exchange *x)
{
    struct cp_http_stats stats;
    char text[64];

    cp_http_server_stats(f->server, &stats);
    (void)snprintf(text, sizeof(text), "waiting %zu\n", stats.output_bytes);
    cp_http_answer_text(x, 200, text);
}

static inline void fixture_handle(void *context, struct cp_http_exchange *x)
{
    struct fixture *f = context;
    const struct cp_http_request *r = cp_http_request_of(x);
    const char *path = cp_http_request_path(r);
    struct cp_http_callbacks callbacks = { .on_timeout = fixture_late,
                                           .on_disconnect = fixture_gone,
                                           .context = f };

    if (strcmp(path, "/hello") == 0) { /* a short answer */
        cp_http_add_header(x, "X-Test", "yes");
        cp_http_answer_text(x, 200, "hello\n");
    } else if (strcmp(path, "/echo") == 0) { /* the body of the request */
        cp_http_answer_text(x, 200, r->body.len ? r->body.bytes : "");
    } else if (strcmp(path, "/big") == 0) { /* 8 MB */
        fixture_big(x);
    } else if (strcmp(path, "/stats") == 0) { /* bytes not sent yet */
        fixture_stats(f, x);
    } else if (strcmp(path, "/wait") == 0) { /* until the client disconnects */
        f->kept = x;
        cp_http_defer(x, &callbacks, -1);
        fixture_tell(f, 'w');
    } else if (strcmp(path, "/hurry") == 0) { /* until the client half-closes */
        f->kept = x;
        callbacks.on_half_close = fixture_late;
        cp_http_defer(x, &callbacks, -1);
        fixture_tell(f, 'w');
    } else if (strcmp(path, "/later") == 0) { /* after a millisecond */
        f->kept = x;
        cp_http_defer(x, &callbacks, 1000000);
    } else if (strcmp(path, "/wake") == 0) { /* from another thread */
        f->kept = x;
        cp_http_defer(x, &callbacks, -1);
        f->wake = (struct cp_http_wake){ NULL, fixture_late, f };
        cp_http_server_wake(f->server, &f->wake);
    } else if (strcmp(path, "/stream") == 0) { /* 5 MB in 50 chunks */
        f->kept = x;
        f->n_chunks = 50;
        callbacks.on_writable = fixture_drained;
        cp_http_defer(x, &callbacks, -1);
        cp_http_stream_begin(x, 200);
    } else if (strcmp(path, "/none") != 0) { /* /none: no answer at all */
        cp_http_answer_text(x, 404, "no\n");
    }
}

static inline void *fixture_run(void *context)
{
    struct fixture *f = context;

    (void)cp_http_server_run(f->server, NULL);
    return NULL;
}

static inline void fixture_start(struct fixture *f,
                                 const struct cp_http_limits *limits)
{
    struct cp_error err = { 0 };
    int fd = -1;

    *f = (struct fixture){ 0 };
    if (pipe(f->told) ||
        cp_http_address_parse(&f->address, "localhost:0", &err) != CP_OK ||
        cp_http_address_listen(&f->address, &fd, &err) != CP_OK ||
        cp_http_server_new(&f->server, limits, fixture_handle, f, &err) !=
            CP_OK ||
        cp_http_server_listen(f->server, fd, &err) != CP_OK ||
        pthread_create(&f->thread, NULL, fixture_run, f)) {
        printf("no server: %s\n", err.msg);
        exit(1);
    }
}

static inline void fixture_stop(struct fixture *f)
{
    cp_http_server_stop(f->server);
    (void)pthread_join(f->thread, NULL);
    cp_http_server_free(f->server);
    (void)close(f->told[0]);
    (void)close(f->told[1]);
}

/* A connected socket with a receive timeout of some seconds. */
static inline int dial(const struct fixture *f)
{
    struct timeval patience = { 200, 0 };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(fd, (const struct sockaddr *)&f->address.socket,
                f->address.len)) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static inline bool say(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

/* Reads until the server closes or `enough` bytes; the length, or -1. */
static inline ssize_t hear(int fd, char *out, size_t enough)
{
    size_t len = 0;

    while (len < enough) {
        ssize_t n = recv(fd, out + len, enough - len, 0);

        if (n < 0 && errno != ECONNRESET)
            return -1;
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    out[len] = '\0';
    return (ssize_t)len;
}

/* Sends a text on a new connection; returns the response, to free(). */
static inline char *ask(const struct fixture *f, const char *text)
{
    char *out = calloc(1, REPLY_BYTES + 1);
    int fd = dial(f);

    if (!say(fd, text, strlen(text)) || hear(fd, out, REPLY_BYTES) < 0)
        strcpy(out, "(nothing)");
    (void)close(fd);
    return out;
}

/* Waits until the handler has reported n clients. */
static inline void expect_told(const struct fixture *f, char what, int n)
{
    char c = 0;

    while (n-- > 0)
        CHECK(read(f->told[0], &c, 1) == 1 && c == what);
}

#endif
