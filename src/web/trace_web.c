/* trace_web.c - routes of cpprof trace -http. */
#include "web/trace_web.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/out.h"
#include "http/exchange.h"
#include "http/request.h"
#include "page/trace_page.h"
#include "regex/regex.h"
#include "trace/read/read_profile.h"
#include "trace/read/read_timeline.h"
#include "trace/read/read_window.h"
#include "web/listener.h"
#include "web/trace_data.h"
#include "web/trace_stats.h"

#define OUTPUT_BYTES ((size_t)1 << 30)
#define MAX_LANES 512 /* lanes in one request */
#define MAX_LISTED 20000
#define MAX_POINTS 8192
#define TEXT_BYTES 4096

struct cp_trace_web {
    struct cp_trace_web_options options;
    struct cp_web_listener listener;
};

/* A request while it is handled. */
struct request {
    const struct cp_trace_web *w;
    const struct cp_trace_timeline *t;
    struct cp_http_exchange *x;
    const struct cp_http_request *r;
    struct cp_out out;
};

/* Returns a parameter as a number; `otherwise` if it is absent or invalid. */
static uint64_t number(const struct request *q, const char *name,
                       uint64_t otherwise)
{
    char text[64];

    if (!cp_http_request_param(q->r, name, text, sizeof(text)) || !*text ||
        strspn(text, "0123456789") != strlen(text))
        return otherwise;
    return strtoull(text, NULL, 10);
}

static struct cp_trace_window window_of(const struct request *q)
{
    const struct cp_trace_summary *s =
        cp_trace_spans_summary(cp_trace_timeline_spans(q->t));
    uint64_t end = s->last_ns - s->first_ns + 1;
    struct cp_trace_window w = { .from_ns = number(q, "from", 0),
                                 .to_ns = number(q, "to", end) };
    uint64_t points = number(q, "points", 1000);

    if (w.to_ns < w.from_ns)
        w.to_ns = w.from_ns;
    w.n_points = points < MAX_POINTS ? (uint32_t)points : MAX_POINTS;
    return w;
}

/*
 * Parses the lanes of a request, separated by commas, and skips unknown ones.
 * Returns their number.
 */
static size_t lanes_of(const struct request *q, uint32_t *lanes)
{
    uint32_t n_lanes = cp_trace_spans_n_lanes(cp_trace_timeline_spans(q->t));
    char text[MAX_LANES * 11 + 1], *at = text, *end;
    size_t n = 0;

    if (!cp_http_request_param(q->r, "lanes", text, sizeof(text)))
        return 0;
    while (n < MAX_LANES && *at >= '0' && *at <= '9') {
        uint64_t lane = strtoull(at, &end, 10);

        if (lane < n_lanes || lane == CP_TRACE_NO_LANE)
            lanes[n++] = (uint32_t)lane;
        at = *end == ',' ? end + 1 : end;
    }
    return n;
}

/*
 * Returns the regular expression of a request. If it is invalid, sends an error
 * reply and sets *is_bad.
 */
static struct cp_regex *expression_of(struct request *q, bool *is_bad)
{
    char text[TEXT_BYTES];
    struct cp_error err = { 0 };
    struct cp_regex *re = NULL;

    *is_bad = false;
    if (!cp_http_request_param(q->r, "q", text, sizeof(text)) || !*text)
        return NULL;
    re = cp_regex_new(text, strlen(text), &err);
    if (!re) {
        *is_bad = true;
        cp_http_answer_text(q->x, 400, err.msg);
    }
    return re;
}

static void answer(struct request *q, const char *type)
{
    cp_http_add_header(q->x, "Content-Type", type);
    cp_http_add_header(q->x, "Cache-Control", "no-store");
    cp_http_answer(q->x, 200, &q->out);
}

static void on_info(struct request *q)
{
    cp_trace_data_info(q->t, q->w->options.title, &q->out);
    answer(q, "application/json");
}

static void on_lanes(struct request *q)
{
    char sort[16];
    struct cp_trace_lane_query query = { .sort = sort };
    bool is_bad;

    (void)cp_http_request_param(q->r, "sort", sort, sizeof(sort));
    query.re = expression_of(q, &is_bad);
    if (is_bad)
        return;
    query.skip = number(q, "skip", 0);
    query.max_lanes = number(q, "most", 1000);
    if (query.max_lanes > MAX_LISTED)
        query.max_lanes = MAX_LISTED;
    cp_trace_data_lanes(q->t, &query, &q->out);
    answer(q, "application/json");
    cp_regex_free(query.re);
}

static void on_window(struct request *q)
{
    struct cp_trace_window w = window_of(q);
    uint32_t lanes[MAX_LANES];
    size_t n = lanes_of(q, lanes);

    for (size_t i = 0; i < n; i++)
        if (lanes[i] != CP_TRACE_NO_LANE)
            cp_trace_window_write(q->t, &w, lanes[i], &q->out);
    answer(q, "application/octet-stream");
}

static void on_marks(struct request *q)
{
    struct cp_trace_window w = window_of(q);
    uint32_t lanes[MAX_LANES];
    size_t n = lanes_of(q, lanes);

    cp_trace_data_marks(q->t, &w, lanes, n, &q->out);
    answer(q, "application/json");
}

