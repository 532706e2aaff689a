/*
 * token - the secret that a client sends as "Authorization: Bearer TOKEN".
 *
 * It is in the environment variable PPROFTOKEN, of the program that serves and
 * of the tool that asks. Letters, digits and -._~+/= (RFC 6750), so that it can
 * stand in a header and in a form as it is.
 */
#ifndef CP_HTTP_TOKEN_H
#define CP_HTTP_TOKEN_H

#include <stdbool.h>

struct cp_http_address;

#define CP_HTTP_TOKEN_VARIABLE "PPROFTOKEN"
#define CP_HTTP_TOKEN_BYTES 257 /* at most, with the NUL */

/* Whether it has the letters and the length of one. */
bool cp_http_token_is_valid(const char *token);

/*
 * Whether the two are equal, in a time that depends on neither. `token` is
 * valid; `given` may be anything, or NULL.
 */
bool cp_http_token_is(const char *token, const char *given);

/*
 * The variable, if it is a token and a server at that address may be told:
 * one on this machine. Else NULL.
 */
const char *cp_http_token_for(const struct cp_http_address *to);

#endif
