/*
 * change - the only requests to pprof -http that change something.
 *
 * Each is a POST with the token of the page in a header of its own, which a
 * page of another site can neither know nor send.
 */
#ifndef CP_WEB_CHANGE_H
#define CP_WEB_CHANGE_H

struct cp_http_exchange;
struct cp_options;
struct cp_web_jobs;

#define CP_WEB_TOKEN_BYTES 33

struct cp_web_changer {
    const char *token;               /* "" where nothing may be changed */
    struct cp_web_jobs *takers;      /* NULL: no program to ask */
    const struct cp_options *report; /* what is saved with the page's own */
};

/* Makes a token that nobody can guess; "" if the system has no random bytes. */
void cp_web_token(char out[CP_WEB_TOKEN_BYTES]);

/* Answers a POST. */
void cp_web_change(const struct cp_web_changer *c, struct cp_http_exchange *x);

#endif
