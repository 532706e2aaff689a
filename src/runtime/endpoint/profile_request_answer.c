/*
 * profile_request_answer.c - writes the response to a request: headers, errors
 * with the messages of Go, and the profile in the requested form.
 */
#include "runtime/endpoint/profile_request_state.h"

#include <stdio.h>
#include <string.h>

#include "base/assert/assert.h"
#include "base/out.h"
#include "http/exchange.h"
#include "profile/model/profile.h"
#include "runtime/endpoint/render.h"
#include "runtime/endpoint/service.h"
#include "trace/step.h"

/* The error messages are those of net/http/pprof. */
void cp_profile_request_refuse(struct cp_profile_request *req,
                               const struct cp_error *err)
{
    const char *name = req->kind->name;

    if (strcmp(name, "profile") == 0)
        cp_service_error(req->x, 500, "Could not enable CPU profiling: %s",
                         err->msg);
    else if (strcmp(name, "trace") == 0)
        cp_service_error(req->x, 500, "Could not enable tracing: %s", err->msg);
    else
        cp_service_error(req->x, 500, "failed to collect profile: %s",
                         err->msg);
    cp_profile_request_change(req, CP_PROFILE_REQUEST_ANSWERED);
}

void cp_profile_request_reject(struct cp_profile_request *req, const char *text)
{
    CP_ASSERT(req->state == CP_PROFILE_REQUEST_PARSED);
    cp_service_error(req->x, 400, "%s", text);
    cp_profile_request_change(req, CP_PROFILE_REQUEST_ANSWERED);
}

void cp_profile_request_add_headers(const struct cp_profile_request *req)
{
    const struct cp_trace_format *format = req->request.format;
    char value[CP_PROFILE_REQUEST_NAME_BYTES + 40];

    if (req->request.debug != 0) {
        cp_http_add_header(req->x, "Content-Type", "text/plain; charset=utf-8");
        return;
    }
    (void)snprintf(value, sizeof(value), "attachment; filename=\"%s\"",
                   format ? format->file_name : req->name);
    cp_http_add_header(req->x, "Content-Type",
                       format ? format->content_type
                              : "application/octet-stream");
    cp_http_add_header(req->x, "Content-Disposition", value);
}

/*
 * Whether `debug` selects the text format. For negative values the kinds of Go
 * differ.
 */
static bool is_text(const struct cp_profile_request *req)
{
    switch (req->kind->text) {
    case CP_KIND_TEXT_HEAP:
        return req->request.debug != 0;
    case CP_KIND_TEXT_NONE:
        return false;
    default:
        return req->request.debug > 0;
    }
}

static enum cp_status render(struct cp_profile_request *req,
                             struct cp_profile *p, struct cp_out *out,
                             struct cp_error *err)
{
    struct cp_renderer r = { .kind = req->kind,
                             .debug = req->request.debug,
                             .symbols = req->is_symbolized
                                            ? req->service->symbols
                                            : NULL,
                             .before = req->maps.n_maps ? &req->maps : NULL,
                             .is_gperf = req->form != CP_PROFILE_REQUEST_GO };

    if (req->form == CP_PROFILE_REQUEST_GPERF &&
        req->kind->text == CP_KIND_TEXT_NONE)
        return cp_render_gperf(p, out, err);
    return is_text(req) ? cp_render_text(&r, p, out, err)
                        : cp_render_protobuf(&r, p, out, err);
}

void cp_profile_request_answer(struct cp_profile_request *req,
                               enum cp_status status, struct cp_out *out,
                               const struct cp_error *err)
{
    if (status != CP_OK) {
        cp_out_release(out);
        cp_service_error(req->x, 500, "failed to collect profile: %s",
                         err->msg);
    } else {
        cp_profile_request_add_headers(req);
        cp_http_answer(req->x, 200, out);
    }
    cp_profile_request_change(req, CP_PROFILE_REQUEST_ANSWERED);
}

void cp_profile_request_answer_profile(struct cp_profile_request *req,
                                       struct cp_profile *p)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };

    CP_ASSERT(req->state == CP_PROFILE_REQUEST_COLLECTED);
    cp_profile_request_answer(req, render(req, p, &out, &err), &out, &err);
    cp_service_defer_close_symbols(req->service);
}

void cp_profile_request_answer_source(struct cp_profile_request *req,
                                      const char *source)
{
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    enum cp_status status = req->kind->dump(source, &out, &err);

    CP_ASSERT(req->state == CP_PROFILE_REQUEST_PARSED);
    if (status == CP_OK)
        status = cp_out_finish(&out, &err);
    if (status != CP_OK) {
        cp_out_release(&out);
        cp_service_error(req->x, status == CP_EUSAGE ? 501 : 500,
                         "source=%s: %s", source, err.msg);
    } else {
        cp_service_text_headers(req->x);
        cp_http_answer(req->x, 200, &out);
    }
    cp_profile_request_change(req, CP_PROFILE_REQUEST_ANSWERED);
}
