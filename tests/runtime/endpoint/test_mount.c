/* test_mount.c - responses for a program with its own HTTP server. */
#include "base/out.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/endpoint/mount.h"
#include "runtime/kind/kind.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

#define ANSWER_BYTES 65536

static const struct cp_endpoint_options options;

/* Sends a request; returns the response from a pipe, to free(). */
static char *ask(const struct cp_mount_request *r, enum cp_status want)
{
    char *got = calloc(1, ANSWER_BYTES + 1);
    struct cp_error err = { 0 };
    int fds[2];
    ssize_t n = 0;

    if (!CHECK(pipe(fds) == 0))
        return got;
    CHECK_INT(cp_mount_answer(&options, r, fds[1], &err), want);
    (void)close(fds[1]);
    if (want == CP_OK)
        n = read(fds[0], got, ANSWER_BYTES);
    CHECK(n >= 0);
    (void)close(fds[0]);
    return got;
}

static void test_answers(void)
{
    struct cp_mount_request r = { "GET", "/debug/pprof/heap?debug=1", NULL, 0,
                                  false };
    char *got = ask(&r, CP_OK);

    CHECK(strncmp(got, "HTTP/1.1 200 OK\r\n", 17) == 0);
    CHECK(strstr(got, "Connection: close\r\n"));
    CHECK(strstr(got, "\r\n\r\nheap profile: 0: 0 [0: 1] @ heap/1048576\n"));
    free(got);
    r.target = "/debug/pprof/wall?seconds=0.01";
    got = ask(&r, CP_OK);
    CHECK(strstr(got, "filename=\"wall\"\r\n"));
    CHECK(strstr(got, "\r\n\r\n\x1f\x8b"));
    free(got);
    r.target = "/debug/pprof/nosuch";
    got = ask(&r, CP_OK);
    CHECK(strncmp(got, "HTTP/1.1 404 Not Found\r\n", 24) == 0);
    free(got);
}

/* A body larger than a socket buffer. */
static void test_body(void)
{
    size_t len = 900000;
    char *body = malloc(len), *got;
    struct cp_mount_request r = { "POST", "/debug/pprof/symbol", body, len,
                                  false };

    memset(body, '+', len);
    got = ask(&r, CP_OK);
    CHECK(strstr(got, "\r\n\r\nnum_symbols: 1\n"));
    free(got);
    free(body);
}

static void test_refused(void)
{
    static const char *const targets[] = { "", "/a b", "/x\r\nEvil: 1",
                                           "/x\n" };
    struct cp_mount_request r = { "GET", "", NULL, 0, false };

    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        r.target = targets[i];
        free(ask(&r, CP_EUSAGE));
    }
    r = (struct cp_mount_request){ "GET /x HTTP/1.1\r\n", "/", NULL, 0, false };
    free(ask(&r, CP_EUSAGE));
}

/* The client disconnects during a profile of one hour. */
static void test_gone(void)
{
    struct cp_mount_request r = { "GET", "/debug/pprof/profile?seconds=3600",
                                  NULL, 0, false };
    struct cp_error err = { 0 };
    int fds[2];

    if (!CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0))
        return;
    (void)close(fds[1]);
    CHECK_INT(cp_mount_answer(&options, &r, fds[0], &err), CP_EIO);
    CHECK_STR(err.msg, "cannot answer: the client has disconnected");
    (void)close(fds[0]);
}

/* In memory: never in chunks, with and without a client socket. */
static void test_collect(void)
{
    struct cp_mount_request r = { "GET", "/debug/pprof/cmdline", NULL, 0,
                                  false };
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    int fds[2];

    CHECK_INT(cp_mount_collect(&options, &r, -1, &out, &err), CP_OK);
    cp_out_char(&out, '\0');
    CHECK(strncmp(out.buf, "HTTP/1.1 200 OK\r\n", 17) == 0);
    CHECK(strstr(out.buf, "\r\n\r\n"));
    CHECK(!strstr(out.buf, "chunked"));
    cp_out_release(&out);
    if (!CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0))
        return;
    (void)close(fds[1]);
    r.target = "/debug/pprof/profile?seconds=3600";
    out = (struct cp_out){ .fd = -1 };
    CHECK_INT(cp_mount_collect(&options, &r, fds[0], &out, &err), CP_EIO);
    cp_out_release(&out);
    (void)close(fds[0]);
}

/* The value that the setting of the test kind received. */
static uint64_t was_set;

static enum cp_status set_it(uint64_t value, struct cp_error *err)
{
    (void)err;
    was_set = value;
    return CP_OK;
}

static const struct cp_kind *late_kind(size_t i)
{
    static const struct cp_kind kind = { .name = "late",
                                         .summary = "came later",
                                         .setting = "rate",
                                         .set = set_it };

    return i == 0 ? &kind : NULL;
}

/* Kinds added later are served; only may_change allows setting rates. */
static void test_changes(void)
{
    struct cp_endpoint_options more = { .more_kinds = late_kind };
    struct cp_mount_request r = { "POST", "/debug/pprof/late?rate=7", NULL, 0,
                                  false };
    struct cp_error err = { 0 };
    struct cp_out out = { .fd = -1 };

    CHECK_INT(cp_mount_collect(&more, &r, -1, &out, &err), CP_OK);
    CHECK(strncmp(out.buf, "HTTP/1.1 403 ", 13) == 0);
    CHECK_INT(was_set, 0);
    cp_out_release(&out);
    out = (struct cp_out){ .fd = -1 };
    r.may_change = true;
    CHECK_INT(cp_mount_collect(&more, &r, -1, &out, &err), CP_OK);
    CHECK(strncmp(out.buf, "HTTP/1.1 200 ", 13) == 0);
    CHECK_INT(was_set, 7);
    cp_out_release(&out);
}

int main(void)
{
    RUN(test_answers);
    RUN(test_body);
    RUN(test_refused);
    RUN(test_gone);
    RUN(test_collect);
    RUN(test_changes);
    return check_failures != 0;
}
