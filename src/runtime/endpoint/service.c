/* service.c - the table of paths, access checks, and the small responses. */
#include "runtime/endpoint/service.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert/assert.h"
#include "base/out.h"
#include "base/proc_self.h"
#include "http/exchange.h"
#include "http/guard.h"
#include "http/request.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/index_page.h"
#include "runtime/endpoint/params.h"
#include "runtime/endpoint/profile_request.h"
#include "runtime/endpoint/symbol_page.h"
#include "runtime/kind/empty_kinds.h"
#include "runtime/kind/kind.h"
#include "runtime/os/clock.h"
#include "runtime/os/proc_file.h"
#include "runtime/symbolize/symbols.h"

#define ROOT "/debug/pprof/"
#define COMMAND_BYTES ((size_t)1 << 20)
/* Longer than the usual interval of scrapers, which thus find files open. */
#define SYMBOLS_IDLE_NS (60 * (int64_t)CP_NS_PER_S)

/* ---- kinds ---- */

static const struct cp_kind *find_kind(const struct cp_service *s,
                                       const char *name)
{
    for (size_t i = 0; i < s->n_kinds; i++)
        if (cp_kind_is_named(s->kinds[i], name))
            return s->kinds[i];
    return NULL;
}

/* Inserts a kind in order of names, unless a kind of that name exists. */
static void add_kind(struct cp_service *s, const struct cp_kind *kind)
{
    size_t i = s->n_kinds;

    if (s->n_kinds == CP_MAX_KINDS || find_kind(s, kind->name))
        return;
    for (; i > 0 && strcmp(s->kinds[i - 1]->name, kind->name) > 0; i--)
        s->kinds[i] = s->kinds[i - 1];
    s->kinds[i] = kind;
    s->n_kinds++;
    CP_ASSERT(s->n_kinds <= CP_MAX_KINDS);
    CP_ASSERT(i == 0 || strcmp(s->kinds[i - 1]->name, kind->name) < 0);
}

static void close_symbols(void *context)
{
    cp_symbols_close(context);
}

void cp_service_defer_close_symbols(struct cp_service *s)
{
    if (s->server && cp_symbols_count(s->symbols) > 0)
        cp_http_server_after(s->server, &s->close_idle, SYMBOLS_IDLE_NS);
}

enum cp_status cp_service_init(struct cp_service *s,
                               const struct cp_kind *const *kinds,
                               struct cp_error *err)
{
    *s = (struct cp_service){ .started_ns = cp_http_now() };
    for (; kinds && *kinds; kinds++)
        add_kind(s, *kinds);
    for (size_t i = 0; cp_empty_kinds[i]; i++)
        add_kind(s, cp_empty_kinds[i]);
    s->symbols = cp_symbols_new(err);
    s->close_idle.fire = close_symbols;
    s->close_idle.context = s->symbols;
    return s->symbols ? CP_OK : CP_ENOMEM;
}

void cp_service_release(struct cp_service *s)
{
    CP_ASSERT(s->n_waiting == 0);
    cp_symbols_free(s->symbols);
    for (size_t i = 0; i < CP_N_DELTA_PATHS; i++)
        cp_profile_free(s->last[i]);
    *s = (struct cp_service){ 0 };
}

/* ---- responses ---- */

void cp_service_text_headers(struct cp_http_exchange *x)
{
    cp_http_add_header(x, "Content-Type", "text/plain; charset=utf-8");
}

void cp_service_error(struct cp_http_exchange *x, int status, const char *fmt,
                      ...)
{
    char text[1024];
    va_list args;

    CP_ASSERT(status >= 400 && status < 600);
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text) - 1, fmt, args);
    va_end(args);
    strcat(text, "\n");
    cp_http_drop_headers(x);
    cp_http_add_header(x, "X-Go-Pprof", "1");
    cp_http_answer_text(x, status, text);
}

/* Appends the arguments of this program, separated by NUL. */
static void put_command_line(struct cp_out *out)
{
    char self[CP_PROC_SELF_BYTES];

    (void)cp_proc_file_read(cp_proc_self("cmdline", self), COMMAND_BYTES, out,
                            NULL);
    if (out->len > 0 && out->buf[out->len - 1] == '\0')
        out->len--;
}

/*
 * Returns the name of the program. A program that sets its title, such as
 * "nginx: master -p /x/", has its title as the only argument.
 */
const char *cp_service_program(struct cp_out *out)
{
    const char *name, *slash;

    put_command_line(out);
    cp_out_char(out, '\0');
    name = out->len ? out->buf : "";
    slash = memrchr(name, '/', strcspn(name, " "));
    return slash ? slash + 1 : name;
}

