/*
 * request - parses one HTTP request incrementally, within limits.
 *
 * http-parser splits the bytes into parts; this module stores them. Pointers
 * that the accessors return are valid until the request is reset.
 *
 * Context: the thread of the server. Locking: none.
 * Failure: `status` is the HTTP status to answer with.
 */
#ifndef CP_HTTP_REQUEST_H
#define CP_HTTP_REQUEST_H

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_http_limits;

/* A growing NUL-terminated string. Zero-initialize before use. */
struct cp_http_text {
    char *bytes;
    size_t len, cap;
};

struct cp_http_header {
    uint32_t name, value; /* offsets in `head`, NUL-terminated */
};

/*
 * Zero-initialize, then call cp_http_request_reset. Callers only read the
 * fields.
 */
struct cp_http_request {
    http_parser parser;
    const struct cp_http_limits *limits;
    struct cp_http_text head; /* target and headers, each NUL-terminated */
    struct cp_http_text body;
    struct cp_http_header *headers;
    uint32_t n_headers;
    uint32_t path, query; /* offsets in `head` */
    bool is_value;        /* whether the last part of a header was its value */
    bool has_headers;     /* whether all headers are stored */
    bool is_complete;
    bool has_failed; /* whether this module has set `status` */
    int status;      /* HTTP status of the error, such as 431, or 0 */
};

/* Frees the old request and prepares for the next. `limits` outlives it. */
void cp_http_request_reset(struct cp_http_request *r,
                           const struct cp_http_limits *limits);
void cp_http_request_release(struct cp_http_request *r);

/*
 * Parses bytes until the request is complete, has an error status, or no bytes
 * are left. Returns the number of bytes parsed.
 */
size_t cp_http_request_feed(struct cp_http_request *r, const char *bytes,
                            size_t len);

/* Returns the method, such as "GET". */
const char *cp_http_request_method(const struct cp_http_request *r);
bool cp_http_request_is(const struct cp_http_request *r, const char *method);

/* Returns the path, percent-decoded. */
const char *cp_http_request_path(const struct cp_http_request *r);

/* Returns the string after '?', not decoded; "" if there is none. */
const char *cp_http_request_query(const struct cp_http_request *r);

/*
 * Returns the value of a header, or NULL if it is absent. The name is not
 * case-sensitive.
 */
const char *cp_http_request_header(const struct cp_http_request *r,
                                   const char *name);

/*
 * Copies the first value of a query parameter, decoded and truncated to cap. If
 * it is absent or badly encoded, returns false and sets out to "".
 */
bool cp_http_request_param(const struct cp_http_request *r, const char *name,
                           char *out, size_t cap);

/* Like cp_http_request_param, for a form in the body. */
bool cp_http_request_form(const struct cp_http_request *r, const char *name,
                          char *out, size_t cap);

/* Whether the client waits for "100 Continue" before it sends the body. */
bool cp_http_request_expects_continue(const struct cp_http_request *r);

/* Appends bytes. Returns false if out of memory. */
bool cp_http_text_add(struct cp_http_text *t, const char *bytes, size_t len);
void cp_http_text_release(struct cp_http_text *t);

#endif
