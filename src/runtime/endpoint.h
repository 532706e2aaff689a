/*
 * endpoint - serves /debug/pprof/ from inside the profiled program.
 *
 * One server on one thread, which should block all signals; the thread is the
 * caller's, so that the library can make it without the program's hooks. The
 * contract is that of Go's net/http/pprof; docs/http.md has it in full.
 */
#ifndef CP_ENDPOINT_H
#define CP_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/kind.h"

/* What the profiler itself costs, for the index page. */
struct cp_endpoint_cost {
    uint64_t memory_bytes;     /* held by the library now */
    uint64_t max_memory_bytes; /* its limit; 0: not known */
    uint64_t n_samples;        /* taken since the start, of all kinds */
    uint64_t n_lost;           /* of them lost, and counted */
    uint64_t cpu_ns;           /* spent in its handlers and threads */
};

struct cp_endpoint_options {
    /* PPROFLISTEN: host:port, :port, port, unix:/path; {pid} is replaced. */
    const char *listen;
    /* The kinds, ended by NULL. Those that Go serves and that are missing
       here answer an empty profile. */
    const struct cp_kind *const *kinds;
    /* May be NULL. */
    void (*cost)(struct cp_endpoint_cost *out);
};

struct cp_endpoint;

/*
 * Binds the address and writes to stderr, in one line, where it listens; or
 * fails, and *err says why in one line that the caller is to show.
 */
enum cp_status cp_endpoint_open(struct cp_endpoint **out,
                                const struct cp_endpoint_options *options,
                                struct cp_error *err);

/* Serves until cp_endpoint_stop; call it on a thread of its own. */
void cp_endpoint_run(struct cp_endpoint *e);

/* Makes run return soon. Safe from any thread and in a signal handler. */
void cp_endpoint_stop(struct cp_endpoint *e);

/* Where it listens: "http://127.0.0.1:6060/debug/pprof/" or "unix:/path". */
const char *cp_endpoint_address(const struct cp_endpoint *e);

/*
 * Closes all sockets and frees everything; run has returned or was never
 * called. With is_child, in the child of a fork, the socket's file is left
 * alone: it is the parent's.
 */
void cp_endpoint_close(struct cp_endpoint *e, bool is_child);

#endif
