/*
 * request - one HTTP request, parsed, with its limits kept.
 *
 * Bytes are fed in as they come; http-parser finds the parts, this module
 * keeps them. Nothing is kept beyond the limits. What the accessors return is
 * borrowed until the request is reset.
 */
#ifndef CP_HTTP_REQUEST_H
#define CP_HTTP_REQUEST_H

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_http_limits;

/* A growing piece of text; starts as { 0 }. */
struct cp_http_text {
    char *bytes;
    size_t len, cap;
};

struct cp_http_header {
    uint32_t name, value; /* where they begin in `head`; both end with NUL */
};

/* Zeroed and initialised by cp_http_request_reset; fields are to be read. */
struct cp_http_request {
    http_parser parser;
    const struct cp_http_limits *limits;
    struct cp_http_text head; /* target, then headers, each ended by NUL */
    struct cp_http_text body;
    struct cp_http_header *headers;
    uint32_t n_headers;
    uint32_t path, query; /* where they begin in `head` */
    bool is_value;        /* the last piece of a header was of its value */
    bool has_headers, is_complete;
    bool has_failed; /* out of memory or over a limit: see status */
    int status;      /* the answer to what cannot be served, such as 431 */
};

/* Ready for the next request; memory is given back. limits outlives it. */
void cp_http_request_reset(struct cp_http_request *r,
                           const struct cp_http_limits *limits);
void cp_http_request_release(struct cp_http_request *r);

/*
 * Takes bytes until the request is complete (is_complete), cannot be served
 * (status is not 0) or all are taken; returns how many were taken.
 */
size_t cp_http_request_feed(struct cp_http_request *r, const char *bytes,
                            size_t len);

/* "GET"; and a test for it. */
const char *cp_http_request_method(const struct cp_http_request *r);
bool cp_http_request_is(const struct cp_http_request *r, const char *method);

/* The path, decoded. */
const char *cp_http_request_path(const struct cp_http_request *r);

/* What follows the '?', as it came; "" when there is none. */
const char *cp_http_request_query(const struct cp_http_request *r);

/* The value of a header, by name in any case; NULL when there is none. */
const char *cp_http_request_header(const struct cp_http_request *r,
                                   const char *name);

/*
 * Copies the first value of a query parameter, decoded, to out (cut to cap).
 * False, and "" in out, when it is not there.
 */
bool cp_http_request_param(const struct cp_http_request *r, const char *name,
                           char *out, size_t cap);

/* The same of a form in the body. */
bool cp_http_request_form(const struct cp_http_request *r, const char *name,
                          char *out, size_t cap);

/* Whether the client waits for "100 Continue" before it sends the body. */
bool cp_http_request_expects_continue(const struct cp_http_request *r);

/* Appends; false when memory ran out. */
bool cp_http_text_add(struct cp_http_text *t, const char *bytes, size_t len);
void cp_http_text_release(struct cp_http_text *t);

#endif
