/*
 * conn.c - the state machine of a connection.
 *
 * Every event, timer and response ends in send_and_wait(), which sends what the
 * socket accepts and arms the next epoll event. No function here frees a
 * connection: closing puts it on the list of the dead (conn_list.c).
 */
#include "http/conn.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "http/conn_list.h"

#define NS_PER_MS 1000000
#define MAX_LINGER_BYTES ((size_t)4 << 20) /* beyond, it is closed */

/* ---- waiting ---- */

static void arm(struct cp_http_exchange *x, uint32_t events)
{
    struct epoll_event e = { .events = events, .data.ptr = &x->source };

    if (x->events == events)
        return;
    x->events = events;
    (void)epoll_ctl(x->server->epoll_fd, EPOLL_CTL_MOD, x->fd, &e);
}

static void set_deadline(struct cp_http_exchange *x, int ms)
{
    cp_http_timer_set(&x->server->timers, &x->limit,
                      cp_http_now() + (int64_t)ms * NS_PER_MS);
}

/* ---- memory of requests ---- */

static size_t memory_of(const struct cp_http_exchange *x)
{
    const struct cp_http_request *r = &x->request;

    return r->head.cap + r->body.cap + x->unread.cap +
           (r->headers ? r->limits->n_headers * sizeof(*r->headers) : 0);
}

/* ---- writing ---- */

size_t cp_http_write_pending(const struct cp_http_exchange *x)
{
    CP_ASSERT(x->written <= x->output.len + x->body.len);
    return x->output.len + x->body.len - x->written;
}

/* Fills in the buffers not sent yet, at most two; returns their number. */
static size_t unsent_parts(const struct cp_http_exchange *x,
                           struct iovec *parts)
{
    const struct cp_http_text *texts[2] = { &x->output, &x->body };
    size_t skip = x->written, n = 0;

    for (int i = 0; i < 2; i++) {
        const struct cp_http_text *t = texts[i];

        if (skip < t->len) {
            parts[n++] = (struct iovec){ t->bytes + skip, t->len - skip };
            skip = 0;
        } else {
            skip -= t->len;
        }
    }
    return n;
}

/*
 * Sends as much as the socket accepts. Returns false if the connection is
 * broken.
 */
