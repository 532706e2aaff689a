/* profile_request_collect.c - the kind's side of a window; see
 * profile_request_state.h. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/out.h"
#include "http/timer.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/profile_request_state.h"
#include "runtime/endpoint/service.h"
#include "runtime/kind/delta.h"
#include "runtime/kind/empty_kinds.h"
#include "runtime/kind/kind.h"
#include "runtime/os/clock.h"
#include "runtime/symbolize/mappings.h"

enum cp_status cp_profile_request_begin(struct cp_profile_request *w,
                                        struct cp_error *err)
{
    enum cp_status status = CP_OK;

    w->started_ns = cp_http_now();
    w->time_ns = cp_clock_ns(CLOCK_REALTIME);
    w->request.kind = w->kind;
    if (w->kind->begin)
        status = w->kind->begin(&w->request, &w->handle, err);
    w->is_open = status == CP_OK;
    return status;
}

enum cp_status cp_profile_request_finish(struct cp_profile_request *w,
                                         struct cp_profile **out,
                                         struct cp_error *err)
{
    w->is_open = false;
    if (w->kind->begin)
        return w->kind->finish(w->handle, out, err);
    *out = cp_empty_kind_profile(w->kind, err);
    return *out ? CP_OK : CP_ENOMEM;
}

struct cp_kind_sink cp_profile_request_sink(struct cp_profile_request *w,
                                            struct cp_out *out)
{
    return (struct cp_kind_sink){
        .out = out,
        .symbols = w->is_symbolized ? w->service->symbols : NULL,
        .before = w->maps.n_maps ? &w->maps : NULL,
    };
}

enum cp_status cp_profile_request_finish_bytes(struct cp_profile_request *w,
                                               struct cp_out *out,
                                               struct cp_error *err)
{
    struct cp_kind_sink sink = cp_profile_request_sink(w, out);

    w->is_open = false;
    if (w->kind->begin)
        return w->kind->finish_bytes(w->handle, &sink, err);
    cp_empty_kind_trace(out);
    return cp_out_finish(out, err);
}

enum cp_status cp_profile_request_snapshot(struct cp_profile_request *w,
                                           struct cp_profile **out,
                                           struct cp_error *err)
{
    enum cp_status status = cp_profile_request_begin(w, err);

    return status == CP_OK ? cp_profile_request_finish(w, out, err) : status;
}

/* Second snapshot less the first. */
enum cp_status cp_profile_request_subtract(struct cp_profile_request *w,
                                           struct cp_profile **out,
                                           struct cp_error *err)
{
    int64_t before_ns = w->started_ns;
    struct cp_profile *before = w->before, *after = NULL;
    enum cp_status status = cp_profile_request_snapshot(w, &after, err);

    if (status != CP_OK)
        return status;
    w->before = NULL;
    *out = cp_delta_between(before, after, err);
    if (!*out)
        return CP_ENOMEM;
    (*out)->time_ns = w->time_ns;
    (*out)->duration_ns = w->started_ns - before_ns;
    return CP_OK;
}

void cp_profile_request_free(struct cp_profile_request *w)
{
    if (!w)
        return;
    if (w->is_open && w->kind->begin)
        w->kind->cancel(w->handle);
    cp_profile_free(w->before);
    cp_mappings_release(&w->maps);
    cp_free(w);
}
