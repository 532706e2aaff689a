/*
 * endpoint - serves /debug/pprof/ from inside the profiled program.
 *
 * One thread runs one HTTP server, with all signals blocked. If the kernel
 * allows it, the thread has its own file descriptor table (CLONE_FILES is
 * unshared). Then the program does not see the sockets of the endpoint, cannot
 * close them by mistake as daemons do, and does not pass them to children; and
 * the endpoint keeps no file of the program open. The paths are those of Go's
 * net/http/pprof; docs/http.md describes them.
 *
 * Context: start, stop, await_end and free from one thread at a time;
 * cp_endpoint_stop also from signal handlers.
 * Locking: none; the caller serialises (listen.c).
 * Ordering: the thread publishes each stage by an atomic store and a futex.
 * Failure: cp_endpoint_start returns an error and leaves nothing behind.
 */
#ifndef CP_ENDPOINT_H
#define CP_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/address.h"

struct cp_kind;

/* The cost of the profiler, for the index page. */
struct cp_endpoint_cost {
    uint64_t memory_bytes;     /* in use by the library */
    uint64_t max_memory_bytes; /* limit of memory_bytes; 0 if unknown */
    uint64_t n_samples;        /* samples of all kinds since the start */
    uint64_t n_lost;           /* samples lost since the start */
    uint64_t cpu_ns;           /* CPU time, excluding the endpoint thread */
};

struct cp_endpoint_options {
    /* PPROFLISTEN: host:port, :port, port, unix:/path; {pid} is replaced. */
    const char *listen;
    /*
     * Ends in NULL. For a kind that Go has and the list lacks, the endpoint
     * serves an empty profile.
     */
    const struct cp_kind *const *kinds;
    /* The i-th kind that the program has added, or NULL. May be NULL. */
    const struct cp_kind *(*more_kinds)(size_t i);
    /* May be NULL. */
    void (*cost)(struct cp_endpoint_cost *out);
    /* Does not print the address on stderr. */
    bool is_quiet;
    /* Accepts any Host header; see http/guard.h. */
    bool allows_any_host;
    /*
     * Shares the descriptor table of the program, as on older kernels. Used by
     * tests only.
     */
    bool shares_descriptors;
    /* The token that clients must send (http/token.h); "" or NULL if none. */
    const char *token;
    /* A socket that listens on the address; the endpoint owns it. 0 if none. */
    int listen_fd;
    /*
     * The lease of that socket (address_transfer.h), open while the endpoint
     * serves. If it is set, both descriptors are closed on failure. 0 if none.
     */
    int lease_fd;
    /*
     * Called with the address when the endpoint begins to serve, and again
     * after a lease. Returns true if the endpoint should print the address on
     * stderr. May be NULL.
     */
    bool (*on_serving)(const char *address);
    /* Called when a descendant leases the address. May be NULL. */
    void (*on_leased)(void);
    /* Whether a descendant may lease the address now. NULL means never. */
    bool (*may_lease)(void);
    /*
     * Handles POST detach from a client on this machine. NULL if not allowed.
     */
    void (*on_detach)(void);
    /*
     * Starts a thread of the library that calls run(context) with all signals
     * blocked.
     */
    enum cp_status (*spawn)(void (*run)(void *context), void *context,
                            struct cp_error *err);
};

struct cp_endpoint;

/*
 * Binds the address, starts the thread, and prints one line with the address on
 * stderr unless is_quiet is set. The caller prints *err. Everything that
 * options points to must outlive the endpoint.
 */
enum cp_status cp_endpoint_start(struct cp_endpoint **out,
                                 const struct cp_endpoint_options *options,
                                 struct cp_error *err);

/*
 * Requests the end of the thread and returns at once. Async-signal-safe.
 */
void cp_endpoint_stop(struct cp_endpoint *e);

/* Waits until the thread has ended; false after 5 s. */
bool cp_endpoint_await_end(struct cp_endpoint *e);

/*
 * Ends the thread and copies the address, with the actual port, so that a new
 * endpoint can start there. Returns false if the thread has not ended.
 */
bool cp_endpoint_pause(struct cp_endpoint *e, char at[CP_HTTP_ADDRESS_BYTES]);

/* "http://127.0.0.1:6060/debug/pprof/" or "unix:/path". */
const char *cp_endpoint_address(const struct cp_endpoint *e);

/* Call it after the thread has ended. NULL is allowed. */
void cp_endpoint_free(struct cp_endpoint *e);

/*
 * Call in the child of a fork, where the thread does not exist: closes the
 * inherited descriptors. Leaks the memory, which an interrupted update may have
 * left inconsistent.
 */
void cp_endpoint_abandon(struct cp_endpoint *e);

#endif
