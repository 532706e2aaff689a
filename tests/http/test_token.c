/* test_token.c - valid tokens, comparison, and which servers get one. */
#include "http/address.h"
#include "http/token.h"

#include <stdlib.h>

#include "check.h"

static void test_valid(void)
{
    static const struct {
        const char *token;
        bool is_valid;
    } rows[] = {
        { "a", true },           { "AZaz09-._~+/=", true }, { "", false },
        { "two words", false },  { "a\r\nb", false },       { "a;b", false },
        { "\"quoted\"", false }, { "\xc3\xa9", false },
    };
    char text[CP_HTTP_TOKEN_BYTES + 1];

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        check_case(rows[i].token);
        CHECK_INT(cp_http_token_is_valid(rows[i].token), rows[i].is_valid);
    }
    memset(text, 'a', sizeof(text));
    text[CP_HTTP_TOKEN_BYTES] = '\0';
    CHECK(!cp_http_token_is_valid(text));
    text[CP_HTTP_TOKEN_BYTES - 1] = '\0';
    CHECK(cp_http_token_is_valid(text));
}

static void test_is(void)
{
    char text[2 * CP_HTTP_TOKEN_BYTES];

    CHECK(cp_http_token_is("token", "token"));
    CHECK(!cp_http_token_is("token", "tokeN"));
    CHECK(!cp_http_token_is("token", "token "));
    CHECK(!cp_http_token_is("token", "toke"));
    CHECK(!cp_http_token_is("token", ""));
    CHECK(!cp_http_token_is("token", NULL));
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    CHECK(!cp_http_token_is("token", text));
}

/* Only servers on this machine get the token. */
static void test_for(void)
{
    static const struct {
        const char *address;
        bool is_told;
    } rows[] = {
        { "127.0.0.1:1", true }, { "[::1]:1", true },
        { "unix:/x", true },     { "0.0.0.0:1", true },
        { "10.0.0.5:1", false }, { "[fe80::1]:1", false },
    };

    CHECK(setenv(CP_HTTP_TOKEN_VARIABLE, "token", 1) == 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct cp_http_address to;

        check_case(rows[i].address);
        CHECK(cp_http_address_parse(&to, rows[i].address, NULL) == CP_OK);
        CHECK_INT(cp_http_token_for(&to) != NULL, rows[i].is_told);
        CHECK(setenv(CP_HTTP_TOKEN_VARIABLE, "no token", 1) == 0);
        CHECK(cp_http_token_for(&to) == NULL);
        CHECK(setenv(CP_HTTP_TOKEN_VARIABLE, "token", 1) == 0);
    }
}

int main(void)
{
    RUN(test_valid);
    RUN(test_is);
    RUN(test_for);
    return check_failures != 0;
}
