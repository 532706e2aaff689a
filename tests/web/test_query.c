/* test_query.c - tests src/web/query.c: valid and invalid options in a URL. */
#include "base/arena.h"
#include "http/limits.h"
#include "http/request.h"
#include "report/core/options.h"
#include "web/query.h"

#include <stdlib.h>

#include "check.h"

static const struct cp_http_limits limits = CP_HTTP_DEFAULT_LIMITS;

/* Parses the query into *o, which starts with the defaults. */
static enum cp_status read_query(const char *query, struct cp_options *o,
                                 struct cp_arena *arena, struct cp_error *err)
{
    struct cp_http_request r = { 0 };
    size_t len = strlen(query) + 64;
    char *text = malloc(len);
    enum cp_status status;

    (void)snprintf(text, len, "GET /?%s HTTP/1.1\r\nHost: x\r\n\r\n", query);
    cp_http_request_reset(&r, &limits);
    for (size_t at = 0; text[at] && !r.is_complete && !r.status;)
        at += cp_http_request_feed(&r, text + at, strlen(text) - at);
    CHECK(r.is_complete);
    *o = cp_options_default();
    status = cp_web_query(&r, o, arena, err);
    cp_http_request_release(&r); /* strings must not point into it */
    free(text);
    return status;
}

static void test_all(void)
{
    struct cp_arena arena = { 0 };
    struct cp_error err = { 0 };
    struct cp_options o;

    CHECK_INT(read_query("f=a%26b&i=I&h=H&s=S&sf=SF&prunefrom=P&tf=k%3dv&ti=TI"
                         "&ts=TS&th=TH&tagroot=R&tagleaf=L&si=cpu&unit=ms",
                         &o, &arena, &err),
              CP_OK);
    CHECK_STR(o.focus, "a&b");
    CHECK_STR(o.ignore, "I");
    CHECK_STR(o.hide, "H");
    CHECK_STR(o.show, "S");
    CHECK_STR(o.show_from, "SF");
    CHECK_STR(o.prune_from, "P");
    CHECK_STR(o.tagfocus, "k=v");
    CHECK_STR(o.tagignore, "TI");
    CHECK_STR(o.tagshow, "TS");
    CHECK_STR(o.taghide, "TH");
    CHECK_STR(o.tagroot, "R");
    CHECK_STR(o.tagleaf, "L");
    CHECK_STR(o.sample_index, "cpu");
    CHECK_STR(o.unit, "ms");
    CHECK_INT(read_query("calltree=t&rel=1&compact=yes&intel=Y&mean=true&norm=T"
                         "&sort=cum&dropneg=t&n=12&nf=0.5&ef=1e-3&trim=f"
                         "&noinlines=t&showcolumns=t&g=lines&u=s",
                         &o, &arena, &err),
              CP_OK);
    CHECK(o.call_tree && o.relative_percentages && o.compact_labels &&
          o.intel_syntax && o.mean && o.normalize && o.cum_sort &&
          o.drop_negative && !o.trim && o.noinlines && o.showcolumns);
    CHECK_INT(o.node_count, 12);
    CHECK(o.node_fraction > 0.49 && o.node_fraction < 0.51);
    CHECK(o.edge_fraction > 0.0009 && o.edge_fraction < 0.0011);
    CHECK_INT(o.granularity, CP_BY_LINES);
    CHECK_STR(o.unit, "s");
    cp_arena_release(&arena);
}

static void test_nothing(void)
{
    struct cp_arena arena = { 0 };
    struct cp_error err = { 0 };
    struct cp_options o;

    CHECK_INT(read_query("f=&n=&g=&trim=&unknown=1&F=x", &o, &arena, &err),
              CP_OK);
    CHECK_STR(o.focus, "");
    CHECK_INT(o.node_count, -1);
    CHECK(o.trim && o.granularity == CP_BY_DEFAULT);
    cp_arena_release(&arena);
}

static void test_nonsense(void)
{
    static const char *const rows[] = {
        "n=abc",      "n=1x",    "n=-2",    "n=99999999999999999999",
        "nf=x",       "nf=0.5y", "ef=nan",  "ef=inf",
        "trim=maybe", "g=words", "sort=up", "noinlines=2"
    };
    struct cp_arena arena = { 0 };
    struct cp_options o;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cp_error err = { 0 };

        check_case(rows[i]);
        CHECK_INT(read_query(rows[i], &o, &arena, &err), CP_EUSAGE);
        CHECK(strstr(err.msg, "invalid value") && !strchr(err.msg, '\n'));
    }
    cp_arena_release(&arena);
}

static void test_too_long(void)
{
    char query[6000] = "f=";
    struct cp_arena arena = { 0 };
    struct cp_error err = { 0 };
    struct cp_options o;

    memset(query + 2, 'a', 5000);
    query[5002] = '\0';
    CHECK_INT(read_query(query, &o, &arena, &err), CP_EUSAGE);
    CHECK_STR(err.msg, "f is too long");
    cp_arena_release(&arena);
}

int main(void)
{
    RUN(test_all);
    RUN(test_nothing);
    RUN(test_nonsense);
    RUN(test_too_long);
    return check_failures != 0;
}