static void answer_command_line(struct cp_http_exchange *x, char separator)
{
    struct cp_out out = { .fd = -1 };

    put_command_line(&out);
    for (size_t i = 0; i < out.len; i++)
        if (out.buf[i] == '\0')
            out.buf[i] = separator;
    cp_service_text_headers(x);
    cp_http_answer(x, 200, &out);
}

static void redirect(struct cp_http_exchange *x)
{
    struct cp_out out = { .fd = -1 };

    cp_out_cstr(&out, "<a href=\"" ROOT "\">Temporary Redirect</a>.\n\n");
    cp_http_add_header(x, "Content-Type", "text/html; charset=utf-8");
    cp_http_add_header(x, "Location", ROOT);
    cp_http_answer(x, 307, &out);
}

/* ---- paths ---- */

static void go_command_line(struct cp_service *s, struct cp_http_exchange *x)
{
    (void)s;
    answer_command_line(x, '\0');
}

static void gperf_command_line(struct cp_service *s, struct cp_http_exchange *x)
{
    (void)s;
    answer_command_line(x, '\n');
}

static void to_index(struct cp_service *s, struct cp_http_exchange *x)
{
    (void)s;
    redirect(x);
}

/* Paths of gperftools: the last part is the kind, except for contention. */
static void gperf_profile(struct cp_service *s, struct cp_http_exchange *x)
{
    const char *name =
        strrchr(cp_http_request_path(cp_http_request_of(x)), '/') + 1;
    const char *kind = strcmp(name, "contention") == 0 ? "block" : name;

    if (find_kind(s, kind))
        cp_profile_request_handle(s, x, find_kind(s, kind), name,
                                  CP_PROFILE_REQUEST_GPERF);
    else
        cp_http_answer_text(x, 404, "404 page not found\n");
}

/*
 * The default path of jeprof ends in "profile", but means the heap.
 */
static void jeprof_heap(struct cp_service *s, struct cp_http_exchange *x)
{
    cp_profile_request_handle(s, x, find_kind(s, "heap"), "heap",
                              CP_PROFILE_REQUEST_JEMALLOC);
}

static void fgprof(struct cp_service *s, struct cp_http_exchange *x)
{
    cp_profile_request_handle(s, x, find_kind(s, "wall"), "wall",
                              CP_PROFILE_REQUEST_GO);
}

/* The paths of godeltaprof: "delta_" and the name of a kind. */
static void since_last(struct cp_service *s, struct cp_http_exchange *x)
{
    static const char *const names[CP_N_DELTA_PATHS] = { "block", "heap",
                                                         "mutex" };
    const char *name =
        strrchr(cp_http_request_path(cp_http_request_of(x)), '_') + 1;

    for (size_t i = 0; i < CP_N_DELTA_PATHS; i++)
        if (strcmp(names[i], name) == 0)
            cp_profile_request_since_last(s, x, find_kind(s, name),
                                          &s->last[i]);
}

/* Whether a web page of a different site sent the request. */
static bool is_cross_site(const struct cp_http_request *r)
{
    const char *site = cp_http_request_header(r, "Sec-Fetch-Site");

    if (site)
        return strcmp(site, "same-origin") != 0;
    return cp_http_request_header(r, "Origin");
}

/*
 * Changes are allowed from this machine only, by the user of this process or
 * root, and not from a web page of a different site. If the endpoint listens on
 * an address other than loopback, the Host header has not been checked yet.
 */
static bool may_change(const struct cp_service *s,
                       const struct cp_http_exchange *x)
{
    const struct cp_http_request *r = cp_http_request_of(x);

    if (is_cross_site(r) || (s->checks_user && !cp_http_is_from_user(x)))
        return false;
    return s->is_local ||
           (cp_http_is_from_loopback(x) && cp_http_guard_allows(r));
}

/* POST detach: ends a session of cpprof attach. */
static void detach(struct cp_service *s, struct cp_http_exchange *x)
{
    const struct cp_http_request *r = cp_http_request_of(x);

    if (!cp_http_request_is(r, "POST") || !s->on_detach) {
        cp_service_error(x, 404, "Unknown profile");
    } else if (!may_change(s, x)) {
        cp_http_answer_text(
            x, 403,
            "Not allowed: send this request from the machine of the "
            "program, as its user or as root.\n");
    } else {
        cp_http_answer_text(x, 200, "ok\n");
        s->on_detach();
    }
}

