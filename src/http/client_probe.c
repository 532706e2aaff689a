/*
 * client_probe.c - parses the address of an endpoint, and finds out which of
 * many addresses accept connections.
 */
#include "http/client.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/printable.h"

#define MAX_SOCKETS 128 /* maximum sockets open at once */

/* ---- parsing ---- */

static bool is_plain_path(const char *path)
{
    return path[0] == '/' && cp_printable_is(path, strlen(path));
}

/* Formats an address as runtime/endpoint/endpoint.c does in the registry. */
static void format_as_endpoint(const struct cp_http_address *a,
                               char out[CP_HTTP_ADDRESS_BYTES + 32])
{
    char text[CP_HTTP_ADDRESS_BYTES];

    cp_http_address_text(a, text);
    if (a->socket.ss_family == AF_UNIX)
        (void)snprintf(out, CP_HTTP_ADDRESS_BYTES + 32, "%s", text);
    else
        (void)snprintf(out, CP_HTTP_ADDRESS_BYTES + 32,
                       "http://%s/debug/pprof/", text);
}

enum cp_status cp_http_client_parse(struct cp_http_address *out,
                                    const char *text, struct cp_error *err)
{
    static const char scheme[] = "http://", unix_socket[] = "unix:";
    char host[CP_HTTP_ADDRESS_BYTES], again[CP_HTTP_ADDRESS_BYTES + 32];
    bool is_good = false;

    if (strncmp(text, unix_socket, sizeof(unix_socket) - 1) == 0) {
        is_good = is_plain_path(text + sizeof(unix_socket) - 1) &&
                  cp_http_address_parse(out, text, NULL) == CP_OK;
    } else if (strncmp(text, scheme, sizeof(scheme) - 1) == 0) {
        const char *from = text + sizeof(scheme) - 1;
        size_t len = strspn(from, "0123456789abcdef.:[]");

        is_good = len < sizeof(host);
        if (is_good)
            (void)snprintf(host, sizeof(host), "%.*s", (int)len, from);
        is_good = is_good && cp_http_address_parse(out, host, NULL) == CP_OK;
    }
    if (is_good)
        format_as_endpoint(out, again);
    if (is_good && strcmp(again, text) == 0)
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "not the address of an endpoint: %.200s; expected "
                        "http://ADDRESS:PORT/debug/pprof/ or unix:/PATH",
                        text);
}

/* ---- connecting ---- */

static int64_t now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Succeeds only for an address of this machine. */
static bool bind_locally(int fd, const struct cp_http_address *to)
{
    struct cp_http_address own = *to;
    int on = 1;

    if (to->socket.ss_family == AF_UNIX)
        return true;
    /* A socket without a bound port cannot connect to itself. */
    (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
    if (to->socket.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)&own.socket)->sin6_port = 0;
    else
        ((struct sockaddr_in *)&own.socket)->sin_port = 0;
    return bind(fd, (const struct sockaddr *)&own.socket, own.len) == 0;
}

static bool has_owner(const struct cp_http_probe *p)
{
    struct ucred peer = { 0 };
    socklen_t len = sizeof(peer);

    return p->to.socket.ss_family != AF_UNIX || p->owner == CP_HTTP_ANY_OWNER ||
           (getsockopt(p->fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
            peer.uid == p->owner);
}

static void finish_connect(struct cp_http_probe *p)
{
    int number = 0;
    socklen_t len = sizeof(number);

    p->is_served =
        getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &number, &len) == 0 &&
        number == 0 && has_owner(p);
    (void)close(p->fd);
    p->fd = -1;
}

/* Leaves fd open if the connection is still under way. */
static void start_connect(struct cp_http_probe *p)
{
    p->is_served = false;
    p->fd = socket(p->to.socket.ss_family,
                   SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (p->fd < 0)
        return;
    if (bind_locally(p->fd, &p->to) &&
        (connect(p->fd, (const struct sockaddr *)&p->to.socket, p->to.len) ==
             0 ||
         errno == EINPROGRESS)) {
        struct pollfd ready = { p->fd, POLLOUT, 0 };

        if (poll(&ready, 1, 0) == 1)
            finish_connect(p);
        return;
    }
    (void)close(p->fd);
    p->fd = -1;
}

/*
 * Polls the connections under way once. Returns false if there are none or the
 * time is over.
 */
static bool poll_connects(struct cp_http_probe *probes, size_t n,
                          int64_t end_ms)
{
    struct pollfd polled[MAX_SOCKETS];
    struct cp_http_probe *of[MAX_SOCKETS];
    int64_t left = end_ms - now_ms();
    nfds_t n_polled = 0;

    CP_ASSERT(n <= MAX_SOCKETS);
    for (size_t i = 0; i < n; i++)
        if (probes[i].fd >= 0) {
            of[n_polled] = &probes[i];
            polled[n_polled++] = (struct pollfd){ probes[i].fd, POLLOUT, 0 };
        }
    if (n_polled == 0 || left <= 0 ||
        (poll(polled, n_polled, (int)left) < 0 && errno != EINTR))
        return false;
    for (nfds_t i = 0; i < n_polled; i++)
        if (polled[i].revents)
            finish_connect(of[i]);
    return true;
}

/*
 * Connects to all addresses. A connection that succeeds at once counts even
 * after the deadline.
 */
static void connect_all(struct cp_http_probe *probes, size_t n, int64_t end_ms)
{
    for (size_t i = 0; i < n; i++)
        start_connect(&probes[i]);
    while (poll_connects(probes, n, end_ms))
        ;
    for (size_t i = 0; i < n; i++) {
        if (probes[i].fd >= 0)
            (void)close(probes[i].fd);
        probes[i].fd = -1;
    }
}

void cp_http_client_probe(struct cp_http_probe *probes, size_t n,
                          int timeout_ms)
{
    int64_t end_ms = now_ms() + timeout_ms;

    for (size_t at = 0; at < n; at += MAX_SOCKETS)
        connect_all(probes + at, n - at < MAX_SOCKETS ? n - at : MAX_SOCKETS,
                    end_ms);
}
