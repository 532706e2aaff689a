/* test_conn.c - the cost of slow, broken and hostile clients is bounded. */
#include "http/address.h"
#include "http/conn.h"

#include <poll.h>
#include <sys/resource.h>
#include <time.h>

#include "server_fixture.h"

#define CLOSE "Host: x\r\nConnection: close\r\n\r\n"

static struct fixture f;

static const struct cp_http_limits small = {
    .header_bytes = 4096,
    .n_headers = 20,
    .body_bytes = 1000,
    .n_connections = 8,
    .input_bytes = 16 << 10,
    .output_bytes = 2 * BIG_BYTES,
    .request_timeout_ms = 30,
    .idle_timeout_ms = 60000,
    .write_timeout_ms = 60000,
    .linger_ms = 20000, /* long enough for a busy machine */
};

static void test_malformed(void)
{
    static const char *const rows[] = {
        "\r\n\r\nnonsense\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz",
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *got = ask(&f, rows[i]);

        CHECK(strncmp(got, "HTTP/1.1 400 Bad Request\r\n", 26) == 0);
        CHECK(strstr(got, "Connection: close\r\n"));
        CHECK(strstr(got, "\r\n\r\n400 Bad Request"));
        free(got);
    }
}

static void test_too_large(void)
{
    char *text = calloc(1, 100000), *got;

    memset(text, 'a', 99999);
    memcpy(text, "GET /", 5);
    got = ask(&f, text);
    CHECK(strncmp(got, "HTTP/1.1 414 URI Too Long\r\n", 27) == 0);
    free(got);
    memcpy(text, "GET / HTTP/1.1\r\nX:", 18);
    got = ask(&f, text);
    CHECK(strncmp(got, "HTTP/1.1 431 ", 13) == 0);
    free(got);
    memcpy(text,
           "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n",
           56);
    got = ask(&f, text);
    CHECK(strncmp(got, "HTTP/1.1 413 ", 13) == 0);
    free(got);
    free(text);
}

