/*
 * profile_request.c - reads the parameters of a request and sends it one of
 * three ways: a snapshot, a recording over time, or a delta of two snapshots.
 */
#include "runtime/endpoint/profile_request.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/out.h"
#include "http/exchange.h"
#include "http/request.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/params.h"
#include "runtime/endpoint/profile_request_state.h"
#include "runtime/endpoint/service.h"
#include "runtime/kind/delta.h"
#include "runtime/kind/empty_kinds.h"
#include "trace/step.h"

#define MAX_HZ 10000

/* ---- a snapshot ---- */

static void answer_snapshot(struct cp_profile_request *req)
{
    struct cp_profile *p = NULL;
    struct cp_error err = { 0 };

    CP_ASSERT(req->state == CP_PROFILE_REQUEST_PARSED && !req->is_waiting);
    if (cp_profile_request_snapshot(req, &p, &err) != CP_OK) {
        cp_profile_request_refuse(req, &err);
        return;
    }
    if (req->last)
        p = cp_delta_since(req->last, p, &err);
    if (!p) {
        cp_profile_request_refuse(req, &err);
        return;
    }
    if (p->time_ns == 0)
        p->time_ns = req->time_ns;
    cp_profile_request_answer_profile(req, p);
    cp_profile_free(p);
}

/* ---- over time ---- */

static bool is_profile(const struct cp_kind *kind)
{
    return !kind->finish_bytes && !cp_empty_kind_is_trace(kind);
}

/*
 * Answers with the profile of a recording, or the difference of two snapshots.
 */
static void collect_and_answer(struct cp_profile_request *req)
{
    struct cp_profile *p = NULL;
    struct cp_error err = { 0 };
    enum cp_status status = req->before
                                ? cp_profile_request_subtract(req, &p, &err)
                                : cp_profile_request_finish(req, &p, &err);

    if (status != CP_OK) {
        cp_profile_request_refuse(req, &err);
        return;
    }
    if (p->time_ns == 0)
        p->time_ns = req->time_ns;
    if (p->duration_ns == 0)
        p->duration_ns = cp_http_now() - req->started_ns;
    cp_profile_request_answer_profile(req, p);
    cp_profile_free(p);
}

/* The time is over, or the client has closed its sending side. */
static void on_end(void *context)
{
    struct cp_profile_request *req = context;
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    CP_ASSERT(req->is_waiting && req->service->n_waiting > 0);
    if (is_profile(req->kind))
        collect_and_answer(req);
    else
        cp_profile_request_answer(
            req, cp_profile_request_finish_bytes(req, &out, &err), &out, &err);
    cp_profile_request_free(req);
}

/* HEAD of a profile over time: the headers, without recording anything. */
static void answer_head(struct cp_profile_request *req)
{
    struct cp_http_callbacks callbacks = { .on_disconnect =
                                               cp_profile_request_on_disconnect,
                                           .context = req };
    struct cp_http_exchange *x = req->x;

    cp_profile_request_add_headers(req);
    cp_profile_request_set_waiting(req);
    cp_http_defer(x, &callbacks, -1);
    cp_http_stream_begin(x, 200);
    cp_http_stream_end(x);
    cp_profile_request_change(req, CP_PROFILE_REQUEST_ANSWERED);
    cp_profile_request_free(req);
}

/* The exchange owns the request now: on_end or on_gone frees it. */
static void keep_until_end(struct cp_profile_request *req)
{
    struct cp_http_callbacks callbacks = { on_end,
                                           cp_profile_request_on_disconnect,
                                           NULL, on_end, req };

    CP_ASSERT(req->state == CP_PROFILE_REQUEST_RECORDING ||
              req->state == CP_PROFILE_REQUEST_BETWEEN_SNAPSHOTS);
    /* Without the mappings the profile only lacks unloaded libraries. */
    (void)cp_mappings_read(&req->maps, NULL);
    cp_profile_request_set_waiting(req);
    if (req->kind->pump)
        cp_profile_request_stream(req);
    else
        cp_http_defer(req->x, &callbacks,
                      (int64_t)(req->request.seconds * 1e9));
}

/* Returns true if the exchange now owns the request. */
static bool start_recording(struct cp_profile_request *req)
{
    struct cp_error err = { 0 };

    if (cp_http_request_is(cp_http_request_of(req->x), "HEAD")) {
        answer_head(req);
        return true;
    }
    if (cp_profile_request_begin(req, &err) != CP_OK) {
        cp_profile_request_refuse(req, &err);
        return false;
    }
    keep_until_end(req);
    return true;
}

