/* index_page.c - writes the index page as HTML and as JSON. */
#include "runtime/endpoint/index_page.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/hex.h"
#include "base/out.h"
#include "http/exchange.h"
#include "http/request.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/endpoint/service.h"
#include "runtime/kind/kind.h"
#include "runtime/os/clock.h"
#include "runtime/os/version.h"

#define TEXT_BYTES 48
#define HOST_BYTES 200

extern const char cp_asset_index_css[], cp_asset_index_js[];

/* ---- escaping and number formats ---- */

static void put_html(struct cp_out *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (c == '<')
            cp_out_cstr(out, "&lt;");
        else if (c == '>')
            cp_out_cstr(out, "&gt;");
        else if (c == '&')
            cp_out_cstr(out, "&amp;");
        else if (c == '"')
            cp_out_cstr(out, "&quot;");
        else if (c == '\'')
            cp_out_cstr(out, "&#39;");
        else
            cp_out_char(out, c);
    }
}

static void put_html_text(struct cp_out *out, const char *text)
{
    put_html(out, text, strlen(text));
}

/* Formats a count, such as "12,345". */
static void count_text(uint64_t n, char out[TEXT_BYTES])
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
    size_t k = 0;

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits[i];
    }
    CP_ASSERT(k < TEXT_BYTES);
    out[k] = '\0';
}

/* Formats a number of bytes, such as "1.4 MB". */
static void bytes_text(uint64_t n, char out[TEXT_BYTES])
{
    static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
    double value = (double)n;
    size_t unit = 0;

    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    CP_ASSERT(unit < sizeof(units) / sizeof(units[0]));
    (void)snprintf(out, TEXT_BYTES,
                   unit > 0 && value < 100 ? "%.1f %s" : "%.0f %s", value,
                   units[unit]);
}

/* Formats a duration: "3 h 12 min", "41 s", "0.25 s". */
static void duration_text(int64_t ns, char out[TEXT_BYTES])
{
    long long seconds = ns / CP_NS_PER_S;

    if (seconds < 10)
        (void)snprintf(out, TEXT_BYTES, "%.2f s", (double)ns / 1e9);
    else if (seconds < 120)
        (void)snprintf(out, TEXT_BYTES, "%lld s", seconds);
    else if (seconds < 7200)
        (void)snprintf(out, TEXT_BYTES, "%lld min", seconds / 60);
    else if (seconds < 172800)
        (void)snprintf(out, TEXT_BYTES, "%lld h %lld min", seconds / 3600,
                       seconds / 60 % 60);
    else
        (void)snprintf(out, TEXT_BYTES, "%lld days", seconds / 86400);
}

/* ---- the numbers of the page ---- */

struct numbers {
    char uptime[TEXT_BYTES], memory[TEXT_BYTES], max_memory[TEXT_BYTES + 8];
    char samples[TEXT_BYTES], lost[TEXT_BYTES], cpu[TEXT_BYTES];
    char windows[TEXT_BYTES], clients[TEXT_BYTES];
    struct cp_endpoint_cost cost;
};

static void read_numbers(const struct cp_service *s, struct numbers *n)
{
    struct cp_http_stats stats = { 0 };
    char limit[TEXT_BYTES];

    *n = (struct numbers){ 0 };
    if (s->cost)
        s->cost(&n->cost);
    n->cost.cpu_ns += (uint64_t)cp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (s->server)
        cp_http_server_stats(s->server, &stats);
    duration_text(cp_http_now() - s->started_ns, n->uptime);
    bytes_text(n->cost.memory_bytes, n->memory);
    bytes_text(n->cost.max_memory_bytes, limit);
    if (n->cost.max_memory_bytes)
        (void)snprintf(n->max_memory, sizeof(n->max_memory), "of %s", limit);
    count_text(n->cost.n_samples, n->samples);
    count_text(n->cost.n_lost, n->lost);
    duration_text((int64_t)n->cost.cpu_ns, n->cpu);
    count_text(s->n_waiting, n->windows);
    count_text(stats.n_connections, n->clients);
}

