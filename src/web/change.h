/*
 * change - the only requests to pprof -http that change state.
 *
 * Each is a POST with the page's token in a custom header. A page of another
 * site can neither read the token nor send that header.
 */
#ifndef CP_WEB_CHANGE_H
#define CP_WEB_CHANGE_H

struct cp_http_exchange;
struct cp_options;
struct cp_web_jobs;

#define CP_WEB_TOKEN_BYTES 33

struct cp_web_changer {
    const char *token;               /* "" if changes are not allowed */
    struct cp_web_jobs *take_jobs;   /* NULL if there is no running program */
    const struct cp_options *report; /* options to save beside the page's own */
};

/* Generates a random token; "" if the system has no random bytes. */
void cp_web_token(char out[CP_WEB_TOKEN_BYTES]);

/* Handles a POST. */
void cp_web_change(const struct cp_web_changer *c, struct cp_http_exchange *x);

#endif
