/*
 * fetch - profiles, symbols and debug files over HTTP, several at a time.
 */
#ifndef CP_FETCH_H
#define CP_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/warn.h"

/* What the options say about fetching. */
struct cp_fetch_options {
    int seconds, timeout; /* 0 and less: not given */
    const char *tls_cert, *tls_key, *tls_ca;
};

/* One address and what came of it. */
struct cp_fetch {
    const char *name;
    void *owner;      /* the caller's */
    const char *what; /* is fetched; NULL for "profile", "" to say nothing */
    const char *post; /* what to send, or NULL to get */
    size_t post_len;
    bool is_named; /* by the user, so that its server gets the token */
    int fd;        /* where the body goes, of any length; 0: into body */
    struct cp_bytes body;
    struct cp_error err; /* CP_OK when the body is there */
    long http_status;    /* of the answer; 0: there was none */
};

/* Whom to tell. */
struct cp_fetch_events {
    cp_warn warn;
    /* These have ended, with or without a body; more may be under way. May
     * be NULL. */
    void (*arrived)(void *context, struct cp_fetch *const *list, size_t n);
    void *context;
};

/*
 * Fetches all, at the same time. On a terminal a line shows how long it may
 * still take. Ctrl-C asks the servers for what they have by then, a second
 * one gives up on those that have not answered; what has come stays.
 */
void cp_fetch_all(struct cp_fetch *list, size_t n,
                  const struct cp_fetch_options *o,
                  const struct cp_fetch_events *events);

#endif
