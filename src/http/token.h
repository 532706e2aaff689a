/*
 * token - the secret that a client sends as "Authorization: Bearer TOKEN".
 *
 * Both the profiled program and the tool read it from the environment variable
 * PPROFTOKEN. It consists of letters, digits and -._~+/= (RFC 6750), so headers
 * and forms need no escapes.
 *
 * Context: any thread. Locking: none.
 */
#ifndef CP_HTTP_TOKEN_H
#define CP_HTTP_TOKEN_H

#include <stdbool.h>

struct cp_http_address;

#define CP_HTTP_TOKEN_VARIABLE "PPROFTOKEN"
#define CP_HTTP_TOKEN_BYTES 257 /* bytes of the longest token, with NUL */

/* Whether the string has 1 to 256 of those characters. */
bool cp_http_token_is_valid(const char *token);

/*
 * Whether the two are equal, in constant time. `token` is valid; `given` may be
 * any string or NULL.
 */
bool cp_http_token_is(const char *token, const char *given);

/*
 * Returns the token of the environment if the server is on this machine, or
 * NULL otherwise. A token must not leave the machine unencrypted.
 */
const char *cp_http_token_for(const struct cp_http_address *to);

#endif
