/* test_url.c - tests src/tool/cli/url.c. */
#include "base/arena.h"
#include "tool/cli/url.h"

#include <string.h>

#include "check.h"

static const struct {
    const char *name;
    bool is_one;
} names[] = {
    { "http://host/x", true },
    { "https://host", true },
    { "https+insecure://host/x", true },
    { "unix:/run/app.sock", true },
    { "localhost:6060", true },
    { "localhost:6060/debug/pprof/heap", true },
    { "[::1]:80", true },
    { "10.0.0.1:80?seconds=5", true },
    { "profile.pb.gz", false },
    { "dir/profile", false },
    { "foo:bar", false },
    { ":6060", false },
    { "host:", false },
    { "host:123456", false },
    { "file:///x", false },
    { "", false },
};

static void test_is_one(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        check_case(names[i].name);
        CHECK(cp_url_is_url(names[i].name) == names[i].is_one);
    }
}

static const struct {
    const char *name;
    int seconds; /* value of -seconds */
    const char *text, *socket;
    int in_query;
} urls[] = {
    { "host:1", 0, "http://host:1/debug/pprof/profile", NULL, 0 },
    { "http://host:1/", 0, "http://host:1/debug/pprof/profile", NULL, 0 },
    { "host:1?x=1", 0, "http://host:1/debug/pprof/profile?x=1", NULL, 0 },
    { "host:1/?x=1", 0, "http://host:1/debug/pprof/profile?x=1", NULL, 0 },
    { "http://host/heap", 0, "http://host/heap", NULL, 0 },
    { "httpsrv:1/x", 0, "http://httpsrv:1/x", NULL, 0 },
    { "host:1/x?u=http://y", 0, "http://host:1/x?u=http://y", NULL, 0 },
    { "https+insecure://host/x", 0, "https://host/x", NULL, 0 },
    { "http://u:p@host/x", 0, "http://u:p@host/x", NULL, 0 },
    { "host:1", 5, "http://host:1/debug/pprof/profile?seconds=5", NULL, 5 },
    { "host:1/x?seconds=9", 0, "http://host:1/x?seconds=9", NULL, 9 },
    { "host:1/x?seconds=9", 5, "http://host:1/x?seconds=5", NULL, 5 },
    { "host:1/x?a=b&seconds=9&c=d", 5, "http://host:1/x?a=b&seconds=5&c=d",
      NULL, 5 },
    { "host:1/x?myseconds=9", 5, "http://host:1/x?myseconds=9&seconds=5", NULL,
      5 },
    { "unix:/run/a.sock", 0, "http://localhost/debug/pprof/profile",
      "/run/a.sock", 0 },
    { "unix:/run/a.sock:/debug/pprof/heap?gc=1", 0,
      "http://localhost/debug/pprof/heap?gc=1", "/run/a.sock", 0 },
};

static void test_read(void)
{
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        struct cp_arena arena = { 0 };
        struct cp_url u;

        check_case(urls[i].name);
        CHECK(cp_url_read(&u, urls[i].name, urls[i].seconds, &arena, NULL) ==
              CP_OK);
        CHECK_STR(u.text, urls[i].text);
        CHECK((u.socket != NULL) == (urls[i].socket != NULL));
        if (u.socket && urls[i].socket)
            CHECK_STR(u.socket, urls[i].socket);
        CHECK_INT(u.seconds, urls[i].in_query);
        CHECK(u.is_insecure ==
              (strncmp(urls[i].name, "https+insecure", 14) == 0));
        cp_arena_release(&arena);
    }
}

static const struct {
    const char *name, *shown;
} passwords[] = {
    { "http://host/x", "http://host/x" },
    { "http://me:word@host/x", "http://me:xxxxx@host/x" },
    { "https+insecure://me:a:b@c@host/x?y",
      "https+insecure://me:xxxxx@host/x?y" },
    { "me:word@host:80/x", "me:xxxxx@host:80/x" },
    { "http://me@host/x", "http://me@host/x" },
    { "http://host/a:b@c", "http://host/a:b@c" },
    { "http://[::1]:80/x", "http://[::1]:80/x" },
    { "a:b@c.pb.gz", "a:b@c.pb.gz" },
};

static void test_hide(void)
{
    for (size_t i = 0; i < sizeof(passwords) / sizeof(passwords[0]); i++) {
        struct cp_arena arena = { 0 };

        check_case(passwords[i].name);
        CHECK_STR(cp_url_redact(passwords[i].name, &arena), passwords[i].shown);
        cp_arena_release(&arena);
    }
}

static const struct {
    const char *name;
    int expected;
} waits[] = {
    { "host:1", 30 },
    { "http://host/debug/pprof/profile?seconds=5", 5 },
    { "http://host/pprof/profile", 30 },
    { "http://host/debug/pprof/heap", 0 },
    { "http://host/debug/pprof/heap?seconds=7", 7 },
    { "http://host/x?y=/pprof/profile", 0 },
};

static void test_expected(void)
{
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        struct cp_arena arena = { 0 };
        struct cp_url u;

        check_case(waits[i].name);
        CHECK(cp_url_read(&u, waits[i].name, 0, &arena, NULL) == CP_OK);
        CHECK_INT(u.expected, waits[i].expected);
        cp_arena_release(&arena);
    }
}

int main(void)
{
    RUN(test_is_one);
    RUN(test_read);
    RUN(test_hide);
    RUN(test_expected);
    return check_failures != 0;
}
