/* test_request.c - complete, split, too large and malformed requests. */
#include "base/alloc.h"
#include "http/limits.h"
#include "http/request.h"

#include <stdlib.h>

#include "check.h"

static const struct cp_http_limits limits = { .header_bytes = 256,
                                              .n_headers = 4,
                                              .body_bytes = 16 };

/* Parses text in pieces of `step` bytes; returns the bytes parsed. */
static size_t feed(struct cp_http_request *r, const char *text, size_t step)
{
    size_t len = strlen(text), at = 0;

    cp_http_request_reset(r, &limits);
    while (at < len && !r->is_complete && !r->status) {
        size_t n = len - at < step ? len - at : step;

        at += cp_http_request_feed(r, text + at, n);
    }
    return at;
}

static void test_parts(void)
{
    static const char text[] = "POST /a%20b/c?x=1&y=%41+b HTTP/1.1\r\n"
                               "Host: localhost:1\r\nX-Empty:\r\n"
                               "content-length: 5\r\n\r\nhelloGET /next";
    struct cp_http_request r = { 0 };
    char value[8];

    for (size_t step = 1; step < sizeof(text); step++) {
        CHECK_INT(feed(&r, text, step), (long long)strlen(text) - 9);
        CHECK(r.is_complete && r.status == 0);
        CHECK_STR(cp_http_request_method(&r), "POST");
        CHECK_STR(cp_http_request_path(&r), "/a b/c");
        CHECK_STR(cp_http_request_query(&r), "x=1&y=%41+b");
        CHECK_STR(cp_http_request_header(&r, "HOST"), "localhost:1");
        CHECK_STR(cp_http_request_header(&r, "x-empty"), "");
        CHECK(cp_http_request_header(&r, "x") == NULL);
        CHECK_INT(r.body.len, 5);
        CHECK_STR(r.body.bytes, "hello");
        CHECK(cp_http_request_param(&r, "y", value, sizeof(value)));
        CHECK_STR(value, "A b");
    }
    cp_http_request_release(&r);
}

static void test_params(void)
{
    static const struct {
        const char *query, *value;
        bool is_there;
    } rows[] = {
        { "seconds=5", "5", true },
        { "a=1&seconds=5&seconds=6", "5", true },
        { "seconds", "", true },
        { "seconds=", "", true },
        { "%73econds=7", "7", true },
        { "seconds=%4f%4F%6a%6A", "OOjj", true },
        { "seconds=%4g", "", false },
        { "seconds=%4G", "", false },
        { "xseconds=5", "", false },
        { "a=seconds=5", "", false },
        { "", "", false },
        { "&&seconds=1", "1", true },
        { "seconds=%zz", "", false },
        { "seconds=1;b=2", "", false },
        { "seconds=123456789012", "1234567", true },
        { "seconds=%31%32%33%34%35%36%37%38", "1234567", true },
        { "seconds=1234567%3", "1234567", true },
        { "seconds=1%", "", false },
    };
    struct cp_http_request r = { 0 };
    char text[200], value[8];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_case(rows[i].query);
        (void)snprintf(text, sizeof(text),
                       "GET /p?%s HTTP/1.1\r\nHost: x\r\n\r\n", rows[i].query);
        (void)feed(&r, text, 1000);
        CHECK(r.is_complete);
        CHECK_INT(cp_http_request_param(&r, "seconds", value, sizeof(value)),
                  rows[i].is_there);
        CHECK_STR(value, rows[i].value);
    }
    cp_http_request_release(&r);
}

