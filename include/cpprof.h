/*
 * cpprof.h - control the profiler from your program.
 *
 * You do not need this header to profile a program: preload the library.
 *
 *     PPROFLISTEN=localhost:6060 LD_PRELOAD=libcpprof.so ./server
 *
 * Include it if your program should decide when and what to profile:
 *
 *     cc server.c $(pkg-config --cflags --libs cpprof)
 *
 * examples/ has a program for each part.
 *
 * Errors. Functions that return int return 0, or -1 on failure. Functions that
 * return a pointer return NULL on failure. cpprof_error() then returns the
 * reason. Log it and continue: a profiler must not break a program.
 *
 * Threads. You can call every function from any thread after the start of
 * main(), but not from a signal handler. You need no cleanup at the end.
 *
 * Compatibility. Structs that you fill in begin with their size; initialise
 * them with their macro. New versions add fields at the end, and 0 keeps the
 * old behaviour. So a program runs with a newer library, and with an older one
 * unless it sets a field that the older one lacks. Functions keep their names
 * and arguments, and have the symbol version CPPROF_0. All names begin with
 * cpprof_ or CPPROF_.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CPPROF_H
#define CPPROF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. */
#define CPPROF_VERSION "0.1.0"
#define CPPROF_VERSION_MAJOR 0
#define CPPROF_VERSION_MINOR 1
#define CPPROF_VERSION_PATCH 0

/* The version of the loaded library, such as "0.1.0". */
const char *cpprof_version(void);

/*
 * The reason of the last failure on this thread, without a newline. Valid until
 * the next failure on this thread.
 */
const char *cpprof_error(void);

/* ---- the endpoint ---- */

/*
 * Starts a thread that serves /debug/pprof/ over HTTP. `where` is "host:port",
 * ":port" or "port" (loopback), "localhost:0" (any free port) or "unix:/path",
 * where {pid} is replaced by the process id. Fails if the endpoint runs
 * already.
 */
int cpprof_listen(const char *where);

/* The URL of the endpoint, or "unix:/path"; NULL if there is none. */
const char *cpprof_address(void);

/*
 * Stops the endpoint: closes its connections, ends its threads and frees
 * memory. You can call cpprof_listen again.
 */
int cpprof_close(void);

/*
 * For `cpprof attach`, which calls it in a running program: starts the endpoint
 * and prints nothing. `settings` has the format of CPPROF. `out` receives the
 * address or the error. An empty `where` ends the session.
 */
int cpprof_attach(const char *where, const char *settings, char *out,
                  size_t cap);

/* ---- with your own HTTP server ---- */

/* A request under /debug/pprof/ that your server has received. */
struct cpprof_request {
    size_t size;        /* sizeof(struct cpprof_request) */
    const char *method; /* "GET" */
    const char *target; /* "/debug/pprof/profile?seconds=5" */
    const void *body;   /* body of a POST, or NULL */
    size_t body_len;
    int client;     /* socket; its disconnection cancels the profile; 0: none */
    int may_change; /* 1: allow the client to set rates (POST block?rate=1) */
};

#define CPPROF_REQUEST_INIT                                                    \
    {                                                                          \
        sizeof(struct cpprof_request), NULL, NULL, NULL, 0, 0, 0               \
    }

struct cpprof_header {
    const char *name;
    const char *value;
};

/*
 * A response. Your server adds the headers of the connection: Content-Length,
 * Connection and Date.
 */
struct cpprof_response {
    size_t size; /* sizeof(struct cpprof_response) in the library */
    int status;  /* 200, 404, ... */
    size_t n_headers;
    const struct cpprof_header *headers;
    const void *body;
    size_t body_len;
};

/*
 * Answers a request. Blocks until the profile is complete, so call it on a
 * thread that may wait. Any number of calls may run at once. An unknown path
 * gets status 404. Returns NULL if memory is exhausted or the client has
 * disconnected. Free the response with cpprof_response_free.
 */
struct cpprof_response *cpprof_answer(const struct cpprof_request *request);

/* Frees a response and everything it points to; NULL is allowed. */
void cpprof_response_free(struct cpprof_response *response);

/*
 * Like cpprof_answer, but writes a complete HTTP/1.1 response with status line
 * and headers to fd. Close the connection afterwards. Fails early if fd is a
 * socket and the client disconnects.
 */
int cpprof_handle(const char *method, const char *target, const void *body,
                  size_t body_len, int fd);

