/* profile_request.c - see profile_request.h. */
#include "runtime/endpoint/profile_request.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/out.h"
#include "http/exchange.h"
#include "http/request.h"
#include "http/timer.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/params.h"
#include "runtime/endpoint/profile_request_state.h"
#include "runtime/endpoint/service.h"
#include "runtime/kind/delta.h"
#include "runtime/kind/empty_kinds.h"
#include "runtime/kind/kind.h"
#include "runtime/symbolize/mappings.h"
#include "trace/step.h"

#define MAX_HZ 10000

/* ---- a snapshot ---- */

static void take_snapshot(struct cp_profile_request *w)
{
    struct cp_profile *p = NULL;
    struct cp_error err = { 0 };

    if (cp_profile_request_snapshot(w, &p, &err) != CP_OK) {
        cp_profile_request_refuse(w, &err);
        return;
    }
    if (w->last)
        p = cp_delta_since(w->last, p, &err);
    if (!p) {
        cp_profile_request_refuse(w, &err);
        return;
    }
    if (p->time_ns == 0)
        p->time_ns = w->time_ns;
    cp_profile_request_answer_profile(w, p);
    cp_profile_free(p);
}

/* ---- something that takes time ---- */

static bool is_profile(const struct cp_kind *kind)
{
    return !kind->finish_bytes && !cp_empty_kind_is_trace(kind);
}

void cp_profile_request_on_gone(void *context)
{
    struct cp_profile_request *w = context;

    w->service->n_windows--;
    cp_profile_request_free(w);
}

static void close_profile(struct cp_profile_request *w)
{
    struct cp_profile *p = NULL;
    struct cp_error err = { 0 };
    enum cp_status status = w->before ? cp_profile_request_subtract(w, &p, &err)
                                      : cp_profile_request_finish(w, &p, &err);

    if (status != CP_OK) {
        cp_profile_request_refuse(w, &err);
        return;
    }
    if (p->time_ns == 0)
        p->time_ns = w->time_ns;
    if (p->duration_ns == 0)
        p->duration_ns = cp_http_now() - w->started_ns;
    cp_profile_request_answer_profile(w, p);
    cp_profile_free(p);
}

static void on_due(void *context)
{
    struct cp_profile_request *w = context;
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    if (is_profile(w->kind))
        close_profile(w);
    else
        cp_profile_request_answer(
            w, cp_profile_request_finish_bytes(w, &out, &err), &out, &err);
    w->service->n_windows--;
    cp_profile_request_free(w);
}

/* HEAD of something that takes time: the headers, and no profiling. */
static void answer_head(struct cp_profile_request *w)
{
    struct cp_http_keeper nobody = { .gone = cp_profile_request_on_gone,
                                     .context = w };
    struct cp_http_exchange *x = w->x;

    cp_profile_request_add_headers(w);
    w->service->n_windows++;
    cp_http_keep(x, &nobody, -1);
    cp_http_stream_begin(x, 200);
    cp_http_stream_end(x);
    cp_profile_request_on_gone(w);
}

/* Waits; true when the window now belongs to the exchange. */
static bool wait_for_end(struct cp_profile_request *w)
{
    struct cp_http_keeper keeper = { on_due, cp_profile_request_on_gone, NULL,
                                     on_due, w };

    (void)cp_mappings_read(&w->maps, NULL); /* better without than not */
    w->service->n_windows++;
    if (w->kind->pump) {
        cp_profile_request_stream(w);
        return true;
    }
    cp_http_keep(w->x, &keeper, (int64_t)(w->request.seconds * 1e9));
    return true;
}

static bool open_window(struct cp_profile_request *w)
{
    struct cp_error err = { 0 };

    if (cp_http_request_is(cp_http_request_of(w->x), "HEAD")) {
        answer_head(w);
        return true;
    }
    if (cp_profile_request_begin(w, &err) == CP_OK)
        return wait_for_end(w);
    cp_profile_request_refuse(w, &err);
    return false;
}

