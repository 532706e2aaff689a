/*
 * api_serve.c - the functions of include/cpprof.h for the endpoint, for cpprof
 * attach, and for requests that the server of the program passes on.
 */
#include <cpprof.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/out.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/endpoint/mount.h"
#include "runtime/process/api.h"
#include "runtime/process/cost.h"
#include "runtime/process/kinds.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/listen.h"
#include "runtime/profiles/custom.h"

static const struct cp_endpoint_options mount_options = {
    .kinds = cp_kinds, .more_kinds = cp_custom_kind, .cost = cp_cost
};

EXPORT int cpprof_listen(const char *where)
{
    struct cp_error err = { 0 };
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_listen(where ? where : "", &err);
    return cp_api_result(status, &err);
}

EXPORT int cpprof_close(void)
{
    struct cp_error err = { 0 };

    if (cp_listen_close())
        return 0;
    return cp_api_result(
        cp_error_set(&err, CP_EIO,
                     "cannot close the endpoint: its thread did not end "
                     "within 5 s; try again"),
        &err);
}

/* Ends a session whose endpoint cpprof attach cannot reach. */
static int end_attach_session(char *out, size_t cap)
{
    int saved_errno = errno;
    bool is_closed = cp_listen_is_attach_session();

    if (is_closed) {
        cp_lifecycle_detach();
        is_closed = cp_listen_close();
    }
    (void)snprintf(out, cap, "%s",
                   is_closed
                       ? ""
                       : "no session of cpprof attach, or its thread did not "
                         "end");
    errno = saved_errno;
    return is_closed ? 0 : -1;
}

EXPORT int cpprof_attach(const char *where, const char *settings, char *out,
                         size_t cap)
{
    const char *now = cp_listen_address();
    struct cp_error err = { 0 };
    int saved_errno = errno;
    enum cp_status status;

    if (!*where)
        return end_attach_session(out, cap);
    if (now) { /* the endpoint runs already and keeps its settings */
        (void)snprintf(out, cap, "already listening on %s", now);
        return -1;
    }
    status = cp_lifecycle_attach(settings, &err);
    if (status == CP_OK)
        status = cp_listen(where, &err);
    if (status != CP_OK) /* no endpoint can receive POST detach */
        cp_lifecycle_detach();
    (void)snprintf(out, cap, "%s",
                   status == CP_OK ? cp_listen_address() : err.msg);
    errno = saved_errno;
    return status == CP_OK ? 0 : -1;
}

EXPORT const char *cpprof_address(void)
{
    return cp_listen_address();
}

EXPORT int cpprof_handle(const char *method, const char *target,
                         const void *body, size_t body_len, int fd)
{
    struct cp_mount_request request = { .method = method ? method : "",
                                        .target = target ? target : "",
                                        .body = body,
                                        .body_len = body_len };
    struct cp_error err = { 0 };
    enum cp_status status = cp_lifecycle_start(&err);

    if (status == CP_OK)
        status = cp_mount_answer(&mount_options, &request, fd, &err);
    return cp_api_result(status, &err);
}

/* ---- a response in memory ---- */

/* The response, its headers, and the buffer that both point into. */
struct answer {
    struct cpprof_response response; /* must be first */
    struct cpprof_header *headers;
    struct cp_out text;
};

/* Whether a header describes the content, not the connection. */
static bool is_content(const char *name)
{
    static const char *const connection[] = { "Connection", "Content-Length",
                                              "Date", "Transfer-Encoding" };

    for (size_t i = 0; i < sizeof(connection) / sizeof(connection[0]); i++)
        if (strcmp(name, connection[i]) == 0)
            return false;
    return true;
}

/* Ends the line at *at by NUL and advances *at; NULL at the empty line. */
static char *next_line(char **at)
{
    char *line = *at, *end = strstr(line, "\r\n");

    if (!end || end == line)
        return NULL;
    *end = '\0';
    *at = end + 2;
    return line;
}

static void read_header(struct answer *a, char *line)
{
    char *colon = strstr(line, ": ");

    if (!colon)
        return;
    *colon = '\0';
    if (is_content(line))
        a->headers[a->response.n_headers++] =
            (struct cpprof_header){ line, colon + 2 };
}

/* Parses the status line and headers; the rest is the body. */
static enum cp_status read_head(struct answer *a, struct cp_error *err)
{
    char *at = a->text.buf, *end = at ? strstr(at, "\r\n\r\n") : NULL, *line;
    size_t n_lines = 0;

    if (!end || strncmp(at, "HTTP/1.1 ", 9) != 0)
        return cp_error_set(err, CP_EIO,
                            "cannot answer: the response is not HTTP");
    for (const char *p = at; p < end; p = strstr(p, "\r\n") + 2)
        n_lines++;
    a->headers = cp_alloc(n_lines, sizeof(*a->headers), err);
    if (!a->headers)
        return CP_ENOMEM;
    a->response.status = atoi(next_line(&at) + 9);
    while ((line = next_line(&at)))
        read_header(a, line);
    a->response.headers = a->headers;
    a->response.body = end + 4;
    a->response.body_len = a->text.len - (size_t)(end + 4 - a->text.buf);
    return CP_OK;
}

static enum cp_status collect(struct answer *a,
                              const struct cpprof_request *from,
                              struct cp_error *err)
{
    struct cp_mount_request request = { 0 };
    struct cpprof_request r;
    enum cp_status status = cp_api_copy_struct(
        &r, sizeof(r), from,
        offsetof(struct cpprof_request, may_change) + sizeof(int), err);

    if (status == CP_OK)
        status = cp_lifecycle_start(err);
    if (status != CP_OK)
        return status;
    request.method = r.method ? r.method : "";
    request.target = r.target ? r.target : "";
    request.body = r.body;
    request.body_len = r.body_len;
    request.may_change = r.may_change != 0;
    status = cp_mount_collect(&mount_options, &request,
                              r.client > 0 ? r.client : -1, &a->text, err);
    if (status != CP_OK)
        return status;
    cp_out_char(&a->text, '\0'); /* read_head uses strstr() */
    a->text.len--;
    return a->text.err.status == CP_OK ? read_head(a, err) : CP_ENOMEM;
}

EXPORT struct cpprof_response *
cpprof_answer(const struct cpprof_request *request)
{
    struct cp_error err = { 0 };
    struct answer *a = cp_alloc(1, sizeof(*a), &err);
    enum cp_status status = CP_ENOMEM;

    if (a) {
        a->text.fd = -1;
        a->response.size = sizeof(a->response);
        status = collect(a, request, &err);
    }
    if (status == CP_OK)
        return &a->response;
    (void)cp_api_result(status, &err);
    cpprof_response_free(a ? &a->response : NULL);
    return NULL;
}

EXPORT void cpprof_response_free(struct cpprof_response *response)
{
    struct answer *a = (struct answer *)response;

    if (!a)
        return;
    cp_free(a->headers);
    cp_out_release(&a->text);
    cp_free(a);
}
