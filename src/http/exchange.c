/*
 * exchange.c - writes the bytes of responses into the buffers of a connection.
 *
 * Nothing is sent here. The loop sends the buffers after the handler has
 * returned, so no call of a handler can close and free its own exchange.
 */
#include "http/exchange.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/out.h"
#include "http/conn.h"
#include "http/conn_list.h"
#include "http/peer.h"

#define DATE_BYTES 64
#define MAX_STREAM_PENDING ((size_t)1 << 20) /* bytes not sent yet */

const struct cp_http_request *
cp_http_request_of(const struct cp_http_exchange *x)
{
    return &x->request;
}

/*
 * Whether the client's address is in 127.0.0.0/8, also as an IPv4-mapped IPv6
 * address, or ::1.
 */
bool cp_http_is_from_loopback(const struct cp_http_exchange *x)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
        struct sockaddr_storage all;
    } peer = { .all = { 0 } };
    socklen_t len = sizeof(peer);

    if (getpeername(x->fd, &peer.any, &len) != 0)
        return false;
    if (peer.any.sa_family == AF_INET)
        return ntohl(peer.in.sin_addr.s_addr) >> 24 == 127;
    if (peer.any.sa_family != AF_INET6)
        return false;
    return IN6_IS_ADDR_LOOPBACK(&peer.in6.sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&peer.in6.sin6_addr) &&
            peer.in6.sin6_addr.s6_addr[12] == 127);
}

bool cp_http_is_from_user(const struct cp_http_exchange *x)
{
    uid_t user;

    return cp_http_peer_user(x->fd, &user) && (user == geteuid() || user == 0);
}

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } reasons[] = {
#define ROW(number, name, string) { number, #string },
        HTTP_STATUS_MAP(ROW)
#undef ROW
    };

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].text;
    return "Unknown";
}

/*
 * "Sun, 06 Nov 1994 08:49:37 GMT". strftime() and gmtime_r() read the locale
 * and the time zone, which takes locks of the program and may read files.
 */
