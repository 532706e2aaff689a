/*
 * limits - bounds on the memory and time that clients can cost a server.
 */
#ifndef CP_HTTP_LIMITS_H
#define CP_HTTP_LIMITS_H

#include <stddef.h>

struct cp_http_limits {
    size_t header_bytes;  /* request line and headers; more gets 431 */
    size_t n_headers;     /* per request; more gets 431 */
    size_t body_bytes;    /* per request; more gets 413 */
    size_t n_connections; /* beyond, the oldest idle one is closed */
    size_t input_bytes;   /* bytes of all requests that have no response yet */
    size_t output_bytes;  /* bytes of all responses to slow readers */
    int request_timeout_ms; /* maximum from first to last byte of a request */
    int idle_timeout_ms;    /* maximum without a byte of a request */
    int write_timeout_ms;   /* maximum without progress of a response */
    int linger_ms;          /* maximum for reading after the last response */
};

/* The limits of the endpoint and of pprof -http. */
#define CP_HTTP_DEFAULT_LIMITS                                                 \
    {                                                                          \
        .header_bytes = 16 << 10, .n_headers = 100, .body_bytes = 1 << 20,     \
        .n_connections = 1000, .input_bytes = (size_t)16 << 20,                \
        .output_bytes = (size_t)64 << 20, .request_timeout_ms = 20000,         \
        .idle_timeout_ms = 60000, .write_timeout_ms = 30000, .linger_ms = 1000 \
    }

#endif
