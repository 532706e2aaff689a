/*
 * exchange - a request and its response, as a handler sees them.
 *
 * A handler sends its response at once (cp_http_answer), or defers the exchange
 * and sends or streams the response later, from a timer or other callback. The
 * exchange ends with the response, the end of the stream, or the disconnection
 * of the client. Do not use it after that.
 *
 * Context: the thread of the server. Locking: none.
 * Failure: out of memory closes the connection or answers 503.
 */
#ifndef CP_HTTP_EXCHANGE_H
#define CP_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_http_request;
struct cp_out;

struct cp_http_exchange;

const struct cp_http_request *
cp_http_request_of(const struct cp_http_exchange *x);

/* Whether the client connects over loopback; false for a unix socket. */
bool cp_http_is_from_loopback(const struct cp_http_exchange *x);

/* Whether the client has the effective user of this process or is root. */
bool cp_http_is_from_user(const struct cp_http_exchange *x);

/* Adds a header. Name and value must not contain line breaks. */
void cp_http_add_header(struct cp_http_exchange *x, const char *name,
                        const char *value);

/* The default policy: the response may not load, run or embed anything. */
#define CP_HTTP_STRICT_POLICY                                                  \
    "default-src 'none'; base-uri 'none'; form-action 'none'; "                \
    "frame-ancestors 'none'; sandbox"

/*
 * Replaces the default Content-Security-Policy. Every response has one, and
 * X-Content-Type-Options: nosniff.
 */
void cp_http_set_policy(struct cp_http_exchange *x, const char *policy);

/* Drops the headers added so far, before an error response. */
void cp_http_drop_headers(struct cp_http_exchange *x);

/*
 * Sends a response with the bytes of body, and empties body, which may be NULL.
 * If body has failed (its err), the response is 503.
 */
void cp_http_answer(struct cp_http_exchange *x, int status,
                    struct cp_out *body);

/* Sends a response with a string, as text/plain. */
void cp_http_answer_text(struct cp_http_exchange *x, int status,
                         const char *text);

/* Events of a deferred exchange. */
struct cp_http_callbacks {
    void (*on_timeout)(void *context);    /* may defer again */
    void (*on_disconnect)(void *context); /* x is invalid afterwards */
    void (*on_writable)(void *context);   /* more may be written; or NULL */
    /* The client has closed its sending side and may still read: respond now.
     * If NULL, this counts as a disconnection. */
    void (*on_half_close)(void *context);
    void *context;
};

/*
 * Defers the response: the handler may return without one. on_timeout runs
 * after ns nanoseconds, or never if ns < 0. A second call replaces the
 * callbacks and the time.
 */
void cp_http_defer(struct cp_http_exchange *x,
                   const struct cp_http_callbacks *callbacks, int64_t ns);

/* Begins a response of unknown length. The exchange must be deferred. */
void cp_http_stream_begin(struct cp_http_exchange *x, int status);

/*
 * Appends to the stream. Returns false if the client is 1 MB behind; write
 * again after on_writable.
 */
bool cp_http_stream_write(struct cp_http_exchange *x, const void *bytes,
                          size_t len);
void cp_http_stream_end(struct cp_http_exchange *x);

#endif
