/* test_server.c - responses of a server over sockets to correct clients. */
#include "http/exchange.h"
#include "http/limits.h"

#include <sys/wait.h>

#include "server_fixture.h"

#define CLOSE "Host: x\r\nConnection: close\r\n\r\n"

static struct fixture f;

static int count(const char *text, const char *word)
{
    int n = 0;

    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

static void test_answer(void)
{
    char *got = ask(&f, "GET /hello HTTP/1.1\r\n" CLOSE);

    CHECK(strncmp(got, "HTTP/1.1 200 OK\r\nDate: ", 23) == 0);
    CHECK(strstr(got, " GMT\r\nX-Content-Type-Options: nosniff\r\n"
                      "Content-Security-Policy: " CP_HTTP_STRICT_POLICY "\r\n"
                      "X-Test: yes\r\n"
                      "Content-Type: text/plain; charset=utf-8\r\n"
                      "Content-Length: 6\r\nConnection: close\r\n\r\nhello\n"));
    free(got);
}

static void test_date(void)
{
    char *got = ask(&f, "GET /hello HTTP/1.1\r\n" CLOSE);
    time_t before = time(NULL) - 20, after = time(NULL);
    struct tm t = { 0 };
    const char *end = strptime(got + 23, "%a, %d %b %Y %H:%M:%S GMT", &t);

    CHECK(end && *end == '\r');
    CHECK(timegm(&t) >= before && timegm(&t) <= after);
    free(got);
}

static void test_head(void)
{
    char *got = ask(&f, "HEAD /hello HTTP/1.1\r\n" CLOSE);

    CHECK(strstr(got, "Content-Length: 6\r\n"));
    CHECK(!strstr(got, "hello"));
    free(got);
    got = ask(&f, "HEAD /stream HTTP/1.1\r\n" CLOSE);
    CHECK(strstr(got, "chunked\r\nConnection: close\r\n\r\n"));
    CHECK(strlen(got) < 300);
    free(got);
}

static void test_statuses(void)
{
    char *got = ask(&f, "GET /lost HTTP/1.1\r\n" CLOSE);

    CHECK(strncmp(got, "HTTP/1.1 404 Not Found\r\n", 24) == 0);
    free(got);
    got = ask(&f, "GET /none HTTP/1.1\r\n" CLOSE);
    CHECK(strncmp(got, "HTTP/1.1 500 ", 13) == 0);
    free(got);
}

static void test_bodies(void)
{
    char *got =
        ask(&f, "POST /echo HTTP/1.1\r\nContent-Length: 4\r\n" CLOSE "abcd");

    CHECK(strstr(got, "\r\n\r\nabcd"));
    free(got);
    got = ask(&f, "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE
                  "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n");
    CHECK(strstr(got, "\r\n\r\nabcde"));
    free(got);
}

static void test_pipelined(void)
{
    char text[100 * 50 + 200] = "";
    char *got;

    for (int i = 0; i < 99; i++)
        strcat(text, "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    strcat(text, "GET /later HTTP/1.1\r\n" CLOSE);
    got = ask(&f, text);
    CHECK_INT(count(got, "HTTP/1.1 200 OK"), 100);
    CHECK_INT(count(got, "hello\n"), 99);
    CHECK(strstr(got, "late\n"));
    free(got);
}

/* A keep-alive client: one request after the other, byte by byte. */
static void test_slow_but_alive(void)
{
    static const char text[] = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
    char got[1000];
    int fd = dial(&f);
    size_t len = 0;

    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < sizeof(text) - 1; i++)
            CHECK(say(fd, text + i, 1));
        len = 0;
        do {
            ssize_t n = recv(fd, got + len, 1, 0);

            if (!CHECK(n == 1))
                break;
            got[++len] = '\0';
        } while (!strstr(got, "hello\n"));
        CHECK(strncmp(got, "HTTP/1.1 200 OK", 15) == 0);
        CHECK(!strstr(got, "Connection:"));
    }
    (void)close(fd);
}

static void test_old_http(void)
{
    char *got = ask(&f, "GET /hello HTTP/1.0\r\n\r\n");

    CHECK(strstr(got, "Connection: close\r\n\r\nhello\n"));
    free(got);
    got = ask(&f, "GET /stream HTTP/1.0\r\n\r\n");
    CHECK(!strstr(got, "chunked"));
    free(got);
}

static void test_later(void)
{
    char *got = ask(&f, "GET /later HTTP/1.1\r\n" CLOSE);

    CHECK(strstr(got, "\r\n\r\nlate\n"));
    free(got);
    got = ask(&f, "GET /wake HTTP/1.1\r\n" CLOSE);
    CHECK(strstr(got, "\r\n\r\nlate\n"));
    free(got);
}

static void test_big(void)
{
    static const char text[] = "GET /big HTTP/1.1\r\n" CLOSE;
    char *got = malloc(BIG_BYTES + 1000);
    int fd = dial(&f);
    ssize_t n = -1;

    if (CHECK(say(fd, text, sizeof(text) - 1)))
        n = hear(fd, got, BIG_BYTES + 999);
    CHECK(n > (ssize_t)BIG_BYTES);
    CHECK(n > 0 && strstr(got, "Content-Length: 8388608\r\n"));
    (void)close(fd);
    free(got);
}

