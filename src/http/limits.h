/*
 * limits - how much a client may ask of the server.
 *
 * All of them in one place, for the server's owner to choose.
 */
#ifndef CP_HTTP_LIMITS_H
#define CP_HTTP_LIMITS_H

#include <stddef.h>

struct cp_http_limits {
    size_t header_bytes;  /* of the request line and all headers; else 431 */
    size_t n_headers;     /* number of headers; else 431 */
    size_t body_bytes;    /* of a request's body; else 413 */
    size_t n_connections; /* open at once; then the oldest idle one goes */
    size_t input_bytes;   /* requests not yet answered, together */
    size_t output_bytes;  /* answers that wait for slow readers, together */
    int request_ms;       /* from a request's first byte to its last */
    int idle_ms;          /* between requests, and before the first */
    int write_ms;         /* for a reader to take anything at all */
    int linger_ms;        /* to read on after an answer that refuses */
};

/* Limits that suit a server of profiles. */
#define CP_HTTP_DEFAULT_LIMITS                                                 \
    {                                                                          \
        .header_bytes = 16 << 10, .n_headers = 100, .body_bytes = 1 << 20,     \
        .n_connections = 1000, .input_bytes = (size_t)16 << 20,                \
        .output_bytes = (size_t)64 << 20, .request_ms = 20000,                 \
        .idle_ms = 60000, .write_ms = 30000, .linger_ms = 1000                 \
    }

#endif
