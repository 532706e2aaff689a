/* server.c - accepts connections, runs the epoll loop, and wakes it. */
#include "http/server.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "http/conn.h"
#include "http/conn_list.h"

#define MAX_EVENTS 64
#define MAX_ACCEPTS 64              /* calls per event of a listening socket */
#define ACCEPT_BACKOFF_NS 100000000 /* pause after accept() has failed */

struct cp_http_listener {
    struct cp_http_source source; /* must be first */
    struct cp_http_server *server;
    int fd;
    struct cp_http_listener *next;
};

struct cp_http_watch {
    struct cp_http_source source; /* must be first */
    void (*ready)(void *context);
    void *context;
    struct cp_http_watch *next;
};

/* ---- accepting ---- */

static void set_accepting(struct cp_http_server *s, bool is_on)
{
    struct cp_http_listener *l = s->listeners;

    is_on = is_on && !s->is_paused;
    s->is_accepting = is_on;
    for (; l; l = l->next) {
        struct epoll_event e = { .events = is_on ? EPOLLIN : 0,
                                 .data.ptr = &l->source };

        (void)epoll_ctl(s->epoll_fd, EPOLL_CTL_MOD, l->fd, &e);
    }
}

static void accept_again(void *context)
{
    set_accepting(context, true);
}

void cp_http_server_pause(struct cp_http_server *s, bool is_paused)
{
    s->is_paused = is_paused;
    set_accepting(s, true);
}

/*
 * Handles a failure of accept(). Returns true if the caller should try again.
 * Without descriptors or memory it closes a connection. If there is none to
 * close, or for other errors, it stops accepting for a while, so that the loop
 * does not spin.
 */
static bool recover_accept(struct cp_http_server *s)
{
    switch (errno) {
    case EAGAIN:
        return false;
    case EINTR:
    case ECONNABORTED:
        return true;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        if (cp_http_conn_evict(s))
            return true;
    }
    set_accepting(s, false);
    cp_http_timer_set(&s->timers, &s->accept_again,
                      cp_http_now() + ACCEPT_BACKOFF_NS);
    return false;
}

static void reject_connection(int fd)
{
    static const char text[] = "HTTP/1.1 503 Service Unavailable\r\n"
                               "Content-Length: 0\r\nConnection: close\r\n\r\n";

    (void)send(fd, text, sizeof(text) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)close(fd);
}

static void on_accept(struct cp_http_source *source, uint32_t events)
{
    struct cp_http_listener *l = (struct cp_http_listener *)source;
    struct cp_http_server *s = l->server;

    (void)events;
    for (int i = 0; i < MAX_ACCEPTS && s->is_accepting && l->fd >= 0; i++) {
        int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd < 0) {
            if (recover_accept(s))
                continue;
            return;
        }
        if (s->stats.n_connections >= s->limits.n_connections)
            (void)cp_http_conn_evict(s);
        if (s->stats.n_connections >= s->limits.n_connections ||
            !cp_http_conn_open(s, fd))
            reject_connection(fd);
    }
}

/* ---- waking ---- */

static void signal_loop(struct cp_http_server *s)
{
    uint64_t one = 1;
    ssize_t n = write(s->event_fd, &one, sizeof(one));

    (void)n; /* a full counter means that the loop is awake */
}

void cp_http_server_stop(struct cp_http_server *s)
{
    int saved_errno = errno;

    atomic_store(&s->is_stopped, 1);
    signal_loop(s);
    errno = saved_errno;
}

void cp_http_server_wake(struct cp_http_server *s, struct cp_http_wake *wake)
{
    wake->next = atomic_load(&s->wakes);
    while (!atomic_compare_exchange_weak(&s->wakes, &wake->next, wake))
        ;
    signal_loop(s);
}

static void on_wake(struct cp_http_source *source, uint32_t events)
{
    struct cp_http_server *s =
        (struct cp_http_server *)((char *)source -
                                  offsetof(struct cp_http_server, wake_source));
    struct cp_http_wake *last = NULL, *wake, *next;
    uint64_t count;
    ssize_t n = read(s->event_fd, &count, sizeof(count));

    (void)n;
    (void)events;
    for (wake = atomic_exchange(&s->wakes, NULL); wake; wake = next) {
        next = wake->next; /* the list is newest first: reverse it */
        wake->next = last;
        last = wake;
    }
    for (; last; last = next) {
        next = last->next;
        last->run(last->context);
    }
}

/* ---- the server ---- */

static enum cp_status add_source(struct cp_http_server *s, int fd,
                                 struct cp_http_source *source,
                                 struct cp_error *err)
{
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = source };

    if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e))
        return cp_error_set(err, CP_EIO, "cannot serve: epoll_ctl: %s",
                            strerror(errno));
    return CP_OK;
}

static enum cp_status init(struct cp_http_server *s, struct cp_error *err)
{
    s->accept_again.fire = accept_again;
    s->accept_again.context = s;
    s->wake_source.ready = on_wake;
    s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    s->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->epoll_fd < 0 || s->event_fd < 0)
        return cp_error_set(err, CP_EIO, "cannot serve: %s: %s",
                            s->epoll_fd < 0 ? "epoll_create1" : "eventfd",
                            strerror(errno));
    s->scratch = cp_alloc(CP_HTTP_SCRATCH_BYTES, 1, err);
    if (!s->scratch ||
        cp_http_timers_reserve(&s->timers, CP_HTTP_SPARE_TIMERS, err) != CP_OK)
        return CP_ENOMEM;
    return add_source(s, s->event_fd, &s->wake_source, err);
}

