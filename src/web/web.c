/* web.c - routes of pprof -http. */
#include "web/web.h"

#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/out.h"
#include "http/exchange.h"
#include "http/request.h"
#include "page/page.h"
#include "web/change.h"
#include "web/configs.h"
#include "web/jobs.h"
#include "web/listener.h"
#include "web/query.h"

#define OUTPUT_BYTES ((size_t)2 << 30) /* profile of a million samples */

struct cp_web {
    struct cp_web_options options;
    struct cp_web_listener listener;
    struct cp_web_jobs *jobs;
    struct cp_web_jobs
        *take_jobs; /* separate worker: taking a profile takes seconds */
    char token[CP_WEB_TOKEN_BYTES];
};

static const char *const views[] = { "flamegraph", "top",    "graph",
                                     "peek",       "source", "disasm",
                                     "tags",       "traces", "details" };

static const struct source {
    const char *path;
    enum cp_web_kind kind;
    enum cp_format format;
    bool has_argument;
    const char *type;
} sources[] = {
    { "/ui/data/profile", CP_WEB_PROFILE, CP_FORMAT_NONE, false,
      "application/octet-stream" },
    { "/ui/download", CP_WEB_PACKED, CP_FORMAT_NONE, false,
      "application/vnd.google.protobuf+gzip" },
    { "/ui/data/graph", CP_WEB_GRAPH, CP_FORMAT_DOT, false, "image/svg+xml" },
    { "/ui/data/source", CP_WEB_TEXT, CP_FORMAT_LIST, true,
      "text/plain; charset=utf-8" },
    { "/ui/data/disasm", CP_WEB_TEXT, CP_FORMAT_DISASM, true,
      "text/plain; charset=utf-8" },
};

#define LIVE                                                                   \
    "{\"base\":\"take?kind=\",\"post\":true,\"kinds\":[" CP_PAGE_KINDS "]}"

static void redirect(struct cp_http_exchange *x, const char *to)
{
    const char *query = cp_http_request_query(cp_http_request_of(x));
    struct cp_out location = { .fd = -1 };

    cp_out_cstr(&location, to);
    if (*query)
        cp_out_printf(&location, "?%s", query);
    cp_out_char(&location, '\0');
    if (location.err.status == CP_OK)
        cp_http_add_header(x, "Location", location.buf);
    cp_http_answer(x, 302, NULL);
    cp_out_release(&location);
}

static void send_page(const struct cp_web *w, struct cp_http_exchange *x)
{
    struct cp_out page = { .fd = -1 };
    char policy[CP_PAGE_POLICY_BYTES];
    struct cp_page_info info = { .title = w->options.title,
                                 .has_server = true,
                                 .data = "data/profile",
                                 .token = *w->token ? w->token : NULL,
                                 .live = w->take_jobs ? LIVE : NULL };

    cp_page_write(&page, &info, NULL, 0);
    cp_http_add_header(x, "Content-Type", "text/html; charset=utf-8");
    cp_http_add_header(x, "Cache-Control", "no-store");
    cp_page_policy(policy);
    cp_http_set_policy(x, policy);
    cp_http_answer(x, 200, &page);
    cp_out_release(&page);
}

static enum cp_status read_argument(const struct cp_http_request *r,
                                    struct cp_options *options,
                                    struct cp_arena *arena,
                                    struct cp_error *err)
{
    options->argument = cp_web_param(r, "arg", arena, err);
    if (options->argument)
        return CP_OK;
    if (err->status != CP_OK)
        return err->status;
    return cp_error_set(err, CP_EUSAGE,
                        "arg is missing: give the name of a function");
}

static void queue(struct cp_web *w, struct cp_http_exchange *x,
                  const struct source *s)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    struct cp_options options = w->options.report;
    struct cp_arena arena = { 0 };
    struct cp_error err = { 0 };
    enum cp_status status;

    options.format = s->format;
    status = cp_web_query(r, &options, &arena, &err);
    if (status == CP_OK && s->has_argument)
        status = read_argument(r, &options, &arena, &err);
    if (status == CP_OK)
        status = cp_web_jobs_add(w->jobs, x, s->kind, s->type, &options, &arena,
                                 &err);
    if (status != CP_OK)
        cp_http_answer_text(x, status == CP_ENOMEM ? 503 : 400, err.msg);
    cp_arena_release(&arena);
}

