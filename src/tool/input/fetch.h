/*
 * fetch - downloads profiles, symbols and debug files over HTTP, in parallel.
 */
#ifndef CP_FETCH_H
#define CP_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/warn.h"

/* Command-line options for fetching. */
struct cp_fetch_options {
    int seconds, timeout; /* 0 or less if not given */
    const char *tls_cert, *tls_key, *tls_ca;
};

/* One request and its result. */
struct cp_fetch {
    const char *name;
    void *owner;      /* owned by the caller */
    const char *what; /* noun for messages; NULL means "profile", "" silent */
    const char *post; /* body of a POST, or NULL for GET */
    size_t post_len;
    bool is_named; /* whether the user named it: its server gets the token */
    int fd;        /* receives a body of any length; 0 stores it in body */
    struct cp_bytes body;
    struct cp_error err; /* CP_OK if the body is complete */
    long http_status;    /* status of the reply; 0 if there was none */
};

/* Callbacks during a fetch. */
struct cp_fetch_events {
    cp_warn warn;
    /*
     * Called when requests have ended, with or without a body, while others may
     * still run. May be NULL.
     */
    void (*arrived)(void *context, struct cp_fetch *const *list, size_t n);
    void *context;
};

/*
 * Fetches all requests in parallel. A terminal shows a progress line. The first
 * Ctrl-C requests the data collected so far; the second cancels the requests
 * without a reply. Completed bodies stay.
 */
void cp_fetch_all(struct cp_fetch *list, size_t n,
                  const struct cp_fetch_options *o,
                  const struct cp_fetch_events *events);

#endif