/* A request that never ends gets 408 or a closed connection. */
static void test_slow_request(void)
{
    char *got = ask(&f, "GET /hello HTTP/1.1\r\nHost");

    CHECK(strncmp(got, "HTTP/1.1 408 Request Timeout\r\n", 30) == 0);
    free(got);
    got =
        ask(&f, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1");
    CHECK(strncmp(got, "HTTP/1.1 408 Request Timeout\r\n", 30) == 0);
    free(got);
}

/* The oldest idle connection makes room for a new one, and only that. */
static void test_oldest_goes(void)
{
    char *got, byte;
    int first = dial(&f), others[7];

    for (int i = 0; i < 7; i++)
        others[i] = dial(&f);
    got = ask(&f, "GET /hello HTTP/1.1\r\n" CLOSE);
    CHECK(strstr(got, "hello\n"));
    free(got);
    CHECK_INT(recv(first, &byte, 1, 0), 0);
    for (int i = 0; i < 7; i++) {
        struct pollfd p = { others[i], POLLIN, 0 };

        CHECK_INT(poll(&p, 1, 0), 0);
        (void)close(others[i]);
    }
    (void)close(first);
}

/* A connection whose handler runs is not closed; a new one is rejected. */
static void test_all_busy(void)
{
    static const char text[] = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";
    char *got;
    int fds[8];

    for (int i = 0; i < 8; i++) {
        fds[i] = dial(&f);
        CHECK(say(fds[i], text, sizeof(text) - 1));
    }
    expect_told(&f, 'w', 8);
    got = ask(&f, "GET /hello HTTP/1.1\r\n" CLOSE);
    CHECK(strncmp(got, "HTTP/1.1 503 ", 13) == 0);
    CHECK(strstr(got, "Connection: close\r\n\r\n"));
    free(got);
    for (int i = 0; i < 8; i++)
        (void)close(fds[i]);
    expect_told(&f, 'g', 8);
}

/* Clients that do not read use no more memory than the limit. */
static void test_no_readers(void)
{
    static const char text[] = "GET /big HTTP/1.1\r\nHost: x\r\n\r\n";
    size_t waiting = 0;
    char *got;
    int fds[6];

    for (int i = 0; i < 6; i++) {
        fds[i] = dial(&f);
        CHECK(say(fds[i], text, sizeof(text) - 1));
        got = ask(&f, "GET /stats HTTP/1.1\r\n" CLOSE);
        if (CHECK(strstr(got, "waiting ")))
            waiting = strtoul(strstr(got, "waiting ") + 8, NULL, 10);
        CHECK(waiting <= 2 * BIG_BYTES);
        free(got);
    }
    CHECK(waiting >= BIG_BYTES);
    for (int i = 0; i < 6; i++)
        (void)close(fds[i]);
}

/* Incomplete requests use no more memory than the limit. */
static void test_unfinished(void)
{
    struct cp_http_limits patient = small;
    struct fixture g;
    char part[3000], byte;
    int fds[8];

    patient.request_timeout_ms = 60000;
    fixture_start(&g, &patient);
    memset(part, 'a', sizeof(part));
    memcpy(part, "GET /?", 6);
    for (int i = 0; i < 8; i++) { /* 24 KB of 16 KB allowed */
        char *got;

        fds[i] = dial(&g);
        CHECK(say(fds[i], part, sizeof(part)));
        if (i < 7) {
            got = ask(&g, "GET /hello HTTP/1.1\r\n" CLOSE);
            CHECK(strstr(got, "hello\n"));
            free(got);
        }
    }
    CHECK(recv(fds[0], &byte, 1, 0) <= 0); /* the oldest is closed */
    CHECK(say(fds[7], " HTTP/1.0\r\n\r\n", 13));
    CHECK_INT(recv(fds[7], &byte, 1, 0), 1); /* the newest is served */
    for (int i = 0; i < 8; i++)
        (void)close(fds[i]);
    fixture_stop(&g);
}

/* A client pipelines many requests and disconnects before the responses. */
static void test_gone_pipeliner(void)
{
    static const char text[] = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
                               "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
                               "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
    struct fixture g = { 0 };
    struct cp_http_stats stats;
    int fds[2];

    CHECK_INT(cp_http_server_new(&g.server, &small, fixture_handle, &g, NULL),
              CP_OK);
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    CHECK(cp_http_server_adopt(g.server, fds[0]));
    CHECK(say(fds[1], text, sizeof(text) - 1));
    CHECK_INT(cp_http_server_turn(g.server, 0, NULL), CP_OK);
    (void)close(fds[1]);
    for (int i = 0; i < 5; i++)
        CHECK_INT(cp_http_server_turn(g.server, 0, NULL), CP_OK);
    cp_http_server_stats(g.server, &stats);
    CHECK_INT(stats.n_connections, 0);
    CHECK_INT(stats.input_bytes, 0);
    cp_http_server_free(g.server);
}

/* A client resets the connection in the middle of a response. */
static void test_reset(void)
{
    static const char text[] = "GET /big HTTP/1.1\r\nHost: x\r\n\r\n";
    struct linger now = { 1, 0 };
    char byte, *got;

    for (int i = 0; i < 20; i++) {
        int fd = dial(&f);

        CHECK(say(fd, text, sizeof(text) - 1));
        CHECK_INT(recv(fd, &byte, 1, 0), 1);
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        (void)close(fd);
    }
    got = ask(&f, "GET /hello HTTP/1.1\r\n" CLOSE);
    CHECK(strstr(got, "hello\n"));
    free(got);
}

/* Without free descriptors, clients wait until there are some. */
static void test_no_descriptors(void)
{
    struct fixture g = { 0 };
    struct cp_http_stats stats = { 0 };
    struct rlimit limit, low;
    int client = socket(AF_INET, SOCK_STREAM, 0), fd = -1;

    CHECK_INT(cp_http_address_parse(&g.address, "localhost:0", NULL), CP_OK);
    CHECK_INT(cp_http_address_listen(&g.address, &fd, NULL), CP_OK);
    CHECK_INT(cp_http_server_new(&g.server, &small, fixture_handle, &g, NULL),
              CP_OK);
    CHECK_INT(cp_http_server_listen(g.server, fd, NULL), CP_OK);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    low = limit;
    low.rlim_cur = 3; /* open descriptors stay open */
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &low), 0);
    CHECK_INT(
        connect(client, (struct sockaddr *)&g.address.socket, g.address.len),
        0);
    for (int i = 0; i < 3; i++)
        CHECK_INT(cp_http_server_turn(g.server, 0, NULL), CP_OK);
    CHECK(!g.server->is_accepting);
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int i = 0; i < 100 && stats.n_connections == 0; i++) {
        CHECK_INT(cp_http_server_turn(g.server, 1000, NULL), CP_OK);
        cp_http_server_stats(g.server, &stats);
    }
    CHECK_INT(stats.n_connections, 1);
    (void)close(client);
    cp_http_server_free(g.server);
}

