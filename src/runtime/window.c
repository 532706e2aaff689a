/* window.c - see window.h. */
#include "runtime/window.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "http/timer.h"
#include "runtime/delta.h"
#include "runtime/empty_kinds.h"
#include "runtime/params.h"
#include "runtime/render.h"
#include "trace/step.h"

#define NAME_BYTES 64
#define MAX_HZ 10000
#define PUMP_NS 40000000 /* between pieces of a stream */

struct window {
    struct cp_service *service;
    struct cp_http_exchange *x;
    const struct cp_kind *kind;
    char name[NAME_BYTES]; /* of the file that the client gets */
    enum cp_window_form form;
    struct cp_kind_request request;
    bool is_symbolized;
    bool is_open;              /* `handle` is to be finished or cancelled */
    void *handle;              /* the kind's */
    struct cp_profile *before; /* of a delta: the first snapshot */
    struct cp_profile **last;  /* changes are wanted since that one, or NULL */
    struct cp_mappings maps;   /* when the window was opened */
    int64_t started_ns;        /* monotonic */
    int64_t time_ns;           /* the same moment, since 1970 */
    bool is_behind;            /* of a stream: the client is slow */
};

static int64_t unix_now(void)
{
    struct timespec t = { 0, 0 };

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the kind's side ---- */

static enum cp_status begin(struct window *w, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    w->started_ns = cp_http_now();
    w->time_ns = unix_now();
    w->request.kind = w->kind;
    if (w->kind->begin)
        status = w->kind->begin(&w->request, &w->handle, err);
    w->is_open = status == CP_OK;
    return status;
}

static enum cp_status finish(struct window *w, struct cp_profile **out,
                             struct cp_error *err)
{
    w->is_open = false;
    if (w->kind->begin)
        return w->kind->finish(w->handle, out, err);
    *out = cp_empty_kind_profile(w->kind, err);
    return *out ? CP_OK : CP_ENOMEM;
}

static struct cp_kind_sink sink_of(struct window *w, struct cp_out *out)
{
    return (struct cp_kind_sink){
        .out = out,
        .symbols = w->is_symbolized ? w->service->symbols : NULL,
        .before = w->maps.n_maps ? &w->maps : NULL,
    };
}

static enum cp_status finish_bytes(struct window *w, struct cp_out *out,
                                   struct cp_error *err)
{
    struct cp_kind_sink sink = sink_of(w, out);

    w->is_open = false;
    if (w->kind->begin)
        return w->kind->finish_bytes(w->handle, &sink, err);
    cp_empty_kind_trace(out);
    return cp_out_finish(out, err);
}

static bool is_profile(const struct cp_kind *kind)
{
    return !kind->finish_bytes && !cp_empty_kind_is_trace(kind);
}

static enum cp_status snapshot(struct window *w, struct cp_profile **out,
                               struct cp_error *err)
{
    enum cp_status status = begin(w, err);

    return status == CP_OK ? finish(w, out, err) : status;
}

static void window_free(struct window *w)
{
    if (!w)
        return;
    if (w->is_open && w->kind->begin)
        w->kind->cancel(w->handle);
    cp_profile_free(w->before);
    cp_mappings_release(&w->maps);
    cp_free(w);
}

/* ---- the client's side ---- */

/* What Go says when it cannot begin. */
static void refuse(struct window *w, const struct cp_error *err)
{
    const char *name = w->kind->name;

    if (strcmp(name, "profile") == 0)
        cp_service_error(w->x, 500, "Could not enable CPU profiling: %s",
                         err->msg);
    else if (strcmp(name, "trace") == 0)
        cp_service_error(w->x, 500, "Could not enable tracing: %s", err->msg);
    else
        cp_service_error(w->x, 500, "failed to collect profile: %s", err->msg);
}

static void add_headers(const struct window *w)
{
    const struct cp_trace_format *format = w->request.format;
    char value[NAME_BYTES + 40];

    cp_http_add_header(w->x, "X-Content-Type-Options", "nosniff");
    if (w->request.debug != 0) {
        cp_http_add_header(w->x, "Content-Type", "text/plain; charset=utf-8");
        return;
    }
    (void)snprintf(value, sizeof(value), "attachment; filename=\"%s\"",
                   format ? format->file_name : w->name);
    cp_http_add_header(w->x, "Content-Type",
                       format ? format->content_type
                              : "application/octet-stream");
    cp_http_add_header(w->x, "Content-Disposition", value);
}

/* Whether debug= asks for a text; each of Go's writers has its own rule. */
static bool is_text(const struct window *w)
{
    switch (w->kind->text) {
    case CP_KIND_TEXT_HEAP:
        return w->request.debug != 0;
    case CP_KIND_TEXT_NONE:
        return false;
    default:
        return w->request.debug > 0;
    }
}

static enum cp_status render(struct window *w, struct cp_profile *p,
                             struct cp_out *out, struct cp_error *err)
{
    struct cp_renderer r = { .kind = w->kind,
                             .debug = w->request.debug,
                             .symbols =
                                 w->is_symbolized ? w->service->symbols : NULL,
                             .before = w->maps.n_maps ? &w->maps : NULL,
                             .is_gperf = w->form != CP_WINDOW_GO };

    if (w->form == CP_WINDOW_GPERF && w->kind->text == CP_KIND_TEXT_NONE)
        return cp_render_gperf(p, out, err);
    return is_text(w) ? cp_render_text(&r, p, out, err)
                      : cp_render_protobuf(&r, p, out, err);
}

static void answer(struct window *w, enum cp_status status, struct cp_out *out,
                   const struct cp_error *err)
{
    if (status != CP_OK) {
        cp_out_release(out);
        cp_service_error(w->x, 500, "failed to collect profile: %s", err->msg);
        return;
    }
    add_headers(w);
    cp_http_answer(w->x, 200, out);
}

static void answer_profile(struct window *w, struct cp_profile *p)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    answer(w, render(w, p, &out, &err), &out, &err);
    cp_service_used_symbols(w->service);
}

