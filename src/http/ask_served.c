/* ask_served.c - which of many addresses accept connections; see ask.h. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/printable.h"
#include "http/address.h"
#include "http/ask.h"

#define AT_ONCE 128 /* sockets */

/* ---- reading an address ---- */

static bool is_plain_path(const char *path)
{
    return path[0] == '/' && cp_printable_is(path, strlen(path));
}

/* Writes it as an endpoint does (runtime/endpoint/endpoint.c). */
static void write_as_endpoint(const struct cp_http_address *a,
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

enum cp_status cp_http_ask_address(struct cp_http_address *out,
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
        write_as_endpoint(out, again);
    if (is_good && strcmp(again, text) == 0)
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "not the address of an endpoint: %.200s", text);
}

/* ---- connecting ---- */

static int64_t now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Is it an address of this machine? Then a socket can be bound to it. */
static bool bind_locally(int fd, const struct cp_http_address *to)
{
    struct cp_http_address own = *to;
    int on = 1;

    if (to->socket.ss_family == AF_UNIX)
        return true;
    /* Without a port of its own it cannot connect to itself. */
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

static void finish(struct cp_http_probe *p)
{
    int number = 0;
    socklen_t len = sizeof(number);

    p->is_served =
        getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &number, &len) == 0 &&
        number == 0 && has_owner(p);
    (void)close(p->fd);
    p->fd = -1;
}

/* Afterwards fd is open if the connection is still under way. */
static void start(struct cp_http_probe *p)
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
            finish(p);
        return;
    }
    (void)close(p->fd);
    p->fd = -1;
}

/* Waits for those under way, once; false: none is, or the time is over. */
static bool wait_for_some(struct cp_http_probe *probes, size_t n,
                          int64_t end_ms)
{
    struct pollfd polled[AT_ONCE];
    struct cp_http_probe *of[AT_ONCE];
    int64_t left = end_ms - now_ms();
    nfds_t n_polled = 0;

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
            finish(of[i]);
    return true;
}

/* Answers that come at once count even when the time is over. */
static void try_some(struct cp_http_probe *probes, size_t n, int64_t end_ms)
{
    for (size_t i = 0; i < n; i++)
        start(&probes[i]);
    while (wait_for_some(probes, n, end_ms))
        ;
    for (size_t i = 0; i < n; i++) {
        if (probes[i].fd >= 0)
            (void)close(probes[i].fd);
        probes[i].fd = -1;
    }
}

void cp_http_ask_served(struct cp_http_probe *probes, size_t n, int timeout_ms)
{
    int64_t end_ms = now_ms() + timeout_ms;

    for (size_t at = 0; at < n; at += AT_ONCE)
        try_some(probes + at, n - at < AT_ONCE ? n - at : AT_ONCE, end_ms);
}
