/*
 * mount - answers one request for a program that has an HTTP server itself.
 *
 * The program passes on a request for /debug/pprof/ and gets a complete HTTP
 * response, written to a descriptor or into memory.
 *
 * Context: the calling thread, which blocks until the profile is complete. Any
 * number of threads may call at once.
 * Locking: none; each call has its own server and service.
 * Failure: CP_EIO if the client has disconnected.
 */
#ifndef CP_MOUNT_H
#define CP_MOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cp_endpoint_options;
struct cp_out;

struct cp_mount_request {
    const char *method; /* "GET" */
    const char *target; /* "/debug/pprof/profile?seconds=5" */
    const void *body;   /* may be NULL */
    size_t body_len;
    bool may_change; /* the client may set rates by POST */
};

/*
 * Writes the response to fd. Only the kinds and cost of `options` are used. If
 * fd is a socket and its peer disconnects, the profile is cancelled and the
 * result is CP_EIO.
 */
enum cp_status cp_mount_answer(const struct cp_endpoint_options *options,
                               const struct cp_mount_request *request, int fd,
                               struct cp_error *err);

/*
 * Appends the response to out: header lines that end in "\r\n", an empty line,
 * and the body without chunks. `client` is the socket whose disconnection
 * cancels the profile, or -1.
 */
enum cp_status cp_mount_collect(const struct cp_endpoint_options *options,
                                const struct cp_mount_request *request,
                                int client, struct cp_out *out,
                                struct cp_error *err);

#endif