/* ---- profiles ---- */

/*
 * Options of a profile; 0 is the default of the endpoint.
 */
struct cpprof_options {
    size_t size;    /* sizeof(struct cpprof_options) */
    unsigned hz;    /* "profile", "wall": samples per second; 0: default */
    unsigned flags; /* CPPROF_NO_SYMBOLS, CPPROF_GC */
    unsigned debug; /* 0: profile.proto; 1: text */
};

#define CPPROF_OPTIONS_INIT                                                    \
    {                                                                          \
        sizeof(struct cpprof_options), 0, 0, 0                                 \
    }

#define CPPROF_NO_SYMBOLS                                                      \
    1u               /* addresses and build ids only: less work                \
                      */
#define CPPROF_GC 2u /* "heap": without unreachable blocks */

/*
 * Records for `seconds` and writes a gzipped profile.proto with names, files
 * and lines to fd. Blocks meanwhile. Several calls may run at once. Kinds:
 *
 * - over time, seconds > 0: "profile" (CPU), "wall", and "trace", which is an
 *   execution trace and not a profile;
 * - a snapshot after `seconds`, which may be 0: "heap", "allocs", "growth",
 *   "leak", "block", "mutex", "goroutine" (all threads), "threadcreate" and
 *   custom profiles.
 */
int cpprof_write(const char *kind, double seconds, int fd);

/* Like cpprof_write, with options, which may be NULL. */
int cpprof_write_with(const char *kind, double seconds,
                      const struct cpprof_options *options, int fd);

/* A profile that is being recorded. */
struct cpprof_profile;

/*
 * Like cpprof_write, in two steps: cpprof_start begins to record, cpprof_stop
 * writes the profile and frees it, also on failure. With fd -1 it writes
 * nothing. A thread keeps a trace in memory, up to 64 MiB; the trace counts the
 * events it loses beyond that. A forked child cannot stop a trace of its
 * parent.
 */
struct cpprof_profile *cpprof_start(const char *kind);
struct cpprof_profile *cpprof_start_with(const char *kind,
                                         const struct cpprof_options *options);
int cpprof_stop(struct cpprof_profile *profile, int fd);

/*
 * The profiles "block" (where threads wait) and "mutex" (which code makes
 * others wait) are off until you set a rate. You can change it at any time. As
 * in Go, "block" takes one sample per so many nanoseconds of waiting on
 * average, and "mutex" one per n waits for a lock. 1 records every wait, 0
 * turns it off.
 */
int cpprof_set_block_rate(unsigned long nanoseconds);
int cpprof_set_mutex_fraction(unsigned long n);

/* ---- custom profiles ---- */

/*
 * Counts objects of your program that are opened and closed, such as
 * connections or transactions. A name consists of letters, digits, '_', '-' and
 * '.'. At most 16 custom profiles, which exist until the program ends.
 */
struct cpprof_custom;

struct cpprof_custom *cpprof_custom_new(const char *name);

/*
 * Adds a value with the stack of the caller, or removes it. A value is any
 * unique address, which is never dereferenced. Fails for a value that is
 * present already, or that is not present.
 */
int cpprof_custom_add(struct cpprof_custom *custom, const void *value);
int cpprof_custom_remove(struct cpprof_custom *custom, const void *value);

/* ---- labels ---- */

/*
 * Sets a label of the current thread. Later samples of the thread have it, and
 * `pprof -tagfocus=key=value` selects them. Use few different values, such as a
 * route or a tenant and not a request id: a process has room for 65,536 sets of
 * labels. The texts are copied.
 */
int cpprof_label_set(const char *key, const char *value);
int cpprof_label_clear(const char *key);

/*
 * A number that stands for all labels of the thread. Use it to restore them
 * later, or to set them on another thread that works for this one. 0: no
 * labels.
 */
unsigned cpprof_labels_get(void);
void cpprof_labels_put(unsigned labels);

/*
 * Marks in the execution trace. A region is the work of a thread between begin
 * and end; regions nest, and both calls need the same name. cpprof_log adds a
 * message at one moment. The trace viewer shows both on the lane of the thread.
 * Without a trace a call costs one branch. Texts are copied, up to 1024 bytes.
 */
void cpprof_region_begin(const char *name);
void cpprof_region_end(const char *name);
void cpprof_log(const char *category, const char *message);

#ifdef __cplusplus
}
#endif

#endif
