/*
 * ask - one small HTTP request to a server on this machine.
 *
 * For what the library and the tool ask of an endpoint of ours: to end, to
 * hand on its address, for a profile. Blocks, with a deadline; knows HTTP/1.1
 * with Content-Length, which is what src/http answers. Allocates nothing.
 */
#ifndef CP_HTTP_ASK_H
#define CP_HTTP_ASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "http/address.h"

struct cp_http_question {
    const char *method; /* "GET", "POST" */
    const char *target; /* "/debug/pprof/heap" */
    const char *token;  /* sent as a bearer, see token.h; NULL: none */
    int timeout_ms;     /* for the whole of it */
    uint64_t max_bytes; /* of the body; 0: 64 KB */
    int out_fd;         /* gets the body of a 200; -1: it is dropped */
    /* Set by a signal handler: ends what takes time, with what there is. */
    const volatile sig_atomic_t *is_hurried;
};

struct cp_http_reply {
    int status;     /* 200, ...; 0: there was no answer */
    char text[512]; /* the beginning of the body, closed by NUL */
};

/*
 * CP_EIO if no complete answer came in time (a 404 is one), CP_EFORMAT if the
 * answer is not HTTP or is too long.
 */
enum cp_status cp_http_ask(const struct cp_http_address *to,
                           const struct cp_http_question *question,
                           struct cp_http_reply *out, struct cp_error *err);

/*
 * Reads the address of an endpoint that another process has named: a registry
 * file, or the library in a process that we attach to. Only the exact forms
 * that an endpoint writes are accepted: "http://127.0.0.1:6060/debug/pprof/",
 * with any numeric host, and "unix:/absolute/path" of printable characters.
 */
enum cp_status cp_http_ask_address(struct cp_http_address *out,
                                   const char *text, struct cp_error *err);

#define CP_HTTP_ANY_OWNER ((uid_t)-1)

/* One address of many that cp_http_ask_served tries. */
struct cp_http_probe {
    struct cp_http_address to;
    uid_t owner;    /* of a unix socket, or CP_HTTP_ANY_OWNER */
    bool is_served; /* the result */
    int fd;         /* internal */
};

/*
 * Tries to connect to addresses of this machine, all at once, and sets
 * is_served. Takes at most timeout_ms for all of them together.
 */
void cp_http_ask_served(struct cp_http_probe *probes, size_t n, int timeout_ms);

#endif
