/* client.c - connects, sends a request, and receives the response. */
#include "http/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/assert/assert.h"

#define HEAD_BYTES 8192
#define DEFAULT_MAX_BYTES 65536
#define INTERRUPT_POLL_MS 100

struct connection {
    int fd;
    int64_t end_ms; /* deadline, monotonic */
    char bytes[HEAD_BYTES + 1];
    size_t len;  /* bytes received into `bytes` */
    size_t head; /* bytes of the header, with the empty line; 0 if incomplete */
    uint64_t max;  /* maximum bytes of the body */
    uint64_t left; /* bytes of the body still to copy */
    const volatile sig_atomic_t *is_interrupted; /* may be NULL */
    bool is_half_closed; /* whether the sending side is shut down */
};

static int64_t now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * Half-closes the connection after an interrupt, which makes the server send
 * the profile recorded so far.
 */
static void half_close_if_interrupted(struct connection *a)
{
    if (*a->is_interrupted && !a->is_half_closed)
        a->is_half_closed = shutdown(a->fd, SHUT_WR) == 0;
}

/* Waits for events, the deadline or the next check for an interrupt. */
static enum cp_status wait_for(struct connection *a, short events,
                               struct cp_error *err)
{
    struct pollfd p = { a->fd, events, 0 };
    int64_t left = a->end_ms - now_ms(), slice = 1 << 30;
    int n = 0;

    if (events == POLLIN && a->is_interrupted) {
        half_close_if_interrupted(a);
        slice = INTERRUPT_POLL_MS;
    }
    if (left > 0)
        n = poll(&p, 1, (int)(left < slice ? left : slice));
    if (n == 0 && left > slice)
        return CP_OK; /* interrupted; the caller retries */
    if (n == 0)
        return cp_error_set(err, CP_EIO, "no answer within the time limit");
    if (n < 0 && errno != EINTR)
        return cp_error_set(err, CP_EIO, "poll: %s", strerror(errno));
    return CP_OK;
}

static enum cp_status open_to(struct connection *a,
                              const struct cp_http_address *to,
                              struct cp_error *err)
{
    int number = 0;
    socklen_t len = sizeof(number);

    a->fd = socket(to->socket.ss_family,
                   SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (a->fd < 0)
        return cp_error_set(err, CP_EIO, "socket: %s", strerror(errno));
    if (connect(a->fd, (const struct sockaddr *)&to->socket, to->len) == 0)
        return CP_OK;
    if (errno != EINPROGRESS)
        return cp_error_set(err, CP_EIO, "%s", strerror(errno));
    if (wait_for(a, POLLOUT, err) != CP_OK)
        return CP_EIO;
    if (getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &number, &len) || number)
        return cp_error_set(err, CP_EIO, "%s", strerror(number));
    return CP_OK;
}

static enum cp_status send_all(struct connection *a, const char *text,
                               struct cp_error *err)
{
    size_t len = strlen(text);

    while (len > 0) {
        ssize_t n = send(a->fd, text, len, MSG_NOSIGNAL);

        if (n > 0) {
            text += n;
            len -= (size_t)n;
        } else if (errno != EAGAIN && errno != EINTR) {
            return cp_error_set(err, CP_EIO, "%s", strerror(errno));
        } else if (wait_for(a, POLLOUT, err) != CP_OK) {
            return CP_EIO;
        }
    }
    return CP_OK;
}

/* Receives at most cap bytes; 0 is the end of the response. */
static enum cp_status receive(struct connection *a, char *out, size_t cap,
                              size_t *out_n, struct cp_error *err)
{
    for (;;) {
        ssize_t n;

        if (now_ms() >= a->end_ms) /* even if bytes still arrive */
            return cp_error_set(err, CP_EIO,
                                "no complete answer within the time limit");
        n = recv(a->fd, out, cap, 0);
        if (n >= 0) {
            *out_n = (size_t)n;
            return CP_OK;
        }
        if (errno != EAGAIN && errno != EINTR)
            return cp_error_set(err, CP_EIO, "%s", strerror(errno));
        if (wait_for(a, POLLIN, err) != CP_OK)
            return CP_EIO;
    }
}

/* Parses the value of Content-Length: decimal digits, at most a->max. */
static enum cp_status read_length(struct connection *a, const char *end,
                                  struct cp_error *err)
{
    static const char name[] = "\r\ncontent-length:";
    const char *at = strcasestr(a->bytes, name);
    char *after;