static uint64_t count_of(const struct cp_kind *kind)
{
    if (kind->count_of)
        return kind->count_of(kind);
    return kind->count ? kind->count() : 0;
}

static void kind_count_text(const struct cp_kind *kind, char out[TEXT_BYTES])
{
    if (!kind->begin)
        (void)snprintf(out, TEXT_BYTES, "empty");
    else if (kind->default_seconds > 0)
        (void)snprintf(out, TEXT_BYTES, "on demand");
    else
        count_text(count_of(kind), out);
}

/* ---- the page ---- */

/* Writes a labelled number; `more` is a note after it or "". */
static void put_number(struct cp_out *out, const char *id, const char *name,
                       const char *text, const char *more)
{
    cp_out_printf(out, "<div><dt>%s</dt><dd><span id=\"%s\">%s</span>", name,
                  id, text);
    if (*more)
        cp_out_printf(out, " <small id=\"%s-more\">%s</small>", id, more);
    cp_out_cstr(out, "</dd></div>\n");
}

static void put_costs(const struct cp_service *s, struct cp_out *out)
{
    struct numbers n;

    read_numbers(s, &n);
    cp_out_cstr(out, "<h2>What the profiler costs right now</h2>\n<dl>\n");
    put_number(out, "memory", "Memory", n.memory, n.max_memory);
    put_number(out, "cpu", "CPU time, in all", n.cpu, "");
    put_number(out, "samples", "Samples taken", n.samples, "");
    put_number(out, "lost", "Samples lost", n.lost, "");
    put_number(out, "windows", "Profiles running", n.windows, "");
    put_number(out, "clients", "Connections", n.clients, "");
    cp_out_cstr(out, "</dl>\n");
}

static void put_head(const struct cp_service *s, const char *nonce,
                     struct cp_out *out)
{
    struct cp_out command = { .fd = -1 };
    const char *program = cp_service_program(&command);
    char uptime[TEXT_BYTES];

    duration_text(cp_http_now() - s->started_ns, uptime);
    cp_out_cstr(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\">\n<title>/debug/pprof/ ");
    put_html_text(out, program);
    cp_out_printf(out,
                  "</title>\n<meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\">\n"
                  "<link rel=\"icon\" href=\"data:,\">\n"
                  "<style nonce=\"%s\">\n%s</style>\n</head>\n<body>\n"
                  "<p class=\"path\">/debug/pprof/</p>\n<h1>",
                  nonce, cp_asset_index_css);
    put_html_text(out, program);
    cp_out_printf(out,
                  "</h1>\n<p class=\"where\">process %ld, watched for "
                  "<span id=\"uptime\">%s</span>, by cpprof " CP_VERSION
                  "</p>\n<p class=\"command\">",
                  (long)getpid(), uptime);
    for (size_t i = 0; i + 1 < command.len; i++)
        if (command.buf[i] == '\0')
            command.buf[i] = ' ';
    put_html_text(out, command.len ? command.buf : "");
    cp_out_cstr(out, "</p>\n");
    cp_out_release(&command);
}

/* A command line that fetches the kind, with a button that copies it. */
static void put_command(const struct cp_service *s, const struct cp_kind *kind,
                        const char *host, struct cp_out *out)
{
    const char *query = kind->default_seconds > 0 ? "?seconds=10" : "";

    cp_out_cstr(out, "<div class=\"copy\"><code>");
    if (s->socket_path) {
        cp_out_cstr(out, "curl -so ");
        cp_out_printf(out, "%s.pb.gz --unix-socket ", kind->name);
        put_html_text(out, s->socket_path);
        cp_out_printf(out, " &#39;http://localhost/debug/pprof/%s%s&#39;",
                      kind->name, query);
    } else if (strcmp(kind->name, "trace") == 0) {
        cp_out_cstr(out, "cpprof trace -http=: &#39;http://");
        put_html_text(out, host);
        cp_out_cstr(out, "/debug/pprof/trace?seconds=1&#39;");
    } else {
        cp_out_cstr(out, "pprof -http=: &#39;http://");
        put_html_text(out, host);
        cp_out_printf(out, "/debug/pprof/%s%s&#39;", kind->name, query);
    }
    cp_out_cstr(out, "</code><button type=\"button\">Copy</button></div>\n");
}

