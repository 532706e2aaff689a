/*
 * profile_request_state - the states of a request for a profile, and the
 * functions that its four files share.
 *
 *   profile_request.c          parameters, and which way the request goes
 *   profile_request_collect.c  the state machine, and the calls of the kind
 *   profile_request_answer.c   the response
 *   profile_request_stream.c   a response that is sent while events are
 * recorded
 *
 *   a snapshot        PARSED > RECORDING > COLLECTED > ANSWERED
 *   over time         the same; the timer of the exchange ends RECORDING
 *   a delta           PARSED > RECORDING > COLLECTED > BETWEEN_SNAPSHOTS
 *                     > RECORDING > COLLECTED > ANSWERED
 *   bad parameters    PARSED > ANSWERED
 *   disconnection     RECORDING or BETWEEN_SNAPSHOTS > CANCELLED
 *
 * Context: the endpoint thread only.
 * Locking: none.
 * Failure: a request that cannot be served is answered with an error; only
 * ANSWERED and CANCELLED requests are freed.
 */
#ifndef CP_PROFILE_REQUEST_STATE_H
#define CP_PROFILE_REQUEST_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/endpoint/profile_request.h"
#include "runtime/kind/kind.h"
#include "runtime/symbolize/mappings.h"

struct cp_http_exchange;
struct cp_out;
struct cp_profile;
struct cp_service;

#define CP_PROFILE_REQUEST_NAME_BYTES 64

enum cp_profile_request_state {
    CP_PROFILE_REQUEST_PARSED,    /* has parameters; the kind knows nothing */
    CP_PROFILE_REQUEST_RECORDING, /* the kind must finish or cancel `handle` */
    CP_PROFILE_REQUEST_COLLECTED, /* the kind has finished */
    CP_PROFILE_REQUEST_BETWEEN_SNAPSHOTS, /* `before` is the first of two */
    CP_PROFILE_REQUEST_ANSWERED,          /* `x` is over */
    CP_PROFILE_REQUEST_CANCELLED,         /* `x` is over, without a profile */
    CP_PROFILE_REQUEST_N_STATES,
};

struct cp_profile_request {
    enum cp_profile_request_state state;

    /* Valid in every state. */
    struct cp_service *service;
    struct cp_http_exchange *x; /* dangling once ANSWERED or CANCELLED */
    const struct cp_kind *kind;
    char name[CP_PROFILE_REQUEST_NAME_BYTES]; /* file name for the client */
    enum cp_profile_request_form form;
    struct cp_kind_request request;
    bool is_symbolized;
    bool is_waiting;          /* counted in service->n_waiting */
    struct cp_profile **last; /* profile that a delta_* path starts from */

    /* Valid from RECORDING on. */
    void *handle;            /* of the kind */
    struct cp_mappings maps; /* at the start; empty for a snapshot */
    int64_t started_ns;      /* monotonic */
    int64_t time_ns;         /* same moment, since 1970 */
    bool is_client_slow;     /* stream: the send buffer is full */

    /* Since BETWEEN_SNAPSHOTS, until the difference is made. */
    struct cp_profile *before;
};

/* ---- the state machine: profile_request_collect.c ---- */

/* The only function that changes the state; asserts the transition. */
void cp_profile_request_change(struct cp_profile_request *req,
                               enum cp_profile_request_state to);

/* PARSED or BETWEEN_SNAPSHOTS to RECORDING; unchanged on failure. */
enum cp_status cp_profile_request_begin(struct cp_profile_request *req,
                                        struct cp_error *err);

/* RECORDING to COLLECTED, whatever the outcome. */
enum cp_status cp_profile_request_finish(struct cp_profile_request *req,
                                         struct cp_profile **out,
                                         struct cp_error *err);
enum cp_status cp_profile_request_finish_bytes(struct cp_profile_request *req,
                                               struct cp_out *out,
                                               struct cp_error *err);

/* begin and finish. */
enum cp_status cp_profile_request_snapshot(struct cp_profile_request *req,
                                           struct cp_profile **out,
                                           struct cp_error *err);

/* BETWEEN_SNAPSHOTS to COLLECTED: a second snapshot minus the first. */
enum cp_status cp_profile_request_subtract(struct cp_profile_request *req,
                                           struct cp_profile **out,
                                           struct cp_error *err);

/* The output, symbols and mappings for a kind that writes bytes. */
struct cp_kind_sink cp_profile_request_sink(struct cp_profile_request *req,
                                            struct cp_out *out);

/* Cancels the recording, unless ANSWERED, and frees the request. */
void cp_profile_request_free(struct cp_profile_request *req);

/* ---- responses, after which the request is ANSWERED ---- */

void cp_profile_request_refuse(struct cp_profile_request *req,
                               const struct cp_error *err);
void cp_profile_request_reject(struct cp_profile_request *req,
                               const char *text);
void cp_profile_request_answer(struct cp_profile_request *req,
                               enum cp_status status, struct cp_out *out,
                               const struct cp_error *err);
void cp_profile_request_answer_profile(struct cp_profile_request *req,
                                       struct cp_profile *p);

/*
 * Answers with the recording of a different profiler in the process, such as
 * jemalloc.
 */
void cp_profile_request_answer_source(struct cp_profile_request *req,
                                      const char *source);

void cp_profile_request_add_headers(const struct cp_profile_request *req);

/* ---- waiting ---- */

/* Keeps the exchange open and counts the request as waiting. */
void cp_profile_request_set_waiting(struct cp_profile_request *req);

/* The on_disconnect callback of the exchange: frees the request. */
void cp_profile_request_on_disconnect(void *request);

/* Sends events of a RECORDING request until its time is over. */
void cp_profile_request_stream(struct cp_profile_request *req);

#endif
