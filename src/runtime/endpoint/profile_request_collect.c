/*
 * profile_request_collect.c - the state machine of a request, and the calls of
 * its kind that begin, finish and cancel a recording.
 */
#include "runtime/endpoint/profile_request_state.h"

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/out.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/service.h"
#include "runtime/kind/delta.h"
#include "runtime/kind/empty_kinds.h"
#include "runtime/os/clock.h"

#define BIT(state) (1u << (CP_PROFILE_REQUEST_##state))

/* The states that may follow each state, as a set of bits. */
static const unsigned next_states[CP_PROFILE_REQUEST_N_STATES] = {
    [CP_PROFILE_REQUEST_PARSED] =
        BIT(RECORDING) | BIT(ANSWERED) | BIT(CANCELLED),
    [CP_PROFILE_REQUEST_RECORDING] = BIT(COLLECTED) | BIT(CANCELLED),
    [CP_PROFILE_REQUEST_COLLECTED] = BIT(BETWEEN_SNAPSHOTS) | BIT(ANSWERED),
    [CP_PROFILE_REQUEST_BETWEEN_SNAPSHOTS] =
        BIT(RECORDING) | BIT(ANSWERED) | BIT(CANCELLED),
};

void cp_profile_request_change(struct cp_profile_request *req,
                               enum cp_profile_request_state to)
{
    CP_ASSERT(req->state < CP_PROFILE_REQUEST_N_STATES);
    CP_ASSERT(next_states[req->state] & (1u << to));
    CP_ASSERT(to != CP_PROFILE_REQUEST_BETWEEN_SNAPSHOTS || req->before);
    (void)next_states;
    req->state = to;
}

enum cp_status cp_profile_request_begin(struct cp_profile_request *req,
                                        struct cp_error *err)
{
    enum cp_status status = CP_OK;

    CP_ASSERT(req->state == CP_PROFILE_REQUEST_PARSED ||
              req->state == CP_PROFILE_REQUEST_BETWEEN_SNAPSHOTS);
    req->started_ns = cp_http_now();
    req->time_ns = cp_clock_ns(CLOCK_REALTIME);
    req->request.kind = req->kind;
    if (req->kind->begin)
        status = req->kind->begin(&req->request, &req->handle, err);
    if (status == CP_OK)
        cp_profile_request_change(req, CP_PROFILE_REQUEST_RECORDING);
    return status;
}

enum cp_status cp_profile_request_finish(struct cp_profile_request *req,
                                         struct cp_profile **out,
                                         struct cp_error *err)
{
    cp_profile_request_change(req, CP_PROFILE_REQUEST_COLLECTED);
    if (req->kind->begin)
        return req->kind->finish(req->handle, out, err);
    *out = cp_empty_kind_profile(req->kind, err);
    return *out ? CP_OK : CP_ENOMEM;
}

struct cp_kind_sink cp_profile_request_sink(struct cp_profile_request *req,
                                            struct cp_out *out)
{
    return (struct cp_kind_sink){
        .out = out,
        .symbols = req->is_symbolized ? req->service->symbols : NULL,
        .before = req->maps.n_maps ? &req->maps : NULL,
    };
}

enum cp_status cp_profile_request_finish_bytes(struct cp_profile_request *req,
                                               struct cp_out *out,
                                               struct cp_error *err)
{
    struct cp_kind_sink sink = cp_profile_request_sink(req, out);

    cp_profile_request_change(req, CP_PROFILE_REQUEST_COLLECTED);
    if (req->kind->begin)
        return req->kind->finish_bytes(req->handle, &sink, err);
    cp_empty_kind_trace(out);
    return cp_out_finish(out, err);
}

enum cp_status cp_profile_request_snapshot(struct cp_profile_request *req,
                                           struct cp_profile **out,
                                           struct cp_error *err)
{
    enum cp_status status = cp_profile_request_begin(req, err);

    return status == CP_OK ? cp_profile_request_finish(req, out, err) : status;
}

enum cp_status cp_profile_request_subtract(struct cp_profile_request *req,
                                           struct cp_profile **out,
                                           struct cp_error *err)
{
    int64_t before_ns = req->started_ns;
    struct cp_profile *before = req->before, *after = NULL;
    enum cp_status status = cp_profile_request_snapshot(req, &after, err);

    CP_ASSERT(before);
    if (status != CP_OK)
        return status;
    req->before = NULL; /* cp_delta_between owns it */
    *out = cp_delta_between(before, after, err);
    if (!*out)
        return CP_ENOMEM;
    (*out)->time_ns = req->time_ns;
    (*out)->duration_ns = req->started_ns - before_ns;
    return CP_OK;
}

void cp_profile_request_set_waiting(struct cp_profile_request *req)
{
    CP_ASSERT(!req->is_waiting);
    req->is_waiting = true;
    req->service->n_waiting++;
}

void cp_profile_request_on_disconnect(void *request)
{
    cp_profile_request_free(request);
}

void cp_profile_request_free(struct cp_profile_request *req)
{
    if (req->state == CP_PROFILE_REQUEST_RECORDING && req->kind->begin)
        req->kind->cancel(req->handle);
    if (req->state != CP_PROFILE_REQUEST_ANSWERED)
        cp_profile_request_change(req, CP_PROFILE_REQUEST_CANCELLED);
    if (req->is_waiting) {
        CP_ASSERT(req->service->n_waiting > 0);
        req->service->n_waiting--;
    }
    cp_profile_free(req->before);
    cp_mappings_release(&req->maps);
    cp_free(req);
}