/* A snapshot with `seconds`; the order of the checks is Go's. */
static bool open_delta(struct cp_profile_request *w, const char *seconds)
{
    struct cp_error err = { 0 };
    int64_t value = 0;

    if (!cp_params_int(seconds, &value) || value <= 0)
        cp_service_error(w->x, 400,
                         "invalid value for \"seconds\" - "
                         "must be a positive integer");
    else if (w->kind->no_delta)
        cp_service_error(w->x, 400,
                         "\"seconds\" parameter is not supported "
                         "for this profile type");
    else if (w->request.debug != 0 && w->form == CP_PROFILE_REQUEST_GO)
        cp_service_error(w->x, 400,
                         "seconds and debug params are incompatible");
    else if (cp_profile_request_snapshot(w, &w->before, &err) != CP_OK)
        cp_profile_request_refuse(w, &err);
    else {
        w->request.seconds =
            value < CP_MAX_SECONDS ? (double)value : CP_MAX_SECONDS;
        (void)snprintf(w->name, sizeof(w->name), "%s-delta", w->kind->name);
        return wait_for_end(w);
    }
    return false;
}

/* ---- parameters ---- */

/* How long; what makes no sense is as if it were not there. */
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

static void read_params(struct cp_profile_request *w,
                        const struct cp_http_request *r)
{
    int64_t debug = cp_params_get(r, "debug"), hz = cp_params_get(r, "hz");
    char text[16];

    if (w->form != CP_PROFILE_REQUEST_GO)
        debug = 1;
    if (w->kind->text == CP_KIND_TEXT_NONE)
        debug = 0;
    w->request.debug = debug > 9 ? 9 : debug < -9 ? -9 : (int)debug;
    w->request.hz = hz > 0 && hz <= MAX_HZ ? (int)hz : 0;
    w->request.gc = cp_params_get(r, "gc") > 0;
    w->is_symbolized = true;
    if (cp_http_request_param(r, "symbolize", text, sizeof(text)))
        w->is_symbolized = strcmp(text, "none") != 0;
}

/* The format of a trace; false: there is none of that name. */
static bool read_format(struct cp_profile_request *w,
                        const struct cp_http_request *r)
{
    char text[16];

    (void)cp_http_request_param(r, "format", text, sizeof(text));
    w->request.format = cp_trace_format_find(text);
    if (cp_http_request_param(r, "switches", text, sizeof(text)))
        w->request.no_switches = strcmp(text, "0") == 0;
    return w->request.format;
}

static struct cp_profile_request *request_new(struct cp_service *s,
                                              struct cp_http_exchange *x,
                                              const struct cp_kind *kind,
                                              const char *name)
{
    struct cp_profile_request *w = cp_alloc(1, sizeof(*w), NULL);

    if (!w) {
        cp_service_error(x, 503, "out of memory");
        return NULL;
    }
    *w = (struct cp_profile_request){ .service = s, .x = x, .kind = kind };
    (void)snprintf(w->name, sizeof(w->name), "%s", name);
    return w;
}

/* Does `seconds` make a snapshot the difference of two? */
static bool is_delta(const struct cp_profile_request *w, const char *seconds)
{
    int64_t value = 0;

    if (w->form == CP_PROFILE_REQUEST_GO)
        return seconds[0] != '\0';
    return w->form == CP_PROFILE_REQUEST_JEMALLOC &&
           cp_params_int(seconds, &value) && value > 0;
}

void cp_profile_request_open(struct cp_service *s, struct cp_http_exchange *x,
                             const struct cp_kind *kind, const char *name,
                             enum cp_profile_request_form form)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    struct cp_profile_request *w = request_new(s, x, kind, name);
    char seconds[32], source[32];
    bool is_kept = false;

    if (!w)
        return;
    w->form = form;
    (void)cp_http_request_param(r, "seconds", seconds, sizeof(seconds));
    read_params(w, r);
    if (kind->pump && !read_format(w, r)) {
        cp_service_error(x, 400,
                         "unknown format - must be go, perfetto or chrome");
    } else if (kind->dump &&
               cp_http_request_param(r, "source", source, sizeof(source))) {
        cp_profile_request_answer_source(w, source);
    } else if (kind->default_seconds > 0) {
        w->request.seconds = seconds_of(kind, seconds);
        is_kept = open_window(w);
    } else if (is_delta(w, seconds)) {
        is_kept = open_delta(w, seconds);
    } else {
        take_snapshot(w);
    }
    if (!is_kept)
        cp_profile_request_free(w);
}

void cp_profile_request_since_last(struct cp_service *s,
                                   struct cp_http_exchange *x,
                                   const struct cp_kind *kind,
                                   struct cp_profile **last)
{
    struct cp_profile_request *w = request_new(s, x, kind, kind->name);

    if (!w)
        return;
    (void)snprintf(w->name, sizeof(w->name), "%s.pprof.gz", kind->name);
    read_params(w, cp_http_request_of(x));
    w->request.debug = 0;
    w->last = last;
    take_snapshot(w);
    cp_profile_request_free(w);
}
