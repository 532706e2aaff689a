/* profile_request_answer.c - the client's side of a window; see
 * profile_request_state.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/out.h"
#include "http/exchange.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/profile_request.h"
#include "runtime/endpoint/profile_request_state.h"
#include "runtime/endpoint/render.h"
#include "runtime/endpoint/service.h"
#include "runtime/kind/kind.h"
#include "trace/step.h"

/* What Go says when it cannot begin. */
void cp_profile_request_refuse(struct cp_profile_request *w,
                               const struct cp_error *err)
{
    const char *name = w->kind->name;

    if (strcmp(name, "profile") == 0)
        cp_service_error(w->x, 500, "Could not enable CPU profiling: %s",
                         err->msg);
    else if (strcmp(name, "trace") == 0)
        cp_service_error(w->x, 500, "Could not enable tracing: %s", err->msg);
    else
        cp_service_error(w->x, 500, "failed to collect profile: %s", err->msg);
}

void cp_profile_request_add_headers(const struct cp_profile_request *w)
{
    const struct cp_trace_format *format = w->request.format;
    char value[CP_PROFILE_REQUEST_NAME_BYTES + 40];

    if (w->request.debug != 0) {
        cp_http_add_header(w->x, "Content-Type", "text/plain; charset=utf-8");
        return;
    }
    (void)snprintf(value, sizeof(value), "attachment; filename=\"%s\"",
                   format ? format->file_name : w->name);
    cp_http_add_header(w->x, "Content-Type",
                       format ? format->content_type
                              : "application/octet-stream");
    cp_http_add_header(w->x, "Content-Disposition", value);
}

/* Whether debug= asks for a text; each of Go's writers has its own rule. */
static bool is_text(const struct cp_profile_request *w)
{
    switch (w->kind->text) {
    case CP_KIND_TEXT_HEAP:
        return w->request.debug != 0;
    case CP_KIND_TEXT_NONE:
        return false;
    default:
        return w->request.debug > 0;
    }
}

static enum cp_status render(struct cp_profile_request *w, struct cp_profile *p,
                             struct cp_out *out, struct cp_error *err)
{
    struct cp_renderer r = { .kind = w->kind,
                             .debug = w->request.debug,
                             .symbols =
                                 w->is_symbolized ? w->service->symbols : NULL,
                             .before = w->maps.n_maps ? &w->maps : NULL,
                             .is_gperf = w->form != CP_PROFILE_REQUEST_GO };

    if (w->form == CP_PROFILE_REQUEST_GPERF &&
        w->kind->text == CP_KIND_TEXT_NONE)
        return cp_render_gperf(p, out, err);
    return is_text(w) ? cp_render_text(&r, p, out, err)
                      : cp_render_protobuf(&r, p, out, err);
}

void cp_profile_request_answer(struct cp_profile_request *w,
                               enum cp_status status, struct cp_out *out,
                               const struct cp_error *err)
{
    if (status != CP_OK) {
        cp_out_release(out);
        cp_service_error(w->x, 500, "failed to collect profile: %s", err->msg);
        return;
    }
    cp_profile_request_add_headers(w);
    cp_http_answer(w->x, 200, out);
}

void cp_profile_request_answer_profile(struct cp_profile_request *w,
                                       struct cp_profile *p)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    cp_profile_request_answer(w, render(w, p, &out, &err), &out, &err);
    cp_service_used_symbols(w->service);
}

void cp_profile_request_answer_source(struct cp_profile_request *w,
                                      const char *source)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    enum cp_status status = w->kind->dump(source, &out, &err);

    if (status == CP_OK)
        status = cp_out_finish(&out, &err);
    if (status != CP_OK) {
        cp_out_release(&out);
        cp_service_error(w->x, status == CP_EUSAGE ? 501 : 500, "source=%s: %s",
                         source, err.msg);
        return;
    }
    cp_service_text_headers(w->x);
    cp_http_answer(w->x, 200, &out);
}
