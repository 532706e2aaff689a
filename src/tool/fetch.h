/*
 * fetch - profiles, symbols and debug files over HTTP.
 */
#ifndef CP_FETCH_H
#define CP_FETCH_H

#include "base/bytes.h"
#include "tool/command.h"
#include "tool/run.h"

/* What the options say about fetching. */
struct cp_fetch_options {
    int seconds, timeout; /* 0 and less: not given */
    const char *tls_cert, *tls_key, *tls_ca;
};

/* One address and what came of it. */
struct cp_fetch {
    const char *name;
    const char *what; /* is fetched; NULL for "profile", "" to say nothing */
    const char *post; /* what to send, or NULL to get */
    size_t post_len;
    int fd; /* where the body goes, of any length; 0: into body */
    struct cp_bytes body;
    struct cp_error err; /* CP_OK when the body is there */
};

/*
 * Fetches all, at the same time. On a terminal a line shows how long it may
 * still take. Ctrl-C ends the waiting; what is there by then stays.
 */
void cp_fetch_all(struct cp_fetch *list, size_t n,
                  const struct cp_fetch_options *o, cp_warn warn,
                  void *context);

#endif
