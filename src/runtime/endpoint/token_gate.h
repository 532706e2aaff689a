/*
 * token_gate - admits clients that present the token of the endpoint.
 *
 * A program sends the token with each request (Authorization: Bearer). A
 * browser gets a form, and exchanges the token for a session cookie. The cookie
 * is a random number and not the token, because browsers send cookies to every
 * port of a host, where other servers can read them.
 *
 * Context: the endpoint thread.
 * Locking: none.
 * Failure: without random numbers there is no cookie, but the bearer token
 * still works.
 */
#ifndef CP_TOKEN_GATE_H
#define CP_TOKEN_GATE_H

#include <stdbool.h>

#include "http/token.h"

struct cp_http_exchange;

struct cp_token_gate {
    char token[CP_HTTP_TOKEN_BYTES]; /* "" means every client is admitted */
    char session[33];                /* value of the cookie; "" if none */
};

/* Copies the token, which is valid (http/token.h) or "". */
void cp_token_gate_init(struct cp_token_gate *g, const char *token);

/*
 * Whether the request may proceed. If not, it has been answered with an error.
 */
bool cp_token_gate_allows(const struct cp_token_gate *g,
                          struct cp_http_exchange *x);

#endif