/* Writes the download links beside the name of a kind. */
static void put_links(const struct cp_kind *kind, struct cp_out *out)
{
    const char *name = kind->name;

    cp_out_cstr(out, "<span class=\"get\">");
    if (kind->text != CP_KIND_TEXT_NONE)
        cp_out_printf(out, "<a href=\"%s?debug=1\">as text</a>", name);
    if (strcmp(name, "goroutine") == 0)
        cp_out_cstr(out, "<a href=\"goroutine?debug=2\">"
                         "full goroutine stack dump</a>");
    if (kind->default_seconds > 0)
        cp_out_printf(out,
                      "<a href=\"%s?seconds=1\">1 s</a>"
                      "<a href=\"%s?seconds=5\">5 s</a>"
                      "<a href=\"%s?seconds=30\">30 s</a>",
                      name, name, name);
    else
        cp_out_printf(out, "<a href=\"%s\">download</a>", name);
    cp_out_cstr(out, "</span>");
}

static void put_kind(const struct cp_service *s, const struct cp_kind *kind,
                     const char *host, struct cp_out *out)
{
    char count[TEXT_BYTES];

    CP_ASSERT(kind->name && kind->summary);
    kind_count_text(kind, count);
    cp_out_printf(out,
                  "<tr><td class=\"count\"><b%s id=\"count-%s\">%s</b></td>"
                  "<td><div class=\"row\">"
                  "<a class=\"name\" href=\"%s%s\">%s</a>",
                  kind->default_seconds > 0 || !kind->begin ? " class=\"wait\""
                                                            : "",
                  kind->name, count, kind->name,
                  kind->text == CP_KIND_TEXT_NONE ? "?seconds=5" : "?debug=1",
                  kind->name);
    put_links(kind, out);
    cp_out_cstr(out, "</div>\n<p class=\"about\">");
    put_html_text(out, kind->summary);
    if (kind->disabled_reason && kind->disabled_reason()) {
        cp_out_cstr(out, " <b>");
        put_html_text(out, kind->disabled_reason());
        cp_out_cstr(out, "</b>");
    }
    if (!kind->begin)
        cp_out_cstr(out,
                    " This program does not collect it; the profile is empty.");
    cp_out_cstr(out, "</p>\n");
    put_command(s, kind, host, out);
    cp_out_cstr(out, "</td></tr>\n");
}

static void put_page(const struct cp_service *s, const char *host,
                     const char *nonce, struct cp_out *out)
{
    CP_ASSERT(s->n_kinds <= CP_MAX_KINDS);
    put_head(s, nonce, out);
    put_costs(s, out);
    cp_out_cstr(out, "<h2>Types of profiles available:</h2>\n<table>\n"
                     "<thead><tr><th class=\"count\">Count</th>"
                     "<th>Profile</th></tr></thead>\n");
    for (size_t i = 0; i < s->n_kinds; i++)
        put_kind(s, s->kinds[i], host, out);
    cp_out_printf(
        out,
        "</table>\n<footer>Set debug=1 as a query parameter to export in "
        "legacy text format, seconds=10 for what happens in ten seconds, "
        "symbolize=none for addresses without names. Also here: "
        "<a href=\"ui/\">flame graphs in this browser</a>, "
        "<a href=\"cmdline\">cmdline</a>, <a href=\"symbol\">symbol</a>, "
        "<a href=\"?format=json\">this page as JSON</a>.</footer>\n"
        "<script nonce=\"%s\">\n%s</script>\n</body>\n</html>\n",
        nonce, cp_asset_index_js);
}