static bool write_some(struct cp_http_exchange *x)
{
    while (cp_http_write_pending(x) > 0) {
        struct iovec parts[2];
        struct msghdr m = { .msg_iov = parts };
        ssize_t n;

        m.msg_iovlen = unsent_parts(x, parts);
        n = sendmsg(x->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 && (errno == EAGAIN || errno == ENOBUFS);
        x->written += (size_t)n;
        set_deadline(x, x->server->limits.write_timeout_ms);
    }
    return true;
}

/* ---- one exchange after the other ---- */

static void become_idle(struct cp_http_exchange *x)
{
    x->state = CP_HTTP_IDLE;
    x->is_stream = x->is_chunked = x->is_ended = false;
    x->has_continued = false;
    cp_http_request_reset(&x->request, &x->server->limits);
    cp_http_conn_count_held(x, x->unread.cap);
    cp_http_conn_make_newest(x);
    set_deadline(x, x->server->limits.idle_timeout_ms);
    arm(x, EPOLLIN);
    if (x->unread.len)
        cp_http_conn_touch(x); /* a pipelined request has arrived */
}

/*
 * Closes the connection or prepares it for the next request, after the response
 * is sent.
 */
static void finish_response(struct cp_http_exchange *x)
{
    cp_http_conn_drop_output(x);
    if (!x->will_close) {
        become_idle(x);
        return;
    }
    x->state = CP_HTTP_LINGERING;
    (void)shutdown(x->fd, SHUT_WR);
    set_deadline(x, x->server->limits.linger_ms);
    arm(x, EPOLLIN);
}

/* Handles a stream whose client has received everything. */
static void notify_writable(struct cp_http_exchange *x)
{
    if (!x->is_deferred || cp_http_write_pending(x) > 0)
        return;
    cp_http_conn_drop_output(x);
    cp_http_timer_clear(&x->server->timers, &x->limit);
    if (x->callbacks.on_writable)
        x->callbacks.on_writable(x->callbacks.context);
}

/* In HANDLING or WRITING: sends, changes the state, arms the next event. */
static void send_and_wait(struct cp_http_exchange *x)
{
    size_t before = cp_http_write_pending(x);

    CP_ASSERT(x->state == CP_HTTP_HANDLING || x->state == CP_HTTP_WRITING);
    if (x->has_failed || !write_some(x)) {
        cp_http_conn_close(x);
        return;
    }
    if (x->is_ended && cp_http_write_pending(x) == 0) {
        finish_response(x);
        return;
    }
    if (x->is_ended) {
        x->state = CP_HTTP_WRITING;
        if (!x->limit.slot)
            set_deadline(x, x->server->limits.write_timeout_ms);
        cp_http_conn_evict_readers(x);
        arm(x, EPOLLOUT);
        return;
    }
    if (before > 0)
        notify_writable(x);
    if (cp_http_write_pending(x) == 0) {
        arm(x, EPOLLRDHUP);
        return;
    }
    if (!x->limit.slot)
        set_deadline(x, x->server->limits.write_timeout_ms);
    arm(x, EPOLLRDHUP | EPOLLOUT);
}

/* Answers a request that cannot be served, and closes. */
static void reject(struct cp_http_exchange *x, int status, const char *text)
{
    x->state = CP_HTTP_HANDLING;
    x->will_close = true;
    cp_http_answer_text(x, status, text);
    send_and_wait(x);
}

static const char *rejection_text(int status)
{
    switch (status) {
    case 408:
        return "408 Request Timeout";
    case 413:
        return "413 Payload Too Large";
    case 414:
        return "414 URI Too Long";
    case 431:
        return "431 Request Header Fields Too Large";
    case 503:
        return "503 Service Unavailable";
    case 505:
        return "505 HTTP Version Not Supported";
    default:
        return "400 Bad Request";
    }
}

static void handle(struct cp_http_exchange *x)
{
    struct cp_http_server *s = x->server;

    x->state = CP_HTTP_HANDLING;
    x->will_close = !http_should_keep_alive(&x->request.parser);
    cp_http_timer_clear(&s->timers, &x->limit);
    s->stats.n_requests++;
    s->handler(s->context, x);
    if (!x->is_ended && !x->is_deferred)
        cp_http_answer_text(x, 500,
                            "internal error: the handler did not answer\n");
    send_and_wait(x);
}

static void answer_continue(struct cp_http_exchange *x)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    x->has_continued = true;
    (void)send(x->fd, text, sizeof(text) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Parses bytes from the socket or from `unread`. */
static void parse(struct cp_http_exchange *x, const char *bytes, size_t len)
{
    size_t taken;

    CP_ASSERT(x->state == CP_HTTP_IDLE || x->state == CP_HTTP_READING);
    if (x->state == CP_HTTP_IDLE) {
        x->state = CP_HTTP_READING;
        set_deadline(x, x->server->limits.request_timeout_ms);
    }
    taken = cp_http_request_feed(&x->request, bytes, len);
    if (x->request.status) {
        reject(x, x->request.status, rejection_text(x->request.status));
    } else if (!x->request.is_complete) {
        cp_http_conn_count_held(x, memory_of(x));
        cp_http_conn_evict_senders(x);
        if (!x->has_continued && cp_http_request_expects_continue(&x->request))
            answer_continue(x);
    } else if (taken < len &&
               !cp_http_text_add(&x->unread, bytes + taken, len - taken)) {
        cp_http_conn_close(x);
    } else {
        cp_http_conn_count_held(x, memory_of(x));
        handle(x);
    }
}

/* ---- events ---- */

static void receive(struct cp_http_exchange *x)
{
    char *scratch = x->server->scratch;
    ssize_t n;

    if (x->unread.len && x->state == CP_HTTP_IDLE)
        return; /* advance() parses `unread` first */
    n = recv(x->fd, scratch, CP_HTTP_SCRATCH_BYTES, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        cp_http_conn_close(x);
        return;
    }
    if (x->state != CP_HTTP_LINGERING) {
        parse(x, scratch, (size_t)n);
        return;
    }
    x->lingered += (size_t)n;
    if (x->lingered > MAX_LINGER_BYTES)
        cp_http_conn_close(x);
}

/*
 * Handles a client that has closed its sending side or the whole connection.
 * Only sending can tell which. So a deferred exchange sends its response now,
 * if it can.
 */
static void on_half_close(struct cp_http_exchange *x)
{
    if (x->is_deferred && x->callbacks.on_half_close) {
        x->will_close = true;
        x->callbacks.on_half_close(x->callbacks.context);
    }
    if (x->is_ended)
        send_and_wait(x);
    else
        cp_http_conn_close(x);
}

static void on_event(struct cp_http_source *source, uint32_t events)
{
    struct cp_http_exchange *x = (struct cp_http_exchange *)source;

    switch (x->state) {
    case CP_HTTP_IDLE:
    case CP_HTTP_READING:
    case CP_HTTP_LINGERING:
        receive(x);
        break;
    case CP_HTTP_HANDLING:
        if (events & (EPOLLHUP | EPOLLERR))
            cp_http_conn_close(x);
        else if (events & EPOLLRDHUP)
            on_half_close(x);
        else
            send_and_wait(x);
        break;
    case CP_HTTP_WRITING:
        send_and_wait(x);
        break;
    case CP_HTTP_DEAD:
        break;
    }
}

/*
 * Whether the client has met its deadline, but the busy loop has not yet
 * handled its bytes.
 */
static bool has_pending_event(const struct cp_http_exchange *x)
{
    struct pollfd p = { x->fd, x->state == CP_HTTP_IDLE ? POLLIN : POLLOUT, 0 };

    return (x->state == CP_HTTP_IDLE || x->state == CP_HTTP_WRITING) &&
           poll(&p, 1, 0) == 1 && !(p.revents & (POLLHUP | POLLERR));
}

static void on_deadline(void *context)
{
    struct cp_http_exchange *x = context;
    const struct cp_http_limits *limits = &x->server->limits;

    if (has_pending_event(x)) {
        set_deadline(x, x->state == CP_HTTP_IDLE ? limits->idle_timeout_ms
                                                 : limits->write_timeout_ms);
        return;
    }
    if (x->state != CP_HTTP_IDLE && x->state != CP_HTTP_LINGERING)
        x->server->stats.n_evicted++;
    if (x->state == CP_HTTP_READING)
        reject(x, 408, rejection_text(408));
    else
        cp_http_conn_close(x);
}

static void on_deferred_timeout(void *context)
{
    struct cp_http_exchange *x = context;

    CP_ASSERT(x->is_deferred);
    x->callbacks.on_timeout(x->callbacks.context);
}

static void advance(struct cp_http_exchange *x)
{
    struct cp_http_text unread = x->unread;

    if (x->state == CP_HTTP_HANDLING || x->state == CP_HTTP_WRITING) {
        send_and_wait(x);
    } else if (x->state == CP_HTTP_IDLE && unread.len) {
        x->unread = (struct cp_http_text){ 0 };
        parse(x, unread.bytes, unread.len);
        cp_http_text_release(&unread);
    }
}

void cp_http_conn_advance_touched(struct cp_http_server *s)
{
    struct cp_http_exchange *x = s->touched, *next;

    s->touched = NULL;
    for (; x; x = next) {
        next = x->next_touched;
        x->is_touched = false;
        advance(x);
    }
}

bool cp_http_conn_open(struct cp_http_server *s, int fd)
{
    struct cp_http_exchange *x = cp_alloc(1, sizeof(*x), NULL);
    struct epoll_event e = { .events = EPOLLIN };
    int on = 1;

    if (!x)
        return false;
    *x = (struct cp_http_exchange){
        .source.ready = on_event,
        .server = s,
        .fd = fd,
        .limit.fire = on_deadline,
        .limit.context = x,
        .due.fire = on_deferred_timeout,
        .due.context = x,
        .events = EPOLLIN,
    };
    e.data.ptr = &x->source;
    if (cp_http_timers_reserve(
            &s->timers, 2 * s->stats.n_connections + 2 + CP_HTTP_SPARE_TIMERS,
            NULL) != CP_OK ||
        epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e)) {
        cp_free(x);
        return false;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    cp_http_conn_insert(x);
    become_idle(x);
    return true;
}