static void on_stack(struct request *q)
{
    uint64_t stack = number(q, "id", 0);

    cp_trace_data_stack(q->t, stack < UINT32_MAX ? (uint32_t)stack : 0,
                        &q->out);
    answer(q, "application/json");
}

static void on_find(struct request *q)
{
    bool is_bad;
    struct cp_regex *re = expression_of(q, &is_bad);

    if (is_bad)
        return;
    if (re)
        cp_trace_data_find(q->t, re, &q->out);
    else
        cp_out_cstr(&q->out, "{\"stacks\":[]}");
    answer(q, "application/json");
    cp_regex_free(re);
}

static void on_next(struct request *q)
{
    bool is_bad;
    struct cp_regex *re = expression_of(q, &is_bad);

    if (is_bad)
        return;
    if (re)
        cp_trace_data_next(q->t, re, number(q, "from", 0),
                           number(q, "back", 0) > 0, &q->out);
    else
        cp_out_cstr(&q->out, "{\"span\":[]}");
    answer(q, "application/json");
    cp_regex_free(re);
}

static void on_stats(struct request *q)
{
    struct cp_trace_window w = window_of(q);

    cp_trace_stats_write(q->t, w.from_ns, w.to_ns, &q->out);
    answer(q, "application/json");
}

static void on_profile(struct request *q)
{
    struct cp_trace_window w = window_of(q);
    struct cp_trace_profile p = { .from_ns = w.from_ns, .to_ns = w.to_ns };
    char kind[16];

    (void)cp_http_request_param(q->r, "kind", kind, sizeof(kind));
    for (int i = 0; i < CP_TRACE_PROFILE_N; i++) {
        p.kind = (enum cp_trace_profile_kind)i;
        if (strcmp(kind, cp_trace_profile_name(p.kind)) == 0) {
            cp_trace_stats_profile(q->t, &p, &q->out);
            cp_http_add_header(q->x, "Content-Disposition",
                               "attachment; filename=\"trace.pb.gz\"");
            answer(q, "application/vnd.google.protobuf+gzip");
            cp_trace_profile_release(&p);
            return;
        }
    }
    cp_http_answer_text(q->x, 400,
                        "kind must be sched, sync, syscall or net\n");
}

static void on_page(struct request *q)
{
    char policy[CP_PAGE_POLICY_BYTES];

    cp_trace_page_write(&q->out);
    cp_trace_page_policy(policy);
    cp_http_set_policy(q->x, policy);
    answer(q, "text/html; charset=utf-8");
}

static const struct {
    const char *path;
    void (*answer)(struct request *q);
} routes[] = {
    { "/trace", on_page },        { "/trace/info", on_info },
    { "/trace/lanes", on_lanes }, { "/trace/window", on_window },
    { "/trace/marks", on_marks }, { "/trace/stack", on_stack },
    { "/trace/find", on_find },   { "/trace/next", on_next },
    { "/trace/stats", on_stats }, { "/trace/profile", on_profile },
};

static void handle(void *context, struct cp_http_exchange *x)
{
    struct cp_trace_web *w = context;
    const struct cp_http_request *r = cp_http_request_of(x);
    struct request q = {
        .w = w, .t = w->options.timeline, .x = x, .r = r, .out = { .fd = -1 }
    };

    if (!cp_web_listener_allows(&w->listener, x))
        return;
    if (!cp_http_request_is(r, "GET") && !cp_http_request_is(r, "HEAD")) {
        cp_http_answer_text(x, 405, "only GET and HEAD\n");
        return;
    }
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
        if (strcmp(cp_http_request_path(r), routes[i].path) == 0) {
            routes[i].answer(&q);
            cp_out_release(&q.out);
            return;
        }
    if (strcmp(cp_http_request_path(r), "/") != 0) {
        cp_http_answer_text(x, 404, "no such page\n");
        return;
    }
    cp_http_add_header(x, "Location", "/trace");
    cp_http_answer(x, 302, NULL);
}

enum cp_status cp_trace_web_open(struct cp_trace_web **out,
                                 const struct cp_trace_web_options *options,
                                 struct cp_error *err)
{
    struct cp_trace_web *w = cp_alloc(1, sizeof(*w), err);
    struct cp_web_service service = { .host_port = options->host_port,
                                      .output_bytes = OUTPUT_BYTES,
                                      .handler = handle,
                                      .context = w };
    enum cp_status status;

    if (!w)
        return CP_ENOMEM;
    w->options = *options;
    status = cp_web_listener_open(&w->listener, &service, err);
    if (status == CP_OK)
        *out = w;
    else
        cp_trace_web_close(w);
    return status;
}

const char *cp_trace_web_url(const struct cp_trace_web *w)
{
    return w->listener.url;
}

enum cp_status cp_trace_web_run(struct cp_trace_web *w, struct cp_error *err)
{
    return cp_http_server_run(w->listener.server, err);
}

void cp_trace_web_stop(struct cp_trace_web *w)
{
    cp_http_server_stop(w->listener.server);
}

void cp_trace_web_close(struct cp_trace_web *w)
{
    cp_web_listener_close(&w->listener);
    cp_free(w);
}