/* A snapshot with `seconds`. The checks and their order are Go's. */
static bool start_delta(struct cp_profile_request *req, const char *seconds)
{
    struct cp_error err = { 0 };
    int64_t value = 0;

    if (!cp_params_int(seconds, &value) || value <= 0)
        cp_profile_request_reject(req, "invalid value for \"seconds\" - "
                                       "must be a positive integer");
    else if (req->kind->no_delta)
        cp_profile_request_reject(req, "\"seconds\" parameter is not supported "
                                       "for this profile type");
    else if (req->request.debug != 0 && req->form == CP_PROFILE_REQUEST_GO)
        cp_profile_request_reject(req,
                                  "seconds and debug params are incompatible");
    else if (cp_profile_request_snapshot(req, &req->before, &err) != CP_OK)
        cp_profile_request_refuse(req, &err);
    else {
        req->request.seconds =
            value < CP_MAX_SECONDS ? (double)value : CP_MAX_SECONDS;
        (void)snprintf(req->name, sizeof(req->name), "%s-delta",
                       req->kind->name);
        cp_profile_request_change(req, CP_PROFILE_REQUEST_BETWEEN_SNAPSHOTS);
        keep_until_end(req);
        return true;
    }
    return false;
}

/* ---- parameters ---- */

/* A value that is not a positive number is ignored, as in Go. */
static double seconds_of(const struct cp_kind *kind, const char *text)
{
    double value = 0;
    int64_t whole = 0;

    if (kind->has_fractions)
        (void)cp_params_float(text, &value);
    else if (cp_params_int(text, &whole))
        value = (double)whole;
    if (!(value > 0))
        return kind->default_seconds;
    return value < CP_MAX_SECONDS ? value : CP_MAX_SECONDS;
}

static void read_params(struct cp_profile_request *req,
                        const struct cp_http_request *r)
{
    int64_t debug = cp_params_get(r, "debug"), hz = cp_params_get(r, "hz");
    char text[16];

    if (req->form != CP_PROFILE_REQUEST_GO)
        debug = 1;
    if (req->kind->text == CP_KIND_TEXT_NONE)
        debug = 0;
    req->request.debug = debug > 9 ? 9 : debug < -9 ? -9 : (int)debug;
    req->request.hz = hz > 0 && hz <= MAX_HZ ? (int)hz : 0;
    req->request.gc = cp_params_get(r, "gc") > 0;
    req->is_symbolized = true;
    if (cp_http_request_param(r, "symbolize", text, sizeof(text)))
        req->is_symbolized = strcmp(text, "none") != 0;
}

/* Reads the format of a trace. Returns false if the format is unknown. */
static bool read_format(struct cp_profile_request *req,
                        const struct cp_http_request *r)
{
    char text[16];

    (void)cp_http_request_param(r, "format", text, sizeof(text));
    req->request.format = cp_trace_format_find(text);
    if (cp_http_request_param(r, "switches", text, sizeof(text)))
        req->request.no_switches = strcmp(text, "0") == 0;
    return req->request.format;
}

static struct cp_profile_request *request_new(struct cp_service *s,
                                              struct cp_http_exchange *x,
                                              const struct cp_kind *kind,
                                              const char *name)
{
    struct cp_profile_request *req = cp_alloc(1, sizeof(*req), NULL);

    if (!req) {
        cp_service_error(x, 503, "out of memory");
        return NULL;
    }
    *req = (struct cp_profile_request){
        .state = CP_PROFILE_REQUEST_PARSED, .service = s, .x = x, .kind = kind
    };
    (void)snprintf(req->name, sizeof(req->name), "%s", name);
    return req;
}

/* Whether `seconds` asks for the difference of two snapshots. */
static bool is_delta(const struct cp_profile_request *req, const char *seconds)
{
    int64_t value = 0;

    if (req->form == CP_PROFILE_REQUEST_GO)
        return seconds[0] != '\0';
    return req->form == CP_PROFILE_REQUEST_JEMALLOC &&
           cp_params_int(seconds, &value) && value > 0;
}

void cp_profile_request_handle(struct cp_service *s, struct cp_http_exchange *x,
                               const struct cp_kind *kind, const char *name,
                               enum cp_profile_request_form form)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    struct cp_profile_request *req = request_new(s, x, kind, name);
    char seconds[32], source[32];
    bool is_deferred = false;

    CP_ASSERT(kind && x);
    if (!req)
        return;
    req->form = form;
    (void)cp_http_request_param(r, "seconds", seconds, sizeof(seconds));
    read_params(req, r);
    if (kind->pump && !read_format(req, r)) {
        cp_profile_request_reject(
            req, "unknown format - must be go, perfetto or chrome");
    } else if (kind->dump &&
               cp_http_request_param(r, "source", source, sizeof(source))) {
        cp_profile_request_answer_source(req, source);
    } else if (kind->default_seconds > 0) {
        req->request.seconds = seconds_of(kind, seconds);
        is_deferred = start_recording(req);
    } else if (is_delta(req, seconds)) {
        is_deferred = start_delta(req, seconds);
    } else {
        answer_snapshot(req);
    }
    if (!is_deferred)
        cp_profile_request_free(req);
}

void cp_profile_request_since_last(struct cp_service *s,
                                   struct cp_http_exchange *x,
                                   const struct cp_kind *kind,
                                   struct cp_profile **last)
{
    struct cp_profile_request *req = request_new(s, x, kind, kind->name);

    if (!req)
        return;
    (void)snprintf(req->name, sizeof(req->name), "%s.pprof.gz", kind->name);
    read_params(req, cp_http_request_of(x));
    req->request.debug = 0;
    req->last = last;
    answer_snapshot(req);
    cp_profile_request_free(req);
}