/* Ten thousand connections, as many open at once as RLIMIT_NOFILE allows. */
static void test_ten_thousand(void)
{
    static int fds[10000];
    struct rlimit limit;
    size_t at_once = 800, n_ok = 0;
    char *got;

    (void)getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur > 12000)
        at_once = 10000;
    memset(fds, -1, sizeof(fds));
    for (size_t i = 0; i < 10000; i++) {
        if (i >= at_once)
            (void)close(fds[i - at_once]);
        fds[i] = dial(&f);
        n_ok += fds[i] >= 0;
    }
    CHECK_INT(n_ok, 10000);
    got = ask(&f, "GET /hello HTTP/1.1\r\n" CLOSE);
    CHECK(strstr(got, "hello\n"));
    free(got);
    for (size_t i = 10000 - at_once; i < 10000; i++)
        (void)close(fds[i]);
}

static void answer_slowly(void *context, struct cp_http_exchange *x)
{
    const struct timespec while_ = { 0, 1000000 };

    (void)nanosleep(&while_, NULL);
    ++*(int *)context;
    cp_http_answer_text(x, 200, "hello\n");
}

/*
 * A turn of the loop takes longer than the idle timeout: clients whose requests
 * wait in the socket are not closed as idle.
 */
static void test_late_server(void)
{
    static const char text[] = "GET / HTTP/1.1\r\n" CLOSE;
    struct cp_http_limits limits = small;
    struct cp_http_server *s = NULL;
    int pairs[100][2], n_served = 0, n_answers = 0;
    char got[12];

    limits.n_connections = 200;
    limits.idle_timeout_ms = 10;
    CHECK(cp_http_server_new(&s, &limits, answer_slowly, &n_served, NULL) ==
          CP_OK);
    for (int i = 0; i < 100; i++)
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]) == 0 &&
              say(pairs[i][0], text, sizeof(text) - 1) &&
              cp_http_server_adopt(s, pairs[i][1]));
    for (int i = 0; i < 50 && n_served < 100; i++)
        CHECK(cp_http_server_turn(s, 100, NULL) == CP_OK);
    CHECK_INT(n_served, 100);
    for (int i = 0; i < 100; i++) {
        n_answers += recv(pairs[i][0], got, 12, MSG_DONTWAIT) == 12 &&
                     memcmp(got, "HTTP/1.1 200", 12) == 0;
        (void)close(pairs[i][0]);
    }
    CHECK_INT(n_answers, 100);
    cp_http_server_free(s);
}

int main(void)
{
    fixture_start(&f, &small);
    RUN(test_malformed);
    RUN(test_too_large);
    RUN(test_slow_request);
    RUN(test_oldest_goes);
    RUN(test_all_busy);
    RUN(test_no_readers);
    RUN(test_unfinished);
    RUN(test_gone_pipeliner);
    RUN(test_reset);
    RUN(test_no_descriptors);
    RUN(test_ten_thousand);
    RUN(test_late_server);
    fixture_stop(&f);
    return check_failures != 0;
}
