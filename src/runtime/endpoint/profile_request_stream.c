/* profile_request_stream.c - a window whose content is sent while it happens.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "http/exchange.h"
#include "http/timer.h"
#include "runtime/endpoint/profile_request_state.h"
#include "runtime/endpoint/service.h"
#include "runtime/kind/kind.h"

#define PUMP_NS 40000000 /* between pieces of a stream */

static int64_t left_ns(const struct cp_profile_request *w)
{
    int64_t end_ns = w->started_ns + (int64_t)(w->request.seconds * 1e9);
    int64_t now_ns = cp_http_now();

    return end_ns > now_ns ? end_ns - now_ns : 0;
}

/* Sends what there is; false: the stream is over. */
static bool send_bytes(struct cp_profile_request *w, struct cp_out *out,
                       enum cp_status status)
{
    if (status == CP_OK && out->len > 0)
        w->is_behind = !cp_http_stream_write(w->x, out->buf, out->len);
    cp_out_release(out);
    if (w->is_open && status == CP_OK)
        return true;
    cp_http_stream_end(w->x);
    cp_service_used_symbols(w->service);
    cp_profile_request_on_gone(w);
    return false;
}

static void stream_on(struct cp_profile_request *w);

/* Time for more, or for the end. While the client is slow it is kept back. */
static void on_stream_due(void *context)
{
    struct cp_profile_request *w = context;
    struct cp_out out = { .fd = -1 };
    struct cp_kind_sink sink = cp_profile_request_sink(w, &out);
    struct cp_error err = { 0 };
    enum cp_status status = CP_OK;

    if (left_ns(w) == 0)
        status = cp_profile_request_finish_bytes(w, &out, &err);
    else if (!w->is_behind)
        status = w->kind->pump(w->handle, &sink, &err);
    if (send_bytes(w, &out, status))
        stream_on(w);
}

static void on_drained(void *context)
{
    struct cp_profile_request *w = context;

    w->is_behind = false;
}

static void on_hurried(void *context)
{
    struct cp_profile_request *w = context;

    w->request.seconds = 0;
    on_stream_due(w);
}

static void stream_on(struct cp_profile_request *w)
{
    struct cp_http_keeper keeper = { on_stream_due, cp_profile_request_on_gone,
                                     on_drained, on_hurried, w };
    int64_t left = left_ns(w);

    cp_http_keep(w->x, &keeper, left < PUMP_NS ? left : PUMP_NS);
}

void cp_profile_request_stream(struct cp_profile_request *w)
{
    w->started_ns = cp_http_now(); /* it took a while to begin */
    cp_profile_request_add_headers(w);
    stream_on(w);
    cp_http_stream_begin(w->x, 200);
}
