/*
 * window_inside - what the parts of a window share; see profile_request.h.
 *
 * profile_request.c reads what is asked for and waits,
 * profile_request_collect.c has the kind do its work, profile_request_answer.c
 * says what came of it, and profile_request_stream.c does both while it
 * happens.
 */
#ifndef CP_PROFILE_REQUEST_STATE_H
#define CP_PROFILE_REQUEST_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/endpoint/profile_request.h"
#include "runtime/kind/kind.h"
#include "runtime/symbolize/mappings.h"

struct cp_http_exchange;
struct cp_out;
struct cp_profile;
struct cp_service;

#define CP_PROFILE_REQUEST_NAME_BYTES 64

struct cp_profile_request {
    struct cp_service *service;
    struct cp_http_exchange *x;
    const struct cp_kind *kind;
    char name[CP_PROFILE_REQUEST_NAME_BYTES]; /* of the file that the client
                                                 gets */
    enum cp_profile_request_form form;
    struct cp_kind_request request;
    bool is_symbolized;
    bool is_open;              /* `handle` is to be finished or cancelled */
    void *handle;              /* the kind's */
    struct cp_profile *before; /* of a delta: the first snapshot */
    struct cp_profile **last;  /* changes are wanted since that one, or NULL */
    struct cp_mappings maps;   /* when the window was opened */
    int64_t started_ns;        /* monotonic */
    int64_t time_ns;           /* the same moment, since 1970 */
    bool is_behind;            /* of a stream: the client is slow */
};

/* The kind's side. Once begun, a window is to be finished or freed. */
enum cp_status cp_profile_request_begin(struct cp_profile_request *w,
                                        struct cp_error *err);
enum cp_status cp_profile_request_finish(struct cp_profile_request *w,
                                         struct cp_profile **out,
                                         struct cp_error *err);
enum cp_status cp_profile_request_finish_bytes(struct cp_profile_request *w,
                                               struct cp_out *out,
                                               struct cp_error *err);
enum cp_status cp_profile_request_snapshot(struct cp_profile_request *w,
                                           struct cp_profile **out,
                                           struct cp_error *err);

/* A second snapshot less the first, which w has. */
enum cp_status cp_profile_request_subtract(struct cp_profile_request *w,
                                           struct cp_profile **out,
                                           struct cp_error *err);

/* Where the kind is to write, and how. */
struct cp_kind_sink cp_profile_request_sink(struct cp_profile_request *w,
                                            struct cp_out *out);
void cp_profile_request_free(struct cp_profile_request *w);

/* The client's side. */
void cp_profile_request_refuse(struct cp_profile_request *w,
                               const struct cp_error *err);
void cp_profile_request_add_headers(const struct cp_profile_request *w);
void cp_profile_request_answer(struct cp_profile_request *w,
                               enum cp_status status, struct cp_out *out,
                               const struct cp_error *err);
void cp_profile_request_answer_profile(struct cp_profile_request *w,
                                       struct cp_profile *p);

/* With what somebody else has recorded, for instance jemalloc. */
void cp_profile_request_answer_source(struct cp_profile_request *w,
                                      const char *source);

/* The exchange is over, or the client has gone: a keeper's. */
void cp_profile_request_on_gone(void *window);

/* Begins to send what the kind has, while it happens, until it is over. */
void cp_profile_request_stream(struct cp_profile_request *w);

#endif