static void send_configs(struct cp_http_exchange *x)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    char path[4096];

    if (cp_configs_path(path, sizeof(path)) &&
        cp_configs_list(path, &out, &err) != CP_OK) {
        cp_http_answer_text(x, 400, err.msg);
    } else {
        if (out.len == 0)
            cp_out_cstr(&out, "{\"configs\": []}");
        cp_http_add_header(x, "Content-Type", "application/json");
        cp_http_add_header(x, "Cache-Control", "no-store");
        cp_http_answer(x, 200, &out);
    }
    cp_out_release(&out);
}

static bool is_view(const char *path)
{
    if (strncmp(path, "/ui/", 4) != 0)
        return false;
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        if (strcmp(path + 4, views[i]) == 0)
            return true;
    return false;
}

static void route(struct cp_web *w, struct cp_http_exchange *x)
{
    const char *path = cp_http_request_path(cp_http_request_of(x));

    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (strcmp(path, sources[i].path) == 0) {
            queue(w, x, &sources[i]);
            return;
        }
    }
    if (is_view(path))
        send_page(w, x);
    else if (strcmp(path, "/ui/data/configs") == 0)
        send_configs(x);
    else if (strncmp(path, "/ui/", 4) == 0 && path[4] &&
             strncmp(path, "/ui/flamegraph", 14) != 0)
        cp_http_answer_text(x, 404, "no such page\n");
    else
        redirect(x, "/ui/flamegraph");
}

static void handle(void *context, struct cp_http_exchange *x)
{
    struct cp_web *w = context;
    const struct cp_http_request *r = cp_http_request_of(x);

    if (!cp_web_listener_allows(&w->listener, x))
        return;
    if (cp_http_request_is(r, "POST"))
        cp_web_change(&(struct cp_web_changer){ .token = w->token,
                                                .take_jobs = w->take_jobs,
                                                .report = &w->options.report },
                      x);
    else if (!cp_http_request_is(r, "GET") && !cp_http_request_is(r, "HEAD"))
        cp_http_answer_text(x, 405, "only GET and HEAD\n");
    else
        route(w, x);
}

static enum cp_status open_all(struct cp_web *w, struct cp_error *err)
{
    struct cp_web_service service = { .host_port = w->options.host_port,
                                      .output_bytes = OUTPUT_BYTES,
                                      .handler = handle,
                                      .context = w };
    enum cp_status status = cp_web_listener_open(&w->listener, &service, err);

    if (status == CP_OK)
        status = cp_web_jobs_new(&w->jobs, w->listener.server,
                                 w->options.profile, NULL, err);
    if (status == CP_OK && w->listener.address.is_loopback)
        cp_web_token(w->token);
    if (status == CP_OK && *w->token && w->options.live)
        status = cp_web_jobs_new(&w->take_jobs, w->listener.server,
                                 w->options.profile, w->options.live, err);
    return status;
}

enum cp_status cp_web_open(struct cp_web **out,
                           const struct cp_web_options *options,
                           struct cp_error *err)
{
    struct cp_web *w = cp_alloc(1, sizeof(*w), err);
    enum cp_status status;

    if (!w)
        return CP_ENOMEM;
    w->options = *options;
    status = open_all(w, err);
    if (status == CP_OK)
        *out = w;
    else
        cp_web_close(w);
    return status;
}

const char *cp_web_url(const struct cp_web *w)
{
    return w->listener.url;
}

enum cp_status cp_web_run(struct cp_web *w, struct cp_error *err)
{
    return cp_http_server_run(w->listener.server, err);
}

void cp_web_stop(struct cp_web *w)
{
    cp_http_server_stop(w->listener.server);
}

void cp_web_close(struct cp_web *w)
{
    struct cp_web_jobs *const all[] = { w->jobs, w->take_jobs };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i])
            cp_web_jobs_stop(all[i]);
    cp_web_listener_close(&w->listener);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i])
            cp_web_jobs_free(all[i]);
    cp_free(w);
}
