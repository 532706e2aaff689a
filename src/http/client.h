/*
 * client - sends one HTTP request to an endpoint on this machine.
 *
 * Supports HTTP/1.1 with Content-Length, which is what src/http sends.
 * Allocates nothing.
 *
 * Context: any thread; blocks until the response is complete or the timeout
 * expires.
 * Failure: err names the step that failed.
 */
#ifndef CP_HTTP_CLIENT_H
#define CP_HTTP_CLIENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "http/address.h"

struct cp_http_client_request {
    const char *method; /* "GET", "POST" */
    const char *target; /* "/debug/pprof/heap" */
    const char *token;  /* bearer token (token.h), or NULL */
    int timeout_ms; /* timeout of connection, request and response together */
    uint64_t max_bytes; /* maximum bytes of the response body; 0 means 64 KB */
    int out_fd;         /* receives the body of a 200 response; -1 drops it */
    /* A signal handler sets it to ask the server to end the profile now. May be
     * NULL. */
    const volatile sig_atomic_t *is_interrupted;
};

struct cp_http_reply {
    int status;     /* HTTP status; 0 if there was no response */
    char text[512]; /* start of the body, NUL-terminated */
};

/*
 * Returns CP_OK for every complete response, including a 404; CP_EIO if none
 * arrived in time; CP_EFORMAT if it is not HTTP or too long.
 */
enum cp_status
cp_http_client_send(const struct cp_http_address *to,
                    const struct cp_http_client_request *question,
                    struct cp_http_reply *out, struct cp_error *err);

/*
 * Parses the address of an endpoint from an untrusted source: a registry file,
 * or the reply of a process that cpprof attaches to. Accepts only the forms
 * that an endpoint writes: "http://127.0.0.1:6060/debug/pprof/" with any
 * numeric host, and "unix:/absolute/path" of printable characters.
 */
enum cp_status cp_http_client_parse(struct cp_http_address *out,
                                    const char *text, struct cp_error *err);

#define CP_HTTP_ANY_OWNER ((uid_t)-1)

/* One address for cp_http_client_probe. */
struct cp_http_probe {
    struct cp_http_address to;
    uid_t owner;    /* expected user of a unix socket, or CP_HTTP_ANY_OWNER */
    bool is_served; /* result */
    int fd;         /* internal; -1 if no connection is under way */
};

/*
 * Connects to all addresses at once and sets is_served for those that accept.
 * Addresses of other machines are never contacted. timeout_ms limits all of
 * them together.
 */
void cp_http_client_probe(struct cp_http_probe *probes, size_t n,
                          int timeout_ms);

#endif
