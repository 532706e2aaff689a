/*
 * ask - one small HTTP request to a server on this machine.
 *
 * For what the library and the tool ask of an endpoint of ours: to end, to
 * hand on its address, for a profile. Blocks, with a deadline; knows HTTP/1.1
 * with Content-Length, which is what src/http answers. Allocates nothing.
 */
#ifndef CP_HTTP_ASK_H
#define CP_HTTP_ASK_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"
#include "http/address.h"

struct cp_http_question {
    const char *method; /* "GET", "POST" */
    const char *target; /* "/debug/pprof/heap" */
    const char *token;  /* sent as a bearer, see token.h; NULL: none */
    int timeout_ms;     /* for the whole of it */
    int out_fd;         /* gets the body of a 200; -1: nobody does */
    /* Set by a signal handler: ends what takes time, with what there is. */
    const volatile sig_atomic_t *is_hurried;
};

struct cp_http_reply {
    int status;     /* 200, ...; 0: there was no answer */
    char text[512]; /* the beginning of the body, closed by NUL */
};

/* CP_EIO when there was no whole answer; a 404 is one. */
enum cp_status cp_http_ask(const struct cp_http_address *to,
                           const struct cp_http_question *question,
                           struct cp_http_reply *out, struct cp_error *err);

/*
 * The address in "http://127.0.0.1:6060/debug/pprof/" or "unix:/path", as
 * endpoints name themselves.
 */
enum cp_status cp_http_ask_address(struct cp_http_address *out,
                                   const char *text, struct cp_error *err);

/* Does anybody accept connections there? */
bool cp_http_ask_is_served(const struct cp_http_address *to);

#endif