    if (!at || at > end)
        return cp_error_set(err, CP_EFORMAT,
                            "the answer has no valid Content-Length");
    at += sizeof(name) - 1;
    at += strspn(at, " \t");
    errno = 0;
    a->left = strtoull(at, &after, 10);
    if (*at < '0' || *at > '9' || *after != '\r' || errno)
        return cp_error_set(err, CP_EFORMAT,
                            "the answer has no valid Content-Length");
    if (a->left > a->max)
        return cp_error_set(err, CP_EFORMAT,
                            "the answer has %llu bytes, more than the limit of "
                            "%llu",
                            (unsigned long long)a->left,
                            (unsigned long long)a->max);
    return CP_OK;
}

static enum cp_status read_head(struct connection *a, struct cp_http_reply *out,
                                struct cp_error *err)
{
    const char *end = NULL;
    size_t n = 0;

    while (!end) {
        if (a->len == HEAD_BYTES)
            return cp_error_set(err, CP_EFORMAT,
                                "the header of the answer is longer than 8 KB");
        if (receive(a, a->bytes + a->len, HEAD_BYTES - a->len, &n, err) !=
            CP_OK)
            return CP_EIO;
        if (n == 0)
            return cp_error_set(
                err, CP_EIO,
                "the server closed the connection before the end of "
                "the answer");
        a->len += n;
        CP_ASSERT(a->len <= HEAD_BYTES);
        a->bytes[a->len] = '\0';
        end = strstr(a->bytes, "\r\n\r\n");
    }
    a->head = (size_t)(end - a->bytes) + 4;
    if (strncmp(a->bytes, "HTTP/1.", 7) != 0 || a->len < 12)
        return cp_error_set(err, CP_EFORMAT, "the server does not speak HTTP");
    out->status = atoi(a->bytes + 9);
    return read_length(a, end, err);
}

/* Copies body bytes to fd; ignores bytes after the end of the body. */
static enum cp_status copy_body(struct connection *a, int fd, const char *bytes,
                                size_t n, struct cp_error *err)
{
    if (n > a->left)
        n = (size_t)a->left;
    a->left -= n;
    while (fd >= 0 && n > 0) {
        ssize_t done = write(fd, bytes, n);

        if (done < 0 && errno != EINTR)
            return cp_error_set(err, CP_EIO, "cannot write the answer: %s",
                                strerror(errno));
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        }
    }
    return CP_OK;
}

static enum cp_status read_body(struct connection *a, int fd,
                                struct cp_http_reply *out, struct cp_error *err)
{
    size_t n = a->len - a->head;
    char *bytes = a->bytes + a->head;
    enum cp_status status;

    CP_ASSERT(a->head > 0 && a->head <= a->len);
    (void)snprintf(out->text, sizeof(out->text), "%s", bytes);
    status = copy_body(a, fd, bytes, n, err);
    while (status == CP_OK && a->left > 0) {
        status = receive(a, a->bytes, HEAD_BYTES, &n, err);
        if (status == CP_OK && n == 0)
            return cp_error_set(
                err, CP_EIO,
                "the server closed the connection before the end of "
                "the answer");
        if (status == CP_OK)
            status = copy_body(a, fd, a->bytes, n, err);
    }
    return status;
}

static enum cp_status exchange(struct connection *a,
                               const struct cp_http_address *to,
                               const struct cp_http_client_request *q,
                               struct cp_http_reply *out, struct cp_error *err)
{
    char text[1024];
    enum cp_status status = open_to(a, to, err);

    if (snprintf(text, sizeof(text),
                 "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                 "Connection: close\r\n%s%s%s\r\n",
                 q->method, q->target, q->token ? "Authorization: Bearer " : "",
                 q->token ? q->token : "",
                 q->token ? "\r\n" : "") >= (int)sizeof(text))
        return cp_error_set(err, CP_EUSAGE, "the request is longer than 1 KB");
    if (status == CP_OK)
        status = send_all(a, text, err);
    if (status == CP_OK)
        status = read_head(a, out, err);
    if (status == CP_OK)
        status = read_body(a, out->status == 200 ? q->out_fd : -1, out, err);
    return status;
}

enum cp_status
cp_http_client_send(const struct cp_http_address *to,
                    const struct cp_http_client_request *question,
                    struct cp_http_reply *out, struct cp_error *err)
{
    struct connection a = { .fd = -1,
                            .end_ms = now_ms() + question->timeout_ms,
                            .max = question->max_bytes ? question->max_bytes
                                                       : DEFAULT_MAX_BYTES,
                            .is_interrupted = question->is_interrupted };
    enum cp_status status;

    *out = (struct cp_http_reply){ 0 };
    status = exchange(&a, to, question, out, err);
    if (a.fd >= 0)
        (void)close(a.fd);
    return status;
}