static void format_date(char out[DATE_BYTES])
{
    static const char days[] =
        "ThuFriSatSunMonTueWed"; /* 1 Jan 1970 was a Thursday */
    static const char months[] = "MarAprMayJunJulAugSepOctNovDecJanFeb";
    uint32_t seconds = (uint32_t)time(NULL), day = seconds / 86400;
    uint32_t from_march = day + 719468; /* days since 1 Mar 0000 */
    uint32_t in_era = from_march % 146097;
    uint32_t year =
        (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    uint32_t in_year = in_era - (365 * year + year / 4 - year / 100);
    uint32_t month = (5 * in_year + 2) / 153; /* 0 is March */

    year += from_march / 146097 * 400 + (month >= 10);
    (void)snprintf(out, DATE_BYTES, "%.3s, %02u %.3s %04u %02u:%02u:%02u GMT",
                   days + 3 * (day % 7), in_year - (153 * month + 2) / 5 + 1,
                   months + 3 * month, year, seconds / 3600 % 24,
                   seconds / 60 % 60, seconds % 60);
}

static void append(struct cp_http_exchange *x, struct cp_http_text *to,
                   const char *text)
{
    if (!cp_http_text_add(to, text, strlen(text)))
        x->has_failed = true;
}

void cp_http_add_header(struct cp_http_exchange *x, const char *name,
                        const char *value)
{
    append(x, &x->headers, name);
    append(x, &x->headers, ": ");
    append(x, &x->headers, value);
    append(x, &x->headers, "\r\n");
}

void cp_http_set_policy(struct cp_http_exchange *x, const char *policy)
{
    cp_http_add_header(x, "Content-Security-Policy", policy);
    x->has_policy = true;
}

void cp_http_drop_headers(struct cp_http_exchange *x)
{
    x->headers.len = 0;
    x->has_policy = false;
}

/* Writes the security headers, which every response has. */
static void put_security_headers(struct cp_http_exchange *x)
{
    append(x, &x->output, "X-Content-Type-Options: nosniff\r\n");
    if (!x->has_policy)
        append(x, &x->output,
               "Content-Security-Policy: " CP_HTTP_STRICT_POLICY "\r\n");
    x->has_policy = false;
}

/*
 * Writes status line and headers; `framing` is the header that delimits the
 * body.
 */
static void put_head(struct cp_http_exchange *x, int status,
                     const char *framing)
{
    char line[160], now[DATE_BYTES];

    format_date(now);
    (void)snprintf(line, sizeof(line), "HTTP/1.1 %d %s\r\nDate: %s\r\n", status,
                   reason(status), now);
    append(x, &x->output, line);
    put_security_headers(x);
    if (x->headers.len)
        append(x, &x->output, x->headers.bytes);
    append(x, &x->output, framing);
    if (x->will_close)
        append(x, &x->output, "Connection: close\r\n");
    else if (x->request.parser.http_minor == 0)
        append(x, &x->output, "Connection: keep-alive\r\n");
    append(x, &x->output, "\r\n");
    cp_http_text_release(&x->headers);
}

/* Ends the exchange for its handler; the connection continues to send. */
static void end(struct cp_http_exchange *x)
{
    CP_ASSERT(!x->is_ended && x->state == CP_HTTP_HANDLING);
    x->is_ended = true;
    x->is_deferred = false;
    cp_http_timer_clear(&x->server->timers, &x->due);
    cp_http_conn_touch(x);
}

void cp_http_answer(struct cp_http_exchange *x, int status, struct cp_out *body)
{
    char length[64];

    if (body && body->err.status != CP_OK) {
        cp_out_release(body);
        cp_http_drop_headers(x);
        cp_http_answer_text(x, 503, "out of memory\n");
        return;
    }
    (void)snprintf(length, sizeof(length), "Content-Length: %zu\r\n",
                   body ? body->len : 0);
    put_head(x, status, length);
    if (body && body->len && x->request.parser.method != HTTP_HEAD) {
        x->body = (struct cp_http_text){ body->buf, body->len, body->cap };
        x->server->stats.output_bytes += body->len;
        *body = (struct cp_out){ .fd = -1 };
    }
    if (body)
        cp_out_release(body);
    end(x);
}

void cp_http_answer_text(struct cp_http_exchange *x, int status,
                         const char *text)
{
    struct cp_out body = { .fd = -1 };

    cp_out_cstr(&body, text);
    cp_http_add_header(x, "Content-Type", "text/plain; charset=utf-8");
    if (body.err.status != CP_OK)
        cp_out_release(&body); /* send a response without a body */
    cp_http_answer(x, status, &body);
}

void cp_http_defer(struct cp_http_exchange *x,
                   const struct cp_http_callbacks *callbacks, int64_t ns)
{
    CP_ASSERT(!x->is_ended && callbacks->on_disconnect);
    CP_ASSERT(ns < 0 || callbacks->on_timeout);
    x->callbacks = *callbacks;
    x->is_deferred = true;
    if (ns >= 0)
        cp_http_timer_set(&x->server->timers, &x->due, cp_http_now() + ns);
    else
        cp_http_timer_clear(&x->server->timers, &x->due);
}

void cp_http_stream_begin(struct cp_http_exchange *x, int status)
{
    CP_ASSERT(x->is_deferred && !x->is_stream);
    x->is_stream = true;
    x->is_chunked = x->request.parser.http_minor > 0;
    if (!x->is_chunked)
        x->will_close = true; /* closing delimits the body in HTTP/1.0 */
    put_head(x, status, x->is_chunked ? "Transfer-Encoding: chunked\r\n" : "");
    cp_http_conn_touch(x);
}

bool cp_http_stream_write(struct cp_http_exchange *x, const void *bytes,
                          size_t len)
{
    char size[24];

    CP_ASSERT(x->is_stream && !x->is_ended);
    if (len == 0 || x->request.parser.method == HTTP_HEAD)
        return true;
    if (x->is_chunked) {
        (void)snprintf(size, sizeof(size), "%zx\r\n", len);
        append(x, &x->output, size);
    }
    if (!cp_http_text_add(&x->output, bytes, len))
        x->has_failed = true;
    if (x->is_chunked)
        append(x, &x->output, "\r\n");
    cp_http_conn_touch(x);
    return cp_http_write_pending(x) < MAX_STREAM_PENDING;
}

void cp_http_stream_end(struct cp_http_exchange *x)
{
    if (x->is_chunked && x->request.parser.method != HTTP_HEAD)
        append(x, &x->output, "0\r\n\r\n");
    end(x);
}
