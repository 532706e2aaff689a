/*
 * exchange - a request and the answer to it, as a handler sees them.
 *
 * A handler answers at once (cp_http_answer), or begins a stream, or keeps the
 * exchange and answers later, from a timer or a watched descriptor. All on the
 * server's thread. An exchange ends when it is answered, its stream ended, or
 * its client has gone; it must not be used after that.
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

/* Whether the client is on the loopback interface; not of a socket's path. */
bool cp_http_is_from_loopback(const struct cp_http_exchange *x);

/* Does the client run as our user or as root? False if that is not known. */
bool cp_http_is_from_user(const struct cp_http_exchange *x);

/* Adds a header to the answer. Names and values are ours: no line breaks. */
void cp_http_add_header(struct cp_http_exchange *x, const char *name,
                        const char *value);

/* An answer that is no page of ours may load, run and show nothing. */
#define CP_HTTP_STRICT_POLICY                                                  \
    "default-src 'none'; base-uri 'none'; form-action 'none'; "                \
    "frame-ancestors 'none'; sandbox"

/*
 * The Content-Security-Policy of a page, instead of the strict one. Every
 * answer has one, and X-Content-Type-Options: nosniff.
 */
void cp_http_set_policy(struct cp_http_exchange *x, const char *policy);

/* Drops the headers added so far: an error is answered instead. */
void cp_http_drop_headers(struct cp_http_exchange *x);

/*
 * Answers, with the bytes of body, which is empty afterwards; body may be NULL.
 * If body has failed (its err), the answer is 503.
 */
void cp_http_answer(struct cp_http_exchange *x, int status,
                    struct cp_out *body);

/* The same with a text, as text/plain. */
void cp_http_answer_text(struct cp_http_exchange *x, int status,
                         const char *text);

/* Events of a deferred exchange. */
struct cp_http_callbacks {
    void (*on_timeout)(void *context);    /* may defer again */
    void (*on_disconnect)(void *context); /* x ends after it */
    void (*on_writable)(void *context);   /* a stream accepts more, or NULL */
    /* The client has closed its sending side and may still read: answer now.
       NULL: treated as a disconnection. */
    void (*on_half_close)(void *context);
    void *context;
};

/*
 * Defers the response: the handler may return without one. on_timeout runs
 * after ns nanoseconds, or never if ns < 0. Another call replaces the callbacks
 * and the time.
 */
void cp_http_defer(struct cp_http_exchange *x,
                   const struct cp_http_callbacks *callbacks, int64_t ns);

/* Begins an answer of unknown length. Only for a kept exchange. */
void cp_http_stream_begin(struct cp_http_exchange *x, int status);

/*
 * Adds to the stream. False when more is waiting than the client should be
 * allowed to pile up: write no more until `drained`.
 */
bool cp_http_stream_write(struct cp_http_exchange *x, const void *bytes,
                          size_t len);
void cp_http_stream_end(struct cp_http_exchange *x);

#endif