/* ---- a snapshot ---- */

static void take_snapshot(struct window *w)
{
    struct cp_profile *p = NULL;
    struct cp_error err = { 0 };

    if (snapshot(w, &p, &err) != CP_OK) {
        refuse(w, &err);
        return;
    }
    if (w->last)
        p = cp_delta_since(w->last, p, &err);
    if (!p) {
        refuse(w, &err);
        return;
    }
    if (p->time_ns == 0)
        p->time_ns = w->time_ns;
    answer_profile(w, p);
    cp_profile_free(p);
}

/* ---- something that takes time ---- */

static int64_t left_ns(const struct window *w)
{
    int64_t end_ns = w->started_ns + (int64_t)(w->request.seconds * 1e9);
    int64_t now_ns = cp_http_now();

    return end_ns > now_ns ? end_ns - now_ns : 0;
}

static void on_gone(void *context)
{
    struct window *w = context;

    w->service->n_windows--;
    window_free(w);
}

/* Second snapshot less the first. */
static enum cp_status subtract(struct window *w, struct cp_profile **out,
                               struct cp_error *err)
{
    int64_t before_ns = w->started_ns;
    struct cp_profile *before = w->before, *after = NULL;
    enum cp_status status = snapshot(w, &after, err);

    if (status != CP_OK)
        return status;
    w->before = NULL;
    *out = cp_delta_between(before, after, err);
    if (!*out)
        return CP_ENOMEM;
    (*out)->time_ns = w->time_ns;
    (*out)->duration_ns = w->started_ns - before_ns;
    return CP_OK;
}

static void close_profile(struct window *w)
{
    struct cp_profile *p = NULL;
    struct cp_error err = { 0 };
    enum cp_status status =
        w->before ? subtract(w, &p, &err) : finish(w, &p, &err);

    if (status != CP_OK) {
        refuse(w, &err);
        return;
    }
    if (p->time_ns == 0)
        p->time_ns = w->time_ns;
    if (p->duration_ns == 0)
        p->duration_ns = cp_http_now() - w->started_ns;
    answer_profile(w, p);
    cp_profile_free(p);
}

static void on_due(void *context)
{
    struct window *w = context;
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    if (is_profile(w->kind))
        close_profile(w);
    else
        answer(w, finish_bytes(w, &out, &err), &out, &err);
    w->service->n_windows--;
    window_free(w);
}

/* ---- something that is sent while it happens ---- */

/* Sends what there is; false: the stream is over. */
static bool send_bytes(struct window *w, struct cp_out *out,
                       enum cp_status status)
{
    if (status == CP_OK && out->len > 0)
        w->is_behind = !cp_http_stream_write(w->x, out->buf, out->len);
    cp_out_release(out);
    if (w->is_open && status == CP_OK)
        return true;
    cp_http_stream_end(w->x);
    cp_service_used_symbols(w->service);
    on_gone(w);
    return false;
}

static void stream_on(struct window *w);

/* Time for more, or for the end. While the client is slow it is kept back. */
static void on_stream_due(void *context)
{
    struct window *w = context;
    struct cp_out out = { .fd = -1 };
    struct cp_kind_sink sink = sink_of(w, &out);
    struct cp_error err = { 0 };
    enum cp_status status = CP_OK;

    if (left_ns(w) == 0)
        status = finish_bytes(w, &out, &err);
    else if (!w->is_behind)
        status = w->kind->pump(w->handle, &sink, &err);
    if (send_bytes(w, &out, status))
        stream_on(w);
}

static void on_drained(void *context)
{
    struct window *w = context;

    w->is_behind = false;
}

static void stream_on(struct window *w)
{
    struct cp_http_keeper keeper = { on_stream_due, on_gone, on_drained, w };
    int64_t left = left_ns(w);

    cp_http_keep(w->x, &keeper, left < PUMP_NS ? left : PUMP_NS);
}

static void open_stream(struct window *w)
{
    w->started_ns = cp_http_now(); /* it took a while to begin */
    add_headers(w);
    stream_on(w);
    cp_http_stream_begin(w->x, 200);
}