/* The length of a chunked body; -1 if it is malformed. */
static ssize_t unchunk(const char *at, const char *end)
{
    ssize_t total = 0;

    while (at < end) {
        char *after;
        unsigned long n = strtoul(at, &after, 16);

        if (after == at || strncmp(after, "\r\n", 2) != 0)
            return -1;
        if (n == 0)
            return end - after == 4 ? total : -1;
        total += (ssize_t)n;
        at = after + 2 + n + 2;
    }
    return -1;
}

static void test_stream(void)
{
    static const char text[] = "GET /stream HTTP/1.1\r\n" CLOSE;
    char *got = malloc(BIG_BYTES + 1), *body;
    int fd = dial(&f);
    ssize_t n = -1;

    if (CHECK(say(fd, text, sizeof(text) - 1)))
        n = hear(fd, got, BIG_BYTES);
    body = n > 0 ? strstr(got, "\r\n\r\n") : NULL;
    if (CHECK(body && strstr(got, "Transfer-Encoding: chunked\r\n")))
        CHECK_INT(unchunk(body + 4, got + n), 5000000);
    (void)close(fd);
    free(got);
}

/* A deferred exchange gets on_disconnect. */
static void test_gone(void)
{
    static const char text[] = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";

    for (int half = 0; half < 2; half++) {
        int fd = dial(&f);

        CHECK(say(fd, text, sizeof(text) - 1));
        expect_told(&f, 'w', 1);
        if (half)
            (void)shutdown(fd, SHUT_WR);
        else
            (void)close(fd);
        expect_told(&f, 'g', 1);
        if (half)
            (void)close(fd);
    }
}

/* A deferred exchange can answer a client that has half-closed. */
static void test_hurried(void)
{
    static const char text[] = "GET /hurry HTTP/1.1\r\nHost: x\r\n\r\n";
    char got[2000];
    int fd = dial(&f);

    CHECK(say(fd, text, sizeof(text) - 1));
    expect_told(&f, 'w', 1);
    (void)shutdown(fd, SHUT_WR);
    CHECK(hear(fd, got, sizeof(got) - 1) > 0);
    CHECK(strstr(got, "Connection: close\r\n\r\nlate\n"));
    (void)close(fd);
    fd = dial(&f);
    CHECK(say(fd, text, sizeof(text) - 1));
    expect_told(&f, 'w', 1);
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 },
                     sizeof(struct linger));
    (void)close(fd); /* resets the connection */
    expect_told(&f, 'g', 1);
}

/* A child holds the socket open, as between fork and exec. */
static void test_gone_while_forked(void)
{
    static const char text[] = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";
    int fd = dial(&f), ends[2];
    pid_t child;
    char *got;

    CHECK(say(fd, text, sizeof(text) - 1) && pipe(ends) == 0);
    expect_told(&f, 'w', 1);
    child = fork();
    if (child == 0) {
        (void)close(ends[1]);
        _exit(read(ends[0], &ends[1], 1) != 0);
    }
    (void)shutdown(fd, SHUT_RDWR);
    expect_told(&f, 'g', 1);
    for (int i = 0; i < 3; i++) {
        got = ask(&f, "GET /hello HTTP/1.1\r\n" CLOSE);
        CHECK(strstr(got, "hello\n"));
        free(got);
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    CHECK(waitpid(child, NULL, 0) == child);
    (void)close(fd);
}

/* A client that has half-closed gets an immediate response. */
static void test_half_closed(void)
{
    static const char text[] = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
                               "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
    char got[2000];
    int fd = dial(&f);

    CHECK(say(fd, text, sizeof(text) - 1));
    (void)shutdown(fd, SHUT_WR);
    CHECK(hear(fd, got, sizeof(got) - 1) > 0);
    CHECK_INT(count(got, "hello\n"), 2);
    (void)close(fd);
}

static void test_continue(void)
{
    static const char head[] = "POST /echo HTTP/1.1\r\nContent-Length: 2\r\n"
                               "Expect: 100-continue\r\n" CLOSE;
    char got[2000];
    int fd = dial(&f);

    CHECK(say(fd, head, sizeof(head) - 1));
    CHECK_INT(hear(fd, got, 25), 25);
    CHECK_STR(got, "HTTP/1.1 100 Continue\r\n\r\n");
    CHECK(say(fd, "ok", 2));
    CHECK(hear(fd, got, sizeof(got) - 1) > 0);
    CHECK(strstr(got, "\r\n\r\nok"));
    (void)close(fd);
}

int main(void)
{
    static const struct cp_http_limits limits = CP_HTTP_DEFAULT_LIMITS;

    fixture_start(&f, &limits);
    RUN(test_answer);
    RUN(test_date);
    RUN(test_head);
    RUN(test_statuses);
    RUN(test_bodies);
    RUN(test_pipelined);
    RUN(test_slow_but_alive);
    RUN(test_old_http);
    RUN(test_later);
    RUN(test_big);
    RUN(test_stream);
    RUN(test_gone);
    RUN(test_hurried);
    RUN(test_gone_while_forked);
    RUN(test_half_closed);
    RUN(test_continue);
    fixture_stop(&f);
    return check_failures != 0;
}