static const struct route {
    const char *path;
    void (*answer)(struct cp_service *s, struct cp_http_exchange *x);
    bool takes_post;
} routes[] = {
    { "/", to_index, false },
    { "/debug/pprof", to_index, false },
    { ROOT, cp_index_page, false },
    { ROOT "cmdline", go_command_line, false },
    { ROOT "delta_block", since_last, false },
    { ROOT "delta_heap", since_last, false },
    { ROOT "delta_mutex", since_last, false },
    { ROOT "detach", detach, true },
    { ROOT "symbol", cp_symbol_page, true },
    { "/debug/fgprof", fgprof, false }, /* default of some scrapers */
    { "/debug/mem/pprof/cmdline", gperf_command_line, false },
    { "/debug/mem/pprof/heap", gperf_profile, false },
    { "/debug/mem/pprof/profile", jeprof_heap, false },
    { "/debug/mem/pprof/symbol", cp_symbol_page, true },
    { "/pprof/cmdline", gperf_command_line, false },
    { "/pprof/contention", gperf_profile, false },
    { "/pprof/growth", gperf_profile, false },
    { "/pprof/heap", gperf_profile, false },
    { "/pprof/profile", gperf_profile, false },
    { "/pprof/symbol", cp_symbol_page, true },
};

static const struct route *find_route(const char *path)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
        if (strcmp(routes[i].path, path) == 0)
            return &routes[i];
    return NULL;
}

/* Serves a request such as POST /debug/pprof/block?rate=1. */
static void change_setting(struct cp_service *s, struct cp_http_exchange *x,
                           const struct cp_kind *kind)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    struct cp_error err = { 0 };
    char text[32];
    int64_t value;

    if (!may_change(s, x))
        cp_http_answer_text(
            x, 403,
            "Not allowed: send this request from the machine of the "
            "program, as its user or as root.\n");
    else if (!cp_http_request_param(r, kind->setting, text, sizeof(text)) ||
             !cp_params_int(text, &value) || value < 0)
        cp_service_error(x, 400,
                         "invalid value for \"%s\" - must be a number from 0",
                         kind->setting);
    else if (kind->set((uint64_t)value, &err) != CP_OK)
        cp_service_error(x, 400, "%s: %s", kind->setting, err.msg);
    else
        cp_http_answer_text(x, 200, "ok\n");
}

/* Serves a path that is not in the table: the name of a kind, or unknown. */
static void answer_kind(struct cp_service *s, struct cp_http_exchange *x,
                        const char *name)
{
    const struct cp_kind *kind = find_kind(s, name);

    if (kind && cp_http_request_is(cp_http_request_of(x), "POST"))
        change_setting(s, x, kind);
    else if (kind)
        cp_profile_request_handle(s, x, kind, name, CP_PROFILE_REQUEST_GO);
    else
        cp_service_error(x, 404, "Unknown profile");
}

static bool has_setting(const struct cp_service *s, const char *name)
{
    const struct cp_kind *kind = find_kind(s, name);

    return kind && kind->setting;
}

/* Whether the path allows the method. If not, sends the error response. */
static bool allow(struct cp_http_exchange *x, bool takes_post)
{
    const struct cp_http_request *r = cp_http_request_of(x);

    if (cp_http_request_is(r, "GET") || cp_http_request_is(r, "HEAD") ||
        (takes_post && cp_http_request_is(r, "POST")))
        return true;
    cp_http_add_header(x, "Allow",
                       takes_post ? "GET, HEAD, POST" : "GET, HEAD");
    cp_http_answer_text(x, 405, "Method Not Allowed\n");
    return false;
}

static void add_new_kinds(struct cp_service *s)
{
    const struct cp_kind *kind;

    while (s->more && (kind = s->more(s->n_more))) {
        add_kind(s, kind);
        s->n_more++;
    }
}

void cp_service_handle(void *context, struct cp_http_exchange *x)
{
    static const char ui[] = ROOT "ui/";
    struct cp_service *s = context;
    const char *path = cp_http_request_path(cp_http_request_of(x));
    const struct route *route = find_route(path);
    bool is_kind = !route && strncmp(path, ROOT, strlen(ROOT)) == 0;

    CP_ASSERT(s->symbols);
    add_new_kinds(s);
    if (s->is_guarded && !cp_http_guard_allows(cp_http_request_of(x)))
        cp_http_answer_text(
            x, 403,
            "Not allowed: the request comes from a web page of another site, "
            "or uses a host name.\n"
            "Use localhost or the numeric address in the URL.\n");
    else if (!cp_token_gate_allows(&s->gate, x))
        return;
    else if (s->ui && strncmp(path, ui, sizeof(ui) - 1) == 0)
        s->ui(s->ui_context, x);
    else if (!route && !is_kind)
        cp_http_answer_text(x, 404, "404 page not found\n");
    else if (!allow(x, route ? route->takes_post
                             : has_setting(s, path + strlen(ROOT))))
        return;
    else if (route)
        route->answer(s, x);
    else
        answer_kind(s, x, path + strlen(ROOT));
}
