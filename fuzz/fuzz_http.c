/*
 * fuzz_http.c - sends any bytes from a client to the endpoint.
 *
 * It uses a socket pair, the real server and the real pages, in one thread. The
 * first byte selects the sizes of the writes, and whether the client waits for
 * the replies. Afterwards the server must have no connections, profile requests
 * or buffered output, and every reply must start like one.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/limits.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/service.h"
#include "runtime/kind/kind.h"

#define MAX_TURNS 100000

static struct cp_service service;
static struct cp_http_server *server;
static int n_open;

static void check(bool ok)
{
    if (!ok)
        abort();
}

static enum cp_status begin(const struct cp_kind_request *request, void **out,
                            struct cp_error *err)
{
    check(request->seconds >= 0 && request->seconds <= 31536000);
    check(request->hz >= 0);
    (void)err;
    *out = &n_open;
    n_open++;
    return CP_OK;
}

static enum cp_status finish(void *window, struct cp_profile **out,
                             struct cp_error *err)
{
    (void)window;
    n_open--;
    *out = cp_profile_new(err);
    return *out ? CP_OK : CP_ENOMEM;
}

static void cancel(void *window)
{
    (void)window;
    n_open--;
}

static const struct cp_kind kinds[] = {
    { .name = "profile",
      .summary = "",
      .default_seconds = 30,
      .text = CP_KIND_TEXT_NONE,
      .begin = begin,
      .finish = finish,
      .cancel = cancel },
    { .name = "heap",
      .summary = "",
      .text = CP_KIND_TEXT_HEAP,
      .begin = begin,
      .finish = finish,
      .cancel = cancel },
};
static const struct cp_kind *const list[] = { &kinds[0], &kinds[1], NULL };

static void start(void)
{
    struct cp_http_limits limits = CP_HTTP_DEFAULT_LIMITS;

    check(cp_service_init(&service, list, NULL) == CP_OK);
    check(cp_http_server_new(&server, &limits, cp_service_handle, &service,
                             NULL) == CP_OK);
    service.server = server;
    service.is_guarded = true;
}

/* Reads the server's output; keeps its first bytes in `first`. */
static void listen_to(int fd, char first[12], size_t *len)
{
    char bytes[65536];
    ssize_t n;

    while ((n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
        size_t more = 12 - *len < (size_t)n ? 12 - *len : (size_t)n;

        memcpy(first + *len, bytes, more);
        *len += more;
    }
}

static void turn(int fd, char first[12], size_t *len)
{
    check(cp_http_server_turn(server, 0, NULL) == CP_OK);
    listen_to(fd, first, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t few = size ? data[0] & 0x7f : 0, piece = few ? few * 7 : size;
    bool is_rude = size && data[0] & 0x80;
    size_t len = 0, at;
    struct cp_http_stats stats;
    char first[12] = "";
    int fds[2], turns = 0;

    if (!server)
        start();
    check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                     fds) == 0);
    check(cp_http_server_adopt(server, fds[0]));
    for (at = 1; at < size;) {
        size_t n = size - at < piece ? size - at : piece;
        ssize_t sent = send(fds[1], data + at, n, MSG_NOSIGNAL);

        if (sent < 0)
            break; /* the server closed the connection or stopped reading */
        at += (size_t)sent;
        turn(fds[1], first, &len);
    }
    (void)shutdown(fds[1], SHUT_WR);
    for (int i = 0; i < 64 && !is_rude; i++)
        turn(fds[1], first, &len);
    (void)close(fds[1]);
    do {
        check(cp_http_server_turn(server, 0, NULL) == CP_OK);
        cp_http_server_stats(server, &stats);
    } while (stats.n_connections > 0 && turns++ < MAX_TURNS);
    check(stats.n_connections == 0 && stats.output_bytes == 0);
    check(n_open == 0 && service.n_waiting == 0);
    check(len < 9 || memcmp(first, "HTTP/1.1 ", 9) == 0);
    return 0;
}
