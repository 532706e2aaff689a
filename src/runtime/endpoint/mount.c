/*
 * mount.c - runs an HTTP server for one exchange on a socket pair.
 *
 * The request is written to one end. The response is read from there and copied
 * to the descriptor of the caller, which need not be a socket.
 */
#include "runtime/endpoint/mount.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/out.h"
#include "http/limits.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/endpoint/service.h"
#include "runtime/endpoint/ui_page.h"

#define CLIENT_POLL_MS 200 /* between checks that the client is connected */
#define COPY_BYTES ((size_t)4 << 10)

struct mount {
    struct cp_service service;
    struct cp_http_server *server;
    struct cp_out request;
    size_t sent;        /* bytes of the request that are sent */
    int inner;          /* the end of the socket pair that the server lacks */
    int client;         /* descriptor of the client, or -1 */
    struct cp_out *out; /* receives the response; NULL if a client does */
};

/* Whether the string has no blanks and no control characters. */
static bool is_token(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 0x7f)
            return false;
    return true;
}

static enum cp_status write_request(struct mount *m,
                                    const struct cp_mount_request *r,
                                    struct cp_error *err)
{
    if (!is_token(r->method) || !is_token(r->target))
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot answer: method and target must be non-empty "
            "texts without blanks, as in GET /debug/pprof/");
    /* HTTP/1.0 has no chunks, so a response in memory needs no decoding. */
    cp_out_printf(&m->request,
                  "%s %s HTTP/1.%d\r\nHost: localhost\r\nConnection: close\r\n"
                  "Content-Length: %zu\r\n\r\n",
                  r->method, r->target, !m->out, r->body_len);
    cp_out_bytes(&m->request, r->body, r->body_len);
    return cp_out_finish(&m->request, err);
}

static enum cp_status open_server(struct mount *m,
                                  const struct cp_endpoint_options *options,
                                  struct cp_error *err)
{
    struct cp_http_limits limits = CP_HTTP_DEFAULT_LIMITS;
    enum cp_status status = cp_service_init(&m->service, options->kinds, err);
    int fds[2];

    m->service.cost = options->cost;
    m->service.more = options->more_kinds;
    m->service.ui = cp_ui_page;
    m->service.ui_context = &m->service;
    limits.n_connections = 1;
    if (status == CP_OK)
        status = cp_http_server_new(&m->server, &limits, cp_service_handle,
                                    &m->service, err);
    if (status != CP_OK)
        return status;
    m->service.server = m->server;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
        return cp_error_set(err, CP_EIO, "cannot answer: socketpair: %s",
                            strerror(errno));
    m->inner = fds[0];
    if (cp_http_server_adopt(m->server, fds[1]))
        return CP_OK;
    (void)close(fds[1]);
    return cp_error_nomem(err);
}

/* Like write(), without SIGPIPE for a closed socket. */
static ssize_t write_some(int fd, const char *bytes, size_t n)
{
    ssize_t done = send(fd, bytes, n, MSG_NOSIGNAL);

    return done < 0 && errno == ENOTSOCK ? write(fd, bytes, n) : done;
}

static enum cp_status write_all(int fd, const char *bytes, size_t n,
                                struct cp_error *err)
{
    while (n > 0) {
        ssize_t done = write_some(fd, bytes, n);
        struct pollfd p = { fd, POLLOUT, 0 };

        if (done < 0 && errno == EAGAIN)
            (void)poll(&p, 1, -1);
        else if (done < 0 && errno != EINTR)
            return cp_error_set(err, CP_EIO, "cannot send the answer: %s",
                                strerror(errno));
        else if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        }
    }
    return CP_OK;
}

/* Sends as much of the request as the socket accepts. */
static void send_request(struct mount *m)
{
    ssize_t n = send(m->inner, m->request.buf + m->sent,
                     m->request.len - m->sent, MSG_NOSIGNAL);

    if (n > 0)
        m->sent += (size_t)n;
    CP_ASSERT(m->sent <= m->request.len);
}

/*
 * Copies the bytes that have arrived. Sets *is_done if the response is
 * complete.
 */
static enum cp_status receive_response(struct mount *m, bool *is_done,
                                       struct cp_error *err)
{
    char bytes[COPY_BYTES];
    enum cp_status status = CP_OK;
    ssize_t n = 1;

    CP_ASSERT(m->inner >= 0);
    while (n > 0 && status == CP_OK) {
        n = recv(m->inner, bytes, sizeof(bytes), 0);
        if (n > 0 && m->out)
            cp_out_bytes(m->out, bytes, (size_t)n);
        else if (n > 0)
            status = write_all(m->client, bytes, (size_t)n, err);
    }
    *is_done = n == 0;
    return status;
}

static bool is_gone(int fd)
{
    struct pollfd p = { fd, POLLRDHUP, 0 };

    return poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP | POLLRDHUP);
}

static enum cp_status serve(struct mount *m, struct cp_error *err)
{
    enum cp_status status = CP_OK;
    bool is_done = false;

    while (status == CP_OK && !is_done) {
        if (m->sent < m->request.len)
            send_request(m);
        status = cp_http_server_turn(m->server, CLIENT_POLL_MS, err);
        if (status == CP_OK)
            status = receive_response(m, &is_done, err);
        if (status == CP_OK && !is_done && is_gone(m->client))
            status = cp_error_set(err, CP_EIO,
                                  "cannot answer: the client has disconnected");
    }
    return status;
}

static enum cp_status answer(struct mount *m,
                             const struct cp_endpoint_options *options,
                             const struct cp_mount_request *request,
                             struct cp_error *err)
{
    enum cp_status status = write_request(m, request, err);

    if (status == CP_OK)
        status = open_server(m, options, err);
    if (status == CP_OK) {
        m->service.is_local = request->may_change;
        status = serve(m, err);
    }
    if (m->inner >= 0)
        (void)close(m->inner);
    cp_http_server_free(m->server);
    cp_service_release(&m->service);
    cp_out_release(&m->request);
    return status;
}

enum cp_status cp_mount_answer(const struct cp_endpoint_options *options,
                               const struct cp_mount_request *request, int fd,
                               struct cp_error *err)
{
    struct mount m = { .request = { .fd = -1 }, .inner = -1, .client = fd };

    return answer(&m, options, request, err);
}

enum cp_status cp_mount_collect(const struct cp_endpoint_options *options,
                                const struct cp_mount_request *request,
                                int client, struct cp_out *out,
                                struct cp_error *err)
{
    struct mount m = {
        .request = { .fd = -1 }, .inner = -1, .client = client, .out = out
    };
    enum cp_status status = answer(&m, options, request, err);

    return status == CP_OK ? cp_out_finish(out, err) : status;
}
