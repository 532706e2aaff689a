/*
 * profile_request - handles a request for a profile, from its parameters to the
 * response.
 *
 * A snapshot is taken and answered at once. A profile over time is recorded
 * until a timer expires, or until the client closes its sending side, which
 * asks for the profile now. If the client disconnects, the recording is
 * cancelled. With `seconds`, the response is the difference of two snapshots.
 *
 * Context: the endpoint thread.
 */
#ifndef CP_RUNTIME_PROFILE_REQUEST_H
#define CP_RUNTIME_PROFILE_REQUEST_H

struct cp_http_exchange;
struct cp_kind;
struct cp_profile;
struct cp_service;

/* The client family; each expects a different form of response. */
enum cp_profile_request_form {
    CP_PROFILE_REQUEST_GO,       /* net/http/pprof */
    CP_PROFILE_REQUEST_GPERF,    /* gperftools: ignores `seconds` of a heap */
    CP_PROFILE_REQUEST_JEMALLOC, /* jeprof: `seconds` asks for a delta */
};

/* Answers x, now or later. `name` is the kind as the path spells it. */
void cp_profile_request_handle(struct cp_service *s, struct cp_http_exchange *x,
                               const struct cp_kind *kind, const char *name,
                               enum cp_profile_request_form form);

/* Answers with the difference to *last, and replaces *last; see delta.h. */
void cp_profile_request_since_last(struct cp_service *s,
                                   struct cp_http_exchange *x,
                                   const struct cp_kind *kind,
                                   struct cp_profile **last);

#endif
