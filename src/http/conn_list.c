/* conn_list.c - links, counts, closes and frees connections. */
#include "http/conn_list.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "http/conn.h"

static void unlink_conn(struct cp_http_exchange *x)
{
    struct cp_http_server *s = x->server;

    CP_ASSERT(x->prev ? x->prev->next == x : s->oldest == x);
    CP_ASSERT(x->next ? x->next->prev == x : s->newest == x);
    if (x->prev)
        x->prev->next = x->next;
    else
        s->oldest = x->next;
    if (x->next)
        x->next->prev = x->prev;
    else
        s->newest = x->prev;
    x->prev = x->next = NULL;
}

static void link_newest(struct cp_http_exchange *x)
{
    struct cp_http_server *s = x->server;

    x->prev = s->newest;
    x->next = NULL;
    if (s->newest)
        s->newest->next = x;
    else
        s->oldest = x;
    s->newest = x;
}

void cp_http_conn_insert(struct cp_http_exchange *x)
{
    x->server->stats.n_connections++;
    x->server->stats.n_accepted++;
    link_newest(x);
}

void cp_http_conn_make_newest(struct cp_http_exchange *x)
{
    unlink_conn(x);
    link_newest(x);
}

void cp_http_conn_touch(struct cp_http_exchange *x)
{
    if (x->is_touched)
        return;
    x->is_touched = true;
    x->next_touched = x->server->touched;
    x->server->touched = x;
}

void cp_http_conn_count_held(struct cp_http_exchange *x, size_t now)
{
    x->server->stats.input_bytes += now - x->held;
    x->held = now;
}

void cp_http_conn_drop_output(struct cp_http_exchange *x)
{
    CP_ASSERT(x->server->stats.output_bytes >= x->body.len);
    x->server->stats.output_bytes -= x->body.len;
    cp_http_text_release(&x->body);
    cp_http_text_release(&x->output);
    x->written = 0;
}

void cp_http_conn_close(struct cp_http_exchange *x)
{
    struct cp_http_server *s = x->server;

    if (x->state == CP_HTTP_DEAD)
        return;
    x->state = CP_HTTP_DEAD;
    cp_http_timer_clear(&s->timers, &x->limit);
    cp_http_timer_clear(&s->timers, &x->due);
    if (x->is_deferred) {
        x->is_deferred = false;
        x->callbacks.on_disconnect(x->callbacks.context);
    }
    /* close() alone does not remove it from epoll: a forked process may still
     * hold a descriptor of the socket. */
    (void)epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, x->fd, NULL);
    (void)close(x->fd);
    unlink_conn(x);
    x->next = s->dead;
    s->dead = x;
    CP_ASSERT(s->stats.n_connections > 0);
    s->stats.n_connections--;
    cp_http_conn_count_held(x, 0);
    cp_http_conn_drop_output(x);
}

/*
 * Frees the closed connections, except touched ones: they are still in
 * server->touched, and the next turn frees them.
 */
void cp_http_conn_free_dead(struct cp_http_server *s)
{
    struct cp_http_exchange *x = s->dead, *next;

    s->dead = NULL;
    for (; x; x = next) {
        next = x->next;
        CP_ASSERT(x->state == CP_HTTP_DEAD);
        if (x->is_touched) {
            x->next = s->dead;
            s->dead = x;
            continue;
        }
        cp_http_request_release(&x->request);
        cp_http_text_release(&x->unread);
        cp_http_text_release(&x->headers);
        cp_free(x);
    }
}

bool cp_http_conn_evict(struct cp_http_server *s)
{
    struct cp_http_exchange *x = s->oldest;

    while (x && x->state != CP_HTTP_IDLE && x->state != CP_HTTP_READING &&
           x->state != CP_HTTP_LINGERING)
        x = x->next;
    if (!x)
        return false;
    s->stats.n_evicted++;
    cp_http_conn_close(x);
    return true;
}

/*
 * Closes connections in `state`, oldest first, while *held is more than max.
 */
static void evict_while(struct cp_http_exchange *keep, enum cp_http_state state,
                        const size_t *held, size_t max)
{
    struct cp_http_server *s = keep->server;
    struct cp_http_exchange *x = s->oldest, *next;

    for (; x && *held > max; x = next) {
        next = x->next;
        if (x == keep || x->state != state)
            continue;
        s->stats.n_evicted++;
        cp_http_conn_close(x);
    }
}

void cp_http_conn_evict_readers(struct cp_http_exchange *keep)
{
    struct cp_http_server *s = keep->server;

    evict_while(keep, CP_HTTP_WRITING, &s->stats.output_bytes,
                s->limits.output_bytes);
}

void cp_http_conn_evict_senders(struct cp_http_exchange *keep)
{
    struct cp_http_server *s = keep->server;

    evict_while(keep, CP_HTTP_READING, &s->stats.input_bytes,
                s->limits.input_bytes);
}
