/* test_client.c - endless responses, addresses, and many connections at once.
 */
#include "http/client.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#define TIMEOUT_MS 200

/* ---- a server that sends one text, then bytes until the client closes ---- */

struct peer {
    struct cp_http_address address;
    int listen_fd;
    const char *text;
    bool is_endless, is_slow;
    pthread_t thread;
};

static void *serve(void *context)
{
    const struct peer *p = context;
    static const char more[65536];
    char request[1024];
    int fd = accept(p->listen_fd, NULL, NULL);
    ssize_t n = recv(fd, request, sizeof(request), 0);

    if (n > 0)
        n = send(fd, p->text, strlen(p->text), MSG_NOSIGNAL);
    while (n > 0 && p->is_endless) {
        n = send(fd, more, p->is_slow ? 1 : sizeof(more), MSG_NOSIGNAL);
        if (p->is_slow)
            (void)usleep(1000);
    }
    (void)close(fd);
    return NULL;
}

static bool open_peer(struct peer *p)
{
    struct cp_http_address a;

    if (cp_http_address_parse(&a, "localhost:0", NULL) != CP_OK ||
        cp_http_address_listen(&a, &p->listen_fd, NULL) != CP_OK)
        return false;
    (void)fcntl(p->listen_fd, F_SETFL, 0);
    p->address = a;
    return pthread_create(&p->thread, NULL, serve, p) == 0;
}

static enum cp_status ask(struct peer *p, uint64_t max_bytes, off_t *written,
                          struct cp_error *err)
{
    int fd = memfd_create("answer", MFD_CLOEXEC);
    struct cp_http_client_request q = { .method = "GET",
                                        .target = "/",
                                        .timeout_ms = TIMEOUT_MS,
                                        .max_bytes = max_bytes,
                                        .out_fd = fd };
    struct cp_http_reply reply;
    enum cp_status status = CP_ENOMEM;

    if (open_peer(p)) {
        status = cp_http_client_send(&p->address, &q, &reply, err);
        (void)pthread_join(p->thread, NULL);
        (void)close(p->listen_fd);
    }
    *written = lseek(fd, 0, SEEK_END);
    (void)close(fd);
    return status;
}

#define OK "HTTP/1.1 200 OK\r\n"

