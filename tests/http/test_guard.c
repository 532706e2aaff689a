/* test_guard.c - which requests a server on loopback accepts. */
#include "http/guard.h"
#include "http/limits.h"
#include "http/request.h"

#include "check.h"

#define BROWSER "User-Agent: Mozilla/5.0\r\n"

static const struct {
    const char *name, *headers;
    bool is_allowed;
} rows[] = {
    { "curl", "Host: localhost:6060\r\nUser-Agent: curl/8\r\n", true },
    { "curl by any name", "Host: evil.example\r\nUser-Agent: curl/8\r\n",
      true },
    { "go", "Host: box.example:6060\r\nUser-Agent: Go-http-client/1.1\r\n",
      true },
    { "browser, localhost", "Host: localhost:6060\r\n" BROWSER, true },
    { "browser, address", "Host: 127.0.0.1:6060\r\n" BROWSER, true },
    { "browser, IPv6", "Host: [::1]:6060\r\n" BROWSER, true },
    { "browser, short name", "Host: box:6060\r\n" BROWSER, false },
    { "browser, a.localhost", "Host: a.localhost\r\n" BROWSER, true },
    { "browser, .internal", "Host: a.internal\r\n" BROWSER, false },
    { "browser, .local", "Host: evil.local:6060\r\n" BROWSER, false },
    { "browser, LOCALHOST", "Host: LocalHost:6060\r\n" BROWSER, true },
    { "browser, nothing", "Host: \r\n" BROWSER, false },
    { "browser, rebound", "Host: evil.example:6060\r\n" BROWSER, false },
    { "rebound, agent hidden",
      "Host: evil.example\r\nUser-Agent: x\r\nAccept-Language: en\r\n", false },
    { "like an address", "Host: 127.0.0.1.evil.example\r\n" BROWSER, false },
    { "like localhost", "Host: localhost.evil.example\r\n" BROWSER, false },
    { "a name like local", "Host: evillocal.example\r\n" BROWSER, false },
    { "other page loads",
      "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"
      "Sec-Fetch-Mode: no-cors\r\n" BROWSER,
      false },
    { "other page links",
      "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"
      "Sec-Fetch-Mode: navigate\r\n" BROWSER,
      true },
    { "own page loads",
      "Host: localhost\r\nSec-Fetch-Site: same-origin\r\n"
      "Sec-Fetch-Mode: cors\r\n" BROWSER,
      true },
};

int main(void)
{
    static const struct cp_http_limits limits = CP_HTTP_DEFAULT_LIMITS;
    struct cp_http_request r = { 0 };
    char text[500];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_case(rows[i].name);
        (void)snprintf(text, sizeof(text), "GET / HTTP/1.1\r\n%s\r\n",
                       rows[i].headers);
        cp_http_request_reset(&r, &limits);
        (void)cp_http_request_feed(&r, text, strlen(text));
        CHECK(r.is_complete);
        CHECK_INT(cp_http_guard_allows(&r), rows[i].is_allowed);
    }
    cp_http_request_release(&r);
    return check_failures != 0;
}
