/*
 * endpoint - serves /debug/pprof/ from inside the profiled program.
 *
 * One server on one thread that blocks all signals. Where the kernel lets it,
 * the thread has a table of file descriptors of its own: the program does not
 * see our sockets, cannot close them by mistake (as daemons do that close
 * everything), does not hand them to its children, and we hold none of its
 * own open. The contract is that of Go's net/http/pprof; docs/http.md has it
 * in full.
 */
#ifndef CP_ENDPOINT_H
#define CP_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "http/address.h"

struct cp_kind;

/* What the profiler itself costs, for the index page. */
struct cp_endpoint_cost {
    uint64_t memory_bytes;     /* held by the library now */
    uint64_t max_memory_bytes; /* its limit; 0: not known */
    uint64_t n_samples;        /* taken since the start, of all kinds */
    uint64_t n_lost;           /* of them lost, and counted */
    uint64_t cpu_ns; /* spent in its handlers and threads but the endpoint's */
};

struct cp_endpoint_options {
    /* PPROFLISTEN: host:port, :port, port, unix:/path; {pid} is replaced. */
    const char *listen;
    /* The kinds, ended by NULL. Those that Go serves and that are missing
       here answer an empty profile. */
    const struct cp_kind *const *kinds;
    /* Kinds that come later, by number, until it gives NULL; may be NULL. */
    const struct cp_kind *(*more_kinds)(size_t i);
    /* May be NULL. */
    void (*cost)(struct cp_endpoint_cost *out);
    /* Does not say where it listens. */
    bool is_quiet;
    /* Whether browsers may come by any name; see http/guard.h. */
    bool allows_any_host;
    /* Use the program's descriptors even where the thread could have its own;
       for tests of what happens on older kernels. */
    bool shares_descriptors;
    /* What clients must send (http/token.h); "" or NULL: nothing. */
    const char *token;
    /* A socket that listens there already; the endpoint owns it. 0: none. */
    int listen_fd;
    /*
     * Its lease (address_transfer.h), open while the endpoint serves. With it
     * both descriptors are closed on failure. 0: none.
     */
    int lease_fd;
    /*
     * Called with the address when it begins to serve and when it serves
     * again; true: report the address to the user. May be NULL.
     */
    bool (*serving)(const char *address);
    /* Called when a descendant serves in our place. May be NULL. */
    void (*handed)(void);
    /* May a descendant have the address now? NULL: never. */
    bool (*may_hand)(void);
    /* A client on this machine asks that all be ended. NULL: it may not. */
    void (*ending)(void);
    /*
     * Starts a thread that calls run(context), with all signals blocked;
     * or says why it cannot. The library makes it past the program's hooks.
     */
    enum cp_status (*spawn)(void (*run)(void *context), void *context,
                            struct cp_error *err);
};

struct cp_endpoint;

/*
 * Binds the address, starts the thread, and writes to stderr, in one line,
 * where it listens (unless told to be quiet); or fails, and *err says why in
 * one line that the caller is to show. What options points at must outlive the
 * endpoint.
 */
enum cp_status cp_endpoint_start(struct cp_endpoint **out,
                                 const struct cp_endpoint_options *options,
                                 struct cp_error *err);

/*
 * Asks the thread to end: its run returns soon. Safe from any thread and in a
 * signal handler.
 */
void cp_endpoint_stop(struct cp_endpoint *e);

/* Waits until the thread has ended; false: it has not, within a while. */
bool cp_endpoint_await_end(struct cp_endpoint *e);

/*
 * Ends the thread, and gives the address with the port that it has; it can be
 * freed and started there again. False: the thread goes on.
 */
bool cp_endpoint_pause(struct cp_endpoint *e, char at[CP_HTTP_ADDRESS_BYTES]);

/* Where it listens: "http://127.0.0.1:6060/debug/pprof/" or "unix:/path". */
const char *cp_endpoint_address(const struct cp_endpoint *e);

/* Frees it, when the thread has ended. NULL is allowed. */
void cp_endpoint_free(struct cp_endpoint *e);

/*
 * In the child of a fork, where the thread does not exist: closes what the
 * child has inherited. The memory is left as it is, for the fork may have come
 * at any moment.
 */
void cp_endpoint_abandon(struct cp_endpoint *e);

#endif