static void test_answers(void)
{
    static const struct {
        const char *name, *text;
        bool is_endless, is_slow;
        uint64_t max_bytes;
        enum cp_status status;
        const char *msg;
    } rows[] = {
        { "short", OK "Content-Length: 3\r\n\r\nabc", false, false, 0, CP_OK,
          "" },
        { "what follows is dropped", OK "Content-Length: 3\r\n\r\nabc", true,
          false, 0, CP_OK, "" },
        { "long", OK "Content-Length: 99999999999\r\n\r\n", true, false,
          1 << 20, CP_EFORMAT, "more than the limit" },
        { "endless", OK "Content-Length: 999999999999999\r\n\r\n", true, false,
          (uint64_t)1 << 60, CP_EIO, "within the time limit" },
        { "slow", OK "Content-Length: 1000000\r\n\r\n", true, true, 1 << 20,
          CP_EIO, "within the time limit" },
        { "slow head", OK "X: ", true, true, 0, CP_EIO,
          "within the time limit" },
        { "endless head", OK "X: ", true, false, 0, CP_EFORMAT, "header" },
        { "no length", OK "\r\n", true, false, 0, CP_EFORMAT,
          "Content-Length" },
        { "a negative length", OK "Content-Length: -1\r\n\r\n", true, false, 0,
          CP_EFORMAT, "Content-Length" },
        { "a length and more", OK "Content-Length: 3x\r\n\r\n", true, false, 0,
          CP_EFORMAT, "Content-Length" },
        { "no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", false, false, 0, CP_EFORMAT,
          "not speak HTTP" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct peer p = { .text = rows[i].text,
                          .is_endless = rows[i].is_endless,
                          .is_slow = rows[i].is_slow };
        struct cp_error err = { 0 };
        off_t written;

        check_case(rows[i].name);
        CHECK_INT(ask(&p, rows[i].max_bytes, &written, &err), rows[i].status);
        CHECK(strstr(err.msg, rows[i].msg));
        CHECK(rows[i].status != CP_OK || written == 3);
    }
}

static void test_addresses(void)
{
    static const struct {
        const char *text;
        bool is_good;
    } rows[] = {
        { "http://127.0.0.1:6060/debug/pprof/", true },
        { "http://[::1]:6060/debug/pprof/", true },
        { "http://[::]:1/debug/pprof/", true },
        { "http://10.1.2.3:65535/debug/pprof/", true },
        { "unix:/run/app.sock", true },
        { "unix:/run/caf\303\251.sock", true },
        { "", false },
        { "--renderer-cmd-prefix=/tmp/evil.sh", false },
        { "javascript:alert(1)", false },
        { "file:///etc/passwd", false },
        { "http://localhost:6060/debug/pprof/", false },
        { "http://evil.example:6060/debug/pprof/", false },
        { "http://127.0.0.1:6060/", false },
        { "http://127.0.0.1:06060/debug/pprof/", false },
        { "http://127.0.0.1:6060/debug/pprof/?a=1", false },
        { "http://127.0.0.1:6060/debug/pprof/\033[31m", false },
        { "http://127.0.0.1:6060@evil.example/debug/pprof/", false },
        { "http://user@127.0.0.1:6060/debug/pprof/", false },
        { "http://127.0.0.1:65536/debug/pprof/", false },
        { "https://127.0.0.1:6060/debug/pprof/", false },
        { "http://6060/debug/pprof/", false },
        { "http://0x7f.1:6060/debug/pprof/", false },
        { "unix:rel.sock", false },
        { "unix:/run/\033[31m", false },
        { "unix:/run/\302\23331m", false },
        { "unix:/run/a\342\200\256b", false },
        { "unix:/run/{pid}.sock", false },
        { "UNIX:/run/app.sock", false },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cp_http_address a;

        check_case(rows[i].text);
        CHECK_INT(cp_http_client_parse(&a, rows[i].text, NULL) == CP_OK,
                  rows[i].is_good);
    }
}

/* A bound port that does not listen, so no other process can use it. */
static int open_deaf(struct cp_http_address *a)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(bind(fd, (const struct sockaddr *)&a->socket, a->len) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&a->socket, &a->len) == 0);
    return fd;
}

/* Every second address listens. */
static void test_many(void)
{
    enum { N = 300 };
    static struct cp_http_probe probes[N];
    static int fds[N];

    for (int i = 0; i < N; i++) {
        struct cp_http_probe *p = &probes[i];

        CHECK(cp_http_address_parse(&p->to, "localhost:0", NULL) == CP_OK);
        if (i % 2 == 0)
            CHECK(cp_http_address_listen(&p->to, &fds[i], NULL) == CP_OK);
        else
            fds[i] = open_deaf(&p->to);
    }
    cp_http_client_probe(probes, N, 60000);
    for (int i = 0; i < N; i++) {
        CHECK_INT(probes[i].is_served, i % 2 == 0);
        (void)close(fds[i]);
    }
}

static void test_elsewhere(void)
{
    struct cp_http_probe p = { .owner = CP_HTTP_ANY_OWNER };

    CHECK(cp_http_client_parse(&p.to, "http://192.0.2.1:80/debug/pprof/",
                               NULL) == CP_OK);
    cp_http_client_probe(&p, 1, 60000); /* returns at once: another machine */
    CHECK(!p.is_served);
}

static void test_owner(void)
{
    char path[64];
    struct cp_http_probe p = { .owner = geteuid() };
    int fd = -1;

    (void)snprintf(path, sizeof(path), "unix:/tmp/cpprof-test-%ld",
                   (long)getpid());
    CHECK(cp_http_client_parse(&p.to, path, NULL) == CP_OK);
    CHECK(cp_http_address_listen(&p.to, &fd, NULL) == CP_OK);
    cp_http_client_probe(&p, 1, 60000);
    CHECK(p.is_served);
    p.owner = geteuid() + 1;
    cp_http_client_probe(&p, 1, 60000);
    CHECK(!p.is_served);
    (void)close(fd);
    (void)unlink(path + 5);
}

int main(void)
{
    RUN(test_answers);
    RUN(test_addresses);
    RUN(test_many);
    RUN(test_elsewhere);
    RUN(test_owner);
    return check_failures != 0;
}
