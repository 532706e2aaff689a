/*
 * profile_request_stream.c - sends an execution trace while it is recorded: one
 * piece per poll interval, none while the client is slow.
 */
#include "runtime/endpoint/profile_request_state.h"

#include "base/assert/assert.h"
#include "base/out.h"
#include "http/exchange.h"
#include "runtime/endpoint/service.h"

#define STREAM_POLL_NS 40000000 /* interval between two pieces */

static int64_t left_ns(const struct cp_profile_request *req)
{
    int64_t end_ns = req->started_ns + (int64_t)(req->request.seconds * 1e9);
    int64_t now_ns = cp_http_now();

    return end_ns > now_ns ? end_ns - now_ns : 0;
}

/*
 * Sends one piece. Returns false if the stream has ended; the request is then
 * freed.
 */
static bool send_bytes(struct cp_profile_request *req, struct cp_out *out,
                       enum cp_status status)
{
    if (status == CP_OK && out->len > 0)
        req->is_client_slow = !cp_http_stream_write(req->x, out->buf, out->len);
    cp_out_release(out);
    if (req->state == CP_PROFILE_REQUEST_RECORDING && status == CP_OK)
        return true;
    cp_http_stream_end(req->x);
    if (req->state == CP_PROFILE_REQUEST_COLLECTED)
        cp_profile_request_change(req, CP_PROFILE_REQUEST_ANSWERED);
    cp_service_defer_close_symbols(req->service);
    cp_profile_request_free(req);
    return false;
}

static void wait_for_piece(struct cp_profile_request *req);

/* The timer has expired. While the client is slow, events stay in the kind. */
static void on_piece_due(void *context)
{
    struct cp_profile_request *req = context;
    struct cp_out out = { .fd = -1 };
    struct cp_kind_sink sink = cp_profile_request_sink(req, &out);
    struct cp_error err = { 0 };
    enum cp_status status = CP_OK;

    CP_ASSERT(req->state == CP_PROFILE_REQUEST_RECORDING);
    if (left_ns(req) == 0)
        status = cp_profile_request_finish_bytes(req, &out, &err);
    else if (!req->is_client_slow)
        status = req->kind->pump(req->handle, &sink, &err);
    if (send_bytes(req, &out, status))
        wait_for_piece(req);
}

static void on_drained(void *context)
{
    struct cp_profile_request *req = context;

    CP_ASSERT(req->state == CP_PROFILE_REQUEST_RECORDING);
    req->is_client_slow = false;
}

/* The client has closed its sending side: the end of the trace, now. */
static void on_half_closed(void *context)
{
    struct cp_profile_request *req = context;

    req->request.seconds = 0;
    on_piece_due(req);
}

static void wait_for_piece(struct cp_profile_request *req)
{
    struct cp_http_callbacks callbacks = { on_piece_due,
                                           cp_profile_request_on_disconnect,
                                           on_drained, on_half_closed, req };
    int64_t left = left_ns(req);

    cp_http_defer(req->x, &callbacks,
                  left < STREAM_POLL_NS ? left : STREAM_POLL_NS);
}

void cp_profile_request_stream(struct cp_profile_request *req)
{
    CP_ASSERT(req->state == CP_PROFILE_REQUEST_RECORDING && req->kind->pump);
    /* begin() may have taken a while; the client waits `seconds` from now. */
    req->started_ns = cp_http_now();
    cp_profile_request_add_headers(req);
    wait_for_piece(req);
    cp_http_stream_begin(req->x, 200);
}
