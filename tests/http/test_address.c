/* test_address.c - parsing listen addresses, and binding to them. */
#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void test_forms(void)
{
    static const struct {
        const char *text, *want;
        bool is_loopback;
    } rows[] = {
        { "6060", "127.0.0.1:6060", true },
        { "localhost:6060", "127.0.0.1:6060", true },
        { "LOCALHOST:0", "127.0.0.1:0", true },
        { ":6060", "127.0.0.1:6060", true },
        { "*:6060", "[::]:6060", false },
        { "0.0.0.0:1", "0.0.0.0:1", false },
        { "127.9.9.9:1", "127.9.9.9:1", true },
        { "10.1.2.3:65535", "10.1.2.3:65535", false },
        { "[::1]:80", "[::1]:80", true },
        { "[fe80::1]:80", "[fe80::1]:80", false },
        { "unix:/tmp/x.sock", "unix:/tmp/x.sock", true },
        { "unix:rel.sock", "unix:rel.sock", true },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cp_http_address a;
        struct cp_error err = { 0 };
        char text[CP_HTTP_ADDRESS_BYTES] = "";

        check_case(rows[i].text);
        if (CHECK_INT(cp_http_address_parse(&a, rows[i].text, &err), CP_OK)) {
            cp_http_address_text(&a, text);
            CHECK_STR(text, rows[i].want);
            CHECK_INT(a.is_loopback, rows[i].is_loopback);
        }
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        { "", "\"\" is not host:port, port or unix:/path" },
        { "65536", "\"65536\" is not host:port, port or unix:/path" },
        { "localhost:", "\"localhost:\" is not host:port, port or unix:/path" },
        { "localhost:1x",
          "\"localhost:1x\" is not host:port, port or unix:/path" },
        { "::1:80", "\"::1:80\" is not host:port, port or unix:/path" },
        { "no-such-host.invalid:80",
          "cannot listen on \"no-such-host.invalid\": neither an address nor a "
          "name in /etc/hosts" },
        { "unix:", "no path after unix:; use unix:/PATH" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cp_http_address a;
        struct cp_error err = { 0 };

        check_case(rows[i].text);
        CHECK_INT(cp_http_address_parse(&a, rows[i].text, &err), CP_EUSAGE);
        CHECK_STR(err.msg, rows[i].why);
    }
}

static void test_pid(void)
{
    struct cp_http_address a;
    char want[100], text[CP_HTTP_ADDRESS_BYTES], path[300];

    CHECK_INT(cp_http_address_parse(&a, "unix:/run/{pid}/{pid}.s", NULL),
              CP_OK);
    cp_http_address_text(&a, text);
    (void)snprintf(want, sizeof(want), "unix:/run/%ld/%ld.s", (long)getpid(),
                   (long)getpid());
    CHECK_STR(text, want);
    (void)snprintf(path, sizeof(path), "unix:/%0200d", 1);
    CHECK_INT(cp_http_address_parse(&a, path, NULL), CP_EUSAGE);
}

static void test_tcp(void)
{
    struct cp_http_address a, b;
    struct cp_error err = { 0 };
    char text[CP_HTTP_ADDRESS_BYTES], want[300];
    int fd = -1, second = -1;

    CHECK_INT(cp_http_address_parse(&a, "localhost:0", &err), CP_OK);
    if (!CHECK_INT(cp_http_address_listen(&a, &fd, &err), CP_OK))
        return;
    CHECK(((struct sockaddr_in *)&a.socket)->sin_port != 0);
    b = a;
    CHECK_INT(cp_http_address_listen(&b, &second, &err), CP_EIO);
    cp_http_address_text(&a, text);
    (void)snprintf(want, sizeof(want),
                   "cannot listen on %s: address already in use", text);
    CHECK_STR(err.msg, want);
    CHECK_INT(second, -1);
    (void)close(fd);
}

static void test_unix(void)
{
    struct cp_http_address a;
    struct cp_error err = { 0 };
    char path[100], text[120];
    struct stat st;
    int fd = -1, second = -1;
    mode_t mask = umask(0);

    (void)snprintf(path, sizeof(path), "/tmp/cp-test-{pid}.sock");
    (void)snprintf(text, sizeof(text), "unix:%s", path);
    (void)snprintf(path, sizeof(path), "/tmp/cp-test-%ld.sock", (long)getpid());
    CHECK_INT(cp_http_address_parse(&a, text, &err), CP_OK);
    CHECK_INT(cp_http_address_listen(&a, &fd, &err), CP_OK);
    CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    CHECK_INT(cp_http_address_listen(&a, &second, &err), CP_EIO);
    (void)close(fd); /* leaves the file without a listener */
    CHECK_INT(cp_http_address_listen(&a, &second, &err), CP_OK);
    (void)close(second);
    (void)unlink(path);
    (void)umask(mask);
}

int main(void)
{
    test_forms();
    test_refused();
    RUN(test_pid);
    RUN(test_tcp);
    RUN(test_unix);
    return check_failures != 0;
}
