/* token_gate.c - checks bearer tokens and cookies, and serves the form. */
#include "runtime/endpoint/token_gate.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/hex.h"
#include "base/out.h"
#include "http/exchange.h"
#include "http/request.h"

#define ROOT "/debug/pprof/"
#define COOKIE "cpprof_session"

static const char form[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>pprof: token</title>\n</head>\n<body>\n"
    "<h1>This endpoint needs a token</h1>\n"
    "<form method=\"post\" action=\"" ROOT "\">\n"
    "<p><label>Token <input type=\"password\" name=\"token\" "
    "autocomplete=\"off\" autofocus required></label>\n"
    "<button>Open</button></p>\n</form>\n"
    "<p>It is the value of PPROFTOKEN in the environment of the program. "
    "Programs send it as <code>Authorization: Bearer TOKEN</code>; "
    "<code>pprof</code> and <code>cpprof</code> take it from their own "
    "PPROFTOKEN.</p>\n"
    "<p>This page is not encrypted. From another machine, come through ssh or "
    "a proxy with TLS.</p>\n</body>\n</html>\n";

void cp_token_gate_init(struct cp_token_gate *g, const char *token)
{
    unsigned char bytes[16];

    CP_ASSERT(strlen(token) < sizeof(g->token));
    CP_ASSERT(!*token || cp_http_token_is_valid(token));
    *g = (struct cp_token_gate){ 0 };
    (void)snprintf(g->token, sizeof(g->token), "%s", token);
    if (*token && getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) ==
                      (ssize_t)sizeof(bytes))
        cp_hex_text(bytes, sizeof(bytes), g->session);
}

/* Whether a cookie of the request has the value of this session. */
static bool has_cookie(const struct cp_token_gate *g,
                       const struct cp_http_request *r)
{
    const char *at = cp_http_request_header(r, "Cookie");
    const size_t name = sizeof(COOKIE) - 1, len = sizeof(g->session) - 1;
    char value[sizeof(g->session)];

    while (at && *at) {
        at += strspn(at, "; ");
        if (strncmp(at, COOKIE "=", name + 1) == 0 &&
            strcspn(at + name + 1, ";") == len) {
            (void)snprintf(value, sizeof(value), "%s", at + name + 1);
            if (*g->session && cp_http_token_is(g->session, value))
                return true;
        }
        at += strcspn(at, ";");
    }
    return false;
}

static bool has_token(const struct cp_token_gate *g,
                      const struct cp_http_request *r)
{
    const char *given = cp_http_request_header(r, "Authorization");

    if (!given || strncasecmp(given, "Bearer ", 7) != 0)
        return false;
    return cp_http_token_is(g->token, given + 7 + strspn(given + 7, " "));
}

/* Sends status 401: a form for browsers, one line for other clients. */
static void challenge(struct cp_http_exchange *x)
{
    const char *accepted =
        cp_http_request_header(cp_http_request_of(x), "Accept");
    struct cp_out page = { .fd = -1 };

    cp_http_add_header(x, "WWW-Authenticate", "Bearer");
    cp_http_add_header(x, "Cache-Control", "no-store");
    if (!accepted || !strstr(accepted, "text/html")) {
        cp_http_answer_text(
            x, 401,
            "this endpoint needs a token: set PPROFTOKEN, or send "
            "Authorization: Bearer TOKEN\n");
        return;
    }
    cp_http_set_policy(x, "default-src 'none'; base-uri 'none'; form-action "
                          "'self'; frame-ancestors 'none'");
    cp_http_add_header(x, "Content-Type", "text/html; charset=utf-8");
    cp_out_cstr(&page, form);
    cp_http_answer(x, 401, &page);
}

/* Whether this is the POST of the form, from the same site. */
static bool is_login(const struct cp_token_gate *g,
                     const struct cp_http_request *r)
{
    const char *site = cp_http_request_header(r, "Sec-Fetch-Site");
    char given[CP_HTTP_TOKEN_BYTES + 1];

    return *g->session && cp_http_request_is(r, "POST") &&
           strcmp(cp_http_request_path(r), ROOT) == 0 &&
           (!site || strcmp(site, "same-origin") == 0) &&
           cp_http_request_form(r, "token", given, sizeof(given)) &&
           cp_http_token_is(g->token, given);
}

static void start_session(const struct cp_token_gate *g,
                          struct cp_http_exchange *x)
{
    char cookie[128];

    CP_ASSERT(*g->session);
    (void)snprintf(cookie, sizeof(cookie),
                   COOKIE "=%s; Path=/; HttpOnly; SameSite=Strict", g->session);
    cp_http_add_header(x, "Set-Cookie", cookie);
    cp_http_add_header(x, "Cache-Control", "no-store");
    cp_http_add_header(x, "Location", ROOT);
    cp_http_answer(x, 303, NULL);
}

bool cp_token_gate_allows(const struct cp_token_gate *g,
                          struct cp_http_exchange *x)
{
    const struct cp_http_request *r = cp_http_request_of(x);

    if (!*g->token || has_token(g, r) || has_cookie(g, r))
        return true;
    if (is_login(g, r))
        start_session(g, x);
    else
        challenge(x);
    return false;
}
