/*
 * token_gate - lets in clients that know the token of the endpoint.
 *
 * A program sends the token with each request, as a bearer. A browser is shown
 * a form; what is typed there is exchanged for a cookie, which the browser
 * sends from then on. The cookie is a random number of this endpoint and not
 * the token: browsers send cookies to all ports of a host, so another server
 * there sees it.
 *
 * Context: the endpoint's thread. Locking: none.
 */
#ifndef CP_TOKEN_GATE_H
#define CP_TOKEN_GATE_H

#include <stdbool.h>

#include "http/token.h"

struct cp_http_exchange;

struct cp_token_gate {
    char token[CP_HTTP_TOKEN_BYTES]; /* "": everybody is let in */
    char session[33]; /* value of the cookie; "": there is none */
};

/* Takes the token, which is valid or "". */
void cp_token_gate_init(struct cp_token_gate *g, const char *token);

/* Whether the request may pass. If not, it is answered. */
bool cp_token_gate_allows(const struct cp_token_gate *g,
                          struct cp_http_exchange *x);

#endif
