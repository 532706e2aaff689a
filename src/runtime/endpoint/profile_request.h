/*
 * window - a request for a profile, from its parameters to its answer.
 *
 * A snapshot is taken and answered at once. A profile over time opens a window
 * that is closed by a timer, or when the client says no more, which may still
 * read what there is; it is thrown away if the client goes first. With
 * `seconds`, a snapshot becomes the difference of two.
 */
#ifndef CP_RUNTIME_PROFILE_REQUEST_H
#define CP_RUNTIME_PROFILE_REQUEST_H

struct cp_http_exchange;
struct cp_kind;
struct cp_profile;
struct cp_service;

enum cp_profile_request_form {
    CP_PROFILE_REQUEST_GO,    /* as net/http/pprof answers */
    CP_PROFILE_REQUEST_GPERF, /* as gperftools' tools want it: always as of now
                               */
    CP_PROFILE_REQUEST_JEMALLOC, /* the same for jeprof: what came in `seconds`
                                  */
};

/* Answers x, now or later. `name` is what the path called the kind. */
void cp_profile_request_open(struct cp_service *s, struct cp_http_exchange *x,
                             const struct cp_kind *kind, const char *name,
                             enum cp_profile_request_form form);

/* Answers with what has changed since *last; see delta.h. */
void cp_profile_request_since_last(struct cp_service *s,
                                   struct cp_http_exchange *x,
                                   const struct cp_kind *kind,
                                   struct cp_profile **last);

#endif
