/*
 * mount - the endpoint's answers for a program that has a server of its own.
 *
 * The program passes on a request for /debug/pprof/ and gets a whole HTTP
 * response written to a descriptor, or into memory. On the caller's thread, as
 * long as it takes; any number at once.
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
    bool may_change; /* rates; else a POST for that is refused */
};

/*
 * Answers with the kinds and cost of `options`, on which nothing else has an
 * effect. If fd is a socket and its other side goes away, the profile is
 * cancelled and that is CP_EIO.
 */
enum cp_status cp_mount_answer(const struct cp_endpoint_options *options,
                               const struct cp_mount_request *request, int fd,
                               struct cp_error *err);

/*
 * The same into memory: out gets a head, each line ended by "\r\n", an empty
 * line, and the body as it is. `client` is a socket to look at, or -1.
 */
enum cp_status cp_mount_collect(const struct cp_endpoint_options *options,
                                const struct cp_mount_request *request,
                                int client, struct cp_out *out,
                                struct cp_error *err);

#endif