/* HEAD of something that takes time: the headers, and no profiling. */
static void answer_head(struct window *w)
{
    struct cp_http_keeper nobody = { .gone = on_gone, .context = w };
    struct cp_http_exchange *x = w->x;

    add_headers(w);
    w->service->n_windows++;
    cp_http_keep(x, &nobody, -1);
    cp_http_stream_begin(x, 200);
    cp_http_stream_end(x);
    on_gone(w);
}

/* Waits; true when the window now belongs to the exchange. */
static bool wait_for_end(struct window *w)
{
    struct cp_http_keeper keeper = { on_due, on_gone, NULL, w };

    (void)cp_mappings_read(&w->maps, NULL); /* better without than not */
    w->service->n_windows++;
    if (w->kind->pump) {
        open_stream(w);
        return true;
    }
    cp_http_keep(w->x, &keeper, (int64_t)(w->request.seconds * 1e9));
    return true;
}

static bool open_window(struct window *w)
{
    struct cp_error err = { 0 };

    if (cp_http_request_is(cp_http_request_of(w->x), "HEAD")) {
        answer_head(w);
        return true;
    }
    if (begin(w, &err) == CP_OK)
        return wait_for_end(w);
    refuse(w, &err);
    return false;
}

/* A snapshot with `seconds`; the order of the checks is Go's. */
static bool open_delta(struct window *w, const char *seconds)
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
    else if (w->request.debug != 0 && w->form == CP_WINDOW_GO)
        cp_service_error(w->x, 400,
                         "seconds and debug params are incompatible");
    else if (snapshot(w, &w->before, &err) != CP_OK)
        refuse(w, &err);
    else {
        w->request.seconds =
            value < CP_MAX_SECONDS ? (double)value : CP_MAX_SECONDS;
        (void)snprintf(w->name, sizeof(w->name), "%s-delta", w->kind->name);
        return wait_for_end(w);
    }
    return false;
}

/* ---- what somebody else has recorded ---- */

static void answer_source(struct window *w, const char *source)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    enum cp_status status = w->kind->dump(source, &out, &err);

    if (status == CP_OK)
        status = cp_out_finish(&out, &err);
    if (status != CP_OK) {
        cp_out_release(&out);
        cp_service_error(w->x, status == CP_EUSAGE ? 501 : 500, "source=%s: %s",
                         source, err.msg);
        return;
    }
    cp_service_text_headers(w->x);
    cp_http_answer(w->x, 200, &out);
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

static void read_params(struct window *w, const struct cp_http_request *r)
{
    int64_t debug = cp_params_get(r, "debug"), hz = cp_params_get(r, "hz");
    char text[16];

    if (w->form != CP_WINDOW_GO)
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
static bool read_format(struct window *w, const struct cp_http_request *r)
{
    char text[16];

    (void)cp_http_request_param(r, "format", text, sizeof(text));
    w->request.format = cp_trace_format_find(text);
    if (cp_http_request_param(r, "switches", text, sizeof(text)))
        w->request.no_switches = strcmp(text, "0") == 0;
    return w->request.format;
}

static struct window *window_new(struct cp_service *s,
                                 struct cp_http_exchange *x,
                                 const struct cp_kind *kind, const char *name)
{
    struct window *w = cp_alloc(1, sizeof(*w), NULL);

    if (!w) {
        cp_service_error(x, 503, "out of memory");
        return NULL;
    }
    *w = (struct window){ .service = s, .x = x, .kind = kind };
    (void)snprintf(w->name, sizeof(w->name), "%s", name);
    return w;
}

/* Does `seconds` make a snapshot the difference of two? */
static bool is_delta(const struct window *w, const char *seconds)
{
    int64_t value = 0;

    if (w->form == CP_WINDOW_GO)
        return seconds[0] != '\0';
    return w->form == CP_WINDOW_JEMALLOC && cp_params_int(seconds, &value) &&
           value > 0;
}

void cp_window_open(struct cp_service *s, struct cp_http_exchange *x,
                    const struct cp_kind *kind, const char *name,
                    enum cp_window_form form)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    struct window *w = window_new(s, x, kind, name);
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
        answer_source(w, source);
    } else if (kind->default_seconds > 0) {
        w->request.seconds = seconds_of(kind, seconds);
        is_kept = open_window(w);
    } else if (is_delta(w, seconds)) {
        is_kept = open_delta(w, seconds);
    } else {
        take_snapshot(w);
    }
    if (!is_kept)
        window_free(w);
}

void cp_window_since_last(struct cp_service *s, struct cp_http_exchange *x,
                          const struct cp_kind *kind, struct cp_profile **last)
{
    struct window *w = window_new(s, x, kind, kind->name);

    if (!w)
        return;
    (void)snprintf(w->name, sizeof(w->name), "%s.pprof.gz", kind->name);
    read_params(w, cp_http_request_of(x));
    w->request.debug = 0;
    w->last = last;
    take_snapshot(w);
    window_free(w);
}