enum cp_status cp_http_server_new(struct cp_http_server **out,
                                  const struct cp_http_limits *limits,
                                  cp_http_handler *handler, void *context,
                                  struct cp_error *err)
{
    struct cp_http_server *s = cp_alloc(1, sizeof(*s), err);
    enum cp_status status;

    if (!s)
        return CP_ENOMEM;
    s->limits = *limits;
    s->handler = handler;
    s->context = context;
    s->epoll_fd = s->event_fd = -1;
    s->is_accepting = true;
    status = init(s, err);
    if (status == CP_OK)
        *out = s;
    else
        cp_http_server_free(s);
    return status;
}

enum cp_status cp_http_server_listen(struct cp_http_server *s, int fd,
                                     struct cp_error *err)
{
    struct cp_http_listener *l = s->listeners;

    while (l && l->fd >= 0)
        l = l->next;
    if (!l) {
        l = cp_alloc(1, sizeof(*l), err);
        if (!l)
            return CP_ENOMEM;
        *l = (struct cp_http_listener){ { on_accept }, s, -1, s->listeners };
        s->listeners = l;
    }
    if (add_source(s, fd, &l->source, err) != CP_OK)
        return CP_EIO;
    l->fd = fd;
    return CP_OK;
}

/* Keeps the structs, because an event of this turn may point to one. */
void cp_http_server_unlisten(struct cp_http_server *s)
{
    for (struct cp_http_listener *l = s->listeners; l; l = l->next) {
        if (l->fd >= 0)
            (void)close(l->fd);
        l->fd = -1;
    }
}

static void on_watch(struct cp_http_source *source, uint32_t events)
{
    struct cp_http_watch *w = (struct cp_http_watch *)source;

    (void)events;
    w->ready(w->context);
}

enum cp_status cp_http_server_watch(struct cp_http_server *s, int fd,
                                    void (*ready)(void *context), void *context,
                                    struct cp_error *err)
{
    struct cp_http_watch *w = cp_alloc(1, sizeof(*w), err);

    if (!w)
        return CP_ENOMEM;
    *w = (struct cp_http_watch){ { on_watch }, ready, context, s->watches };
    if (add_source(s, fd, &w->source, err) != CP_OK) {
        cp_free(w);
        return CP_EIO;
    }
    s->watches = w;
    return CP_OK;
}

enum cp_status cp_http_server_turn(struct cp_http_server *s, int max_ms,
                                   struct cp_error *err)
{
    struct epoll_event events[MAX_EVENTS];
    int ms = s->touched ? 0 : cp_http_timers_wait_ms(&s->timers, cp_http_now());
    int n;

    if (max_ms >= 0 && (ms < 0 || ms > max_ms))
        ms = max_ms;
    n = epoll_wait(s->epoll_fd, events, MAX_EVENTS, ms);
    if (n < 0 && errno != EINTR)
        return cp_error_set(err, CP_EIO, "cannot serve: epoll_wait: %s",
                            strerror(errno));
    for (int i = 0; i < n; i++) {
        struct cp_http_source *source = events[i].data.ptr;

        source->ready(source, events[i].events);
    }
    cp_http_timers_fire(&s->timers, cp_http_now());
    cp_http_conn_advance_touched(s);
    cp_http_conn_free_dead(s);
    return CP_OK;
}

enum cp_status cp_http_server_run(struct cp_http_server *s,
                                  struct cp_error *err)
{
    enum cp_status status = CP_OK;

    while (status == CP_OK && !atomic_load(&s->is_stopped))
        status = cp_http_server_turn(s, -1, err);
    return status;
}

void cp_http_server_after(struct cp_http_server *s, struct cp_http_timer *timer,
                          int64_t ns)
{
    cp_http_timer_set(&s->timers, timer, cp_http_now() + ns);
}

bool cp_http_server_adopt(struct cp_http_server *s, int fd)
{
    return cp_http_conn_open(s, fd);
}

void cp_http_server_stats(const struct cp_http_server *s,
                          struct cp_http_stats *out)
{
    *out = s->stats;
}

void cp_http_server_abandon(const struct cp_http_server *s)
{
    const struct cp_http_listener *l = s->listeners;
    const struct cp_http_exchange *x = s->oldest;

    for (; l; l = l->next)
        if (l->fd >= 0)
            (void)close(l->fd);
    for (; x; x = x->next)
        (void)close(x->fd);
    (void)close(s->epoll_fd);
    (void)close(s->event_fd);
}

void cp_http_server_free(struct cp_http_server *s)
{
    struct cp_http_listener *l;
    struct cp_http_watch *w;

    if (!s)
        return;
    while (s->oldest)
        cp_http_conn_close(s->oldest);
    cp_http_conn_advance_touched(s);
    cp_http_conn_free_dead(s);
    CP_ASSERT(s->stats.n_connections == 0 && !s->dead && !s->touched);
    while ((l = s->listeners)) {
        s->listeners = l->next;
        if (l->fd >= 0)
            (void)close(l->fd);
        cp_free(l);
    }
    while ((w = s->watches)) {
        s->watches = w->next;
        cp_free(w);
    }
    if (s->epoll_fd >= 0)
        (void)close(s->epoll_fd);
    if (s->event_fd >= 0)
        (void)close(s->event_fd);
    cp_http_timers_release(&s->timers);
    cp_free(s->scratch);
    cp_free(s);
}