/* ---- JSON ---- */

static void put_kinds_json(const struct cp_service *s, struct cp_out *out)
{
    char count[TEXT_BYTES];

    for (size_t i = 0; i < s->n_kinds; i++) {
        const struct cp_kind *kind = s->kinds[i];

        kind_count_text(kind, count);
        cp_out_printf(out,
                      "%s\n  {\"name\": \"%s\", \"count\": %llu, "
                      "\"count_text\": \"%s\", \"default_seconds\": %lld}",
                      i ? "," : "", kind->name,
                      (unsigned long long)(count_of(kind)), count,
                      (long long)kind->default_seconds);
    }
}

static void put_json(const struct cp_service *s, struct cp_out *out)
{
    struct numbers n;

    read_numbers(s, &n);
    cp_out_printf(
        out,
        "{\"version\": \"" CP_VERSION "\", \"pid\": %ld,\n"
        " \"memory\": %llu, \"max_memory\": %llu, \"samples\": %llu, "
        "\"lost\": %llu, \"cpu_ns\": %llu, \"windows\": %llu,\n"
        " \"kinds\": [",
        (long)getpid(), (unsigned long long)n.cost.memory_bytes,
        (unsigned long long)n.cost.max_memory_bytes,
        (unsigned long long)n.cost.n_samples, (unsigned long long)n.cost.n_lost,
        (unsigned long long)n.cost.cpu_ns, (unsigned long long)s->n_waiting);
    put_kinds_json(s, out);
    cp_out_printf(out,
                  "],\n \"texts\": {\"uptime\": \"%s\", \"memory\": \"%s\", "
                  "\"cpu\": \"%s\", \"samples\": \"%s\", \"lost\": \"%s\", "
                  "\"windows\": \"%s\", \"clients\": \"%s\"}}\n",
                  n.uptime, n.memory, n.cpu, n.samples, n.lost, n.windows,
                  n.clients);
}

/* Writes a random string for the Content-Security-Policy of this response. */
static void make_nonce(char out[33])
{
    unsigned char bytes[16] = { 0 };

    (void)!getrandom(bytes, sizeof(bytes), GRND_NONBLOCK);
    cp_hex_text(bytes, sizeof(bytes), out);
}

/* The Host header for the command lines, if no shell interprets it. */
static void host_of(const struct cp_http_request *r, char out[HOST_BYTES])
{
    const char *host = cp_http_request_header(r, "Host");

    if (!host || !*host || strlen(host) >= HOST_BYTES ||
        host[strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789.-_:[]")])
        host = "localhost";
    CP_ASSERT(strlen(host) < HOST_BYTES);
    strcpy(out, host);
}

void cp_index_page(struct cp_service *s, struct cp_http_exchange *x)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    struct cp_out out = { .fd = -1 };
    char format[8], nonce[33], host[HOST_BYTES], policy[320];
    bool is_json = cp_http_request_param(r, "format", format, sizeof(format)) &&
                   strcmp(format, "json") == 0;

    make_nonce(nonce);
    host_of(r, host);
    (void)snprintf(
        policy, sizeof(policy),
        "default-src 'none'; style-src 'nonce-%s'; script-src "
        "'nonce-%s'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        nonce, nonce);
    cp_http_add_header(x, "Content-Type",
                       is_json ? "application/json"
                               : "text/html; charset=utf-8");
    cp_http_add_header(x, "Cache-Control", "no-store");
    cp_http_add_header(x, "Referrer-Policy", "no-referrer");
    cp_http_set_policy(x, policy);
    if (is_json)
        put_json(s, &out);
    else
        put_page(s, host, nonce, &out);
    cp_http_answer(x, 200, &out);
}