static const struct {
    const char *name, *text;
    int status;
} refused[] = {
    { "not http", "\x16\x03\x01\x02", 400 },
    { "no version", "GET /\r\nHost: x\r\n\r\n", 505 },
    { "version 2", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505 },
    { "no host", "GET / HTTP/1.1\r\n\r\n", 400 },
    { "two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400 },
    { "a NUL", "GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
    { "a NUL in a parameter", "GET /?a=1%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
    { "a NUL in a parameter's name", "GET /?a%00=1 HTTP/1.1\r\nHost: x\r\n\r\n",
      400 },
    { "no NUL", "GET /?a=%2500 HTTP/1.1\r\nHost: x\r\n\r\n", 0 },
    { "space before the colon",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc", 400 },
    { "space before the colon of another",
      "GET / HTTP/1.1\r\nHost: x\r\nX-Other : 3\r\n\r\n", 400 },
    { "space before the name", "GET / HTTP/1.1\r\n Host: x\r\nHost: x\r\n\r\n",
      400 },
    { "space in a trailer",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\nHost : y\r\n\r\n",
      400 },
    { "bad escape", "GET /%g0 HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
    { "cut escape", "GET /%4 HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
    { "many headers",
      "GET / HTTP/1.1\r\nHost: x\r\na:\r\nb:\r\nc:\r\nd:\r\n\r\n", 431 },
    { "long body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 17\r\n\r\n",
      413 },
    { "long chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "9\r\n123456789\r\n9\r\n123456789\r\n0\r\n\r\n",
      413 },
    { "negative length",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400 },
    { "two lengths",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
      "Content-Length: 2\r\n\r\n",
      400 },
    { "length and chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
      "Transfer-Encoding: chunked\r\n\r\n",
      400 },
    { "folded header", "GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n", 0 },
    { "http/1.0", "GET / HTTP/1.0\r\n\r\n", 0 },
    { "absolute", "GET http://x/p HTTP/1.1\r\nHost: x\r\n\r\n", 0 },
    { "upgrade",
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n"
      "Upgrade: h2c\r\n\r\n",
      0 },
};

static void test_refused(void)
{
    struct cp_http_request r = { 0 };

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        check_case(refused[i].name);
        for (size_t step = 1; step < 60; step += 29) {
            (void)feed(&r, refused[i].text, step);
            CHECK_INT(r.status, refused[i].status);
            CHECK_INT(r.is_complete, refused[i].status == 0);
        }
    }
    cp_http_request_release(&r);
}

static void test_long(void)
{
    struct cp_http_request r = { 0 };
    char text[2000];

    (void)snprintf(text, sizeof(text), "GET /%0300d HTTP/1.1\r\n\r\n", 1);
    (void)feed(&r, text, 7);
    CHECK_INT(r.status, 414);
    (void)snprintf(text, sizeof(text),
                   "GET / HTTP/1.1\r\nHost: x\r\nA: %0300d\r\n\r\n", 1);
    (void)feed(&r, text, 7);
    CHECK_INT(r.status, 431);
    CHECK(r.head.cap < 1024);
    cp_http_request_release(&r);
}

static void test_no_memory(void)
{
    struct cp_http_request r = { 0 };

    for (long n = 1; n < 4; n++) {
        cp_alloc_fail_at(n);
        (void)feed(&r,
                   "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx",
                   100);
        cp_alloc_fail_at(0);
        CHECK_INT(r.status, 503);
    }
    cp_http_request_release(&r);
}

static void test_continue(void)
{
    struct cp_http_request r = { 0 };

    (void)feed(&r,
               "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
               "Expect: 100-continue\r\n\r\n",
               1000);
    CHECK(cp_http_request_expects_continue(&r));
    (void)cp_http_request_feed(&r, "x", 1);
    CHECK(r.is_complete && !cp_http_request_expects_continue(&r));
    cp_http_request_release(&r);
}

/* An offer to upgrade is ignored: the body of the request is read as usual. */
static void test_upgrade_is_ignored(void)
{
    struct cp_http_request r = { 0 };

    (void)feed(&r,
               "POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
               "Upgrade: h2c\r\nContent-Length: 5\r\n\r\nhello",
               1000);
    CHECK(r.is_complete && r.status == 0);
    CHECK_INT(r.body.len, 5);
    cp_http_request_release(&r);
}

int main(void)
{
    RUN(test_parts);
    test_params();
    test_refused();
    RUN(test_long);
    RUN(test_no_memory);
    RUN(test_continue);
    RUN(test_upgrade_is_ignored);
    return check_failures != 0;
}
