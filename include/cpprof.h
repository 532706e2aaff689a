/*
 * cpprof.h - a profiler inside your own program.
 *
 * Everything works without this header, by preloading the library:
 *
 *     PPROFLISTEN=localhost:6060 LD_PRELOAD=libcpprof.so ./server
 *
 * With it, a program decides itself when and where:
 *
 *     cc server.c $(pkg-config --cflags --libs cpprof)
 *
 * The examples in examples/ show each part at work.
 *
 * Results. Functions that return int return 0, or -1 when they failed; those
 * that return a pointer return NULL when they failed. cpprof_error() then says
 * why. A profiler must not break a program: the usual thing to do with a
 * failure is to log that line and go on.
 *
 * Threads. All functions may be called from any thread and at any time after
 * the start of main, but not from a signal handler. Nothing needs to be undone
 * at the end of the program.
 *
 * Growth. Structs that the program fills in begin with their size, and have a
 * macro that sets it and leaves the rest empty. New fields come at the end,
 * and empty always means "as before"; so a program runs with a newer library
 * as it was compiled, and with an older one unless it uses what that has not.
 * Functions keep their names and arguments; in the shared library they have
 * the version CPPROF_0. Every name begins with cpprof_ or CPPROF_.
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

/* The version of the library that is loaded, in the same form. */
const char *cpprof_version(void);

/*
 * Why the last call of this thread that failed did so: one line, without an
 * end of line. Valid until the next call that fails.
 */
const char *cpprof_error(void);

/* ---- an endpoint ---- */

/*
 * Serves http://.../debug/pprof/ from now on, by a thread of the library.
 * `where` is "host:port", ":port" (loopback), "port", "localhost:0" (any free
 * port) or "unix:/path"; in a path {pid} is replaced. A second call fails: one
 * place is enough.
 */
int cpprof_listen(const char *where);

/* Where that is, as a URL, or "unix:/path"; NULL if nowhere. */
const char *cpprof_address(void);

/*
 * Ends that: profiles that are under way get no answer, the threads end, and
 * what memory can be is given back. cpprof_listen may be called again.
 */
int cpprof_close(void);

/*
 * What `cpprof attach` calls in a running program that it has loaded the
 * library into: listens, without a word on stderr. `settings` is what CPPROF
 * would be. The address, or why there is none, is left in `out`.
 */
int cpprof_attach(const char *where, const char *settings, char *out,
                  size_t cap);

/* ---- inside an HTTP server that the program has ---- */

/* A request for something under /debug/pprof/ that the program was sent. */
struct cpprof_request {
    size_t size;        /* sizeof(struct cpprof_request) */
    const char *method; /* "GET" */
    const char *target; /* "/debug/pprof/profile?seconds=5" */
    const void *body;   /* of a POST, or NULL */
    size_t body_len;
    int client;     /* its socket, to end early when it has gone; 0: do not */
    int may_change; /* 1: the client may set rates (POST block?rate=1) */
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
 * The answer. Headers that belong to the connection and not to the content
 * (Content-Length, Connection, Date) are left to the program's server.
 */
struct cpprof_response {
    size_t size; /* of this struct, as the library knows it */
    int status;  /* 200, 404, ... */
    size_t n_headers;
    const struct cpprof_header *headers;
    const void *body;
    size_t body_len;
};

/*
 * Answers a request, waiting as long as the profile takes: on a thread that
 * has the time. Any number may run at once. What it does not know is answered
 * with a status of 404; NULL means that there is no answer, because memory ran
 * out or the client has gone. Free it with cpprof_response_free.
 */
struct cpprof_response *cpprof_answer(const struct cpprof_request *request);

/* Frees an answer with all that it points to; NULL is allowed. */
void cpprof_response_free(struct cpprof_response *response);

/*
 * The same for a server that has only a descriptor: writes a whole HTTP/1.1
 * response to fd, status line and headers included, after which the connection
 * is to be closed. Ends early, with -1, if fd is a socket whose other side has
 * gone.
 */
int cpprof_handle(const char *method, const char *target, const void *body,
                  size_t body_len, int fd);

/* ---- profiles ---- */

/*
 * How a profile is to be taken and written; empty is what the endpoint does
 * without parameters.
 */
struct cpprof_options {
    size_t size;    /* sizeof(struct cpprof_options) */
    unsigned hz;    /* "profile", "wall": samples a second; 0: the default */
    unsigned flags; /* CPPROF_NO_SYMBOLS, CPPROF_GC */
    unsigned debug; /* 1: text instead of profile.proto, for people */
};

#define CPPROF_OPTIONS_INIT                                                    \
    {                                                                          \
        sizeof(struct cpprof_options), 0, 0, 0                                 \
    }

#define CPPROF_NO_SYMBOLS                                                      \
    1u               /* addresses and build ids only: less work here           \
                      */
#define CPPROF_GC 2u /* "heap": leave out what nothing points to */

/*
 * Takes a profile of `seconds` from now and writes it to the descriptor, as a
 * gzipped profile.proto with names, files and lines. Kinds: "profile" (CPU)
 * and "wall", for which seconds must be more than 0; "heap", "allocs",
 * "growth", "leak", "block", "mutex", "goroutine" (all threads),
 * "threadcreate" and the program's own, which show what is there at the end
 * and for which seconds may be 0; and "trace", an execution trace, which is no
 * profile. Waits as long as that takes. Several may run at once.
 */
int cpprof_write(const char *kind, double seconds, int fd);

/* The same with options; NULL is cpprof_write. */
int cpprof_write_with(const char *kind, double seconds,
                      const struct cpprof_options *options, int fd);

/* A profile that is being taken. */
struct cpprof_profile;

/*
 * The same in two steps: cpprof_start begins, cpprof_stop writes what there
 * was in between. Stop frees it in any case; with fd -1 nothing is written. A
 * trace in two steps is kept in memory, up to 64 MiB, by a thread that is there
 * as long; events that find no room are counted. It cannot be stopped in the
 * child of a fork.
 */
struct cpprof_profile *cpprof_start(const char *kind);
struct cpprof_profile *cpprof_start_with(const char *kind,
                                         const struct cpprof_options *options);
int cpprof_stop(struct cpprof_profile *profile, int fd);

/*
 * The profiles "block" (where threads waited) and "mutex" (who made others
 * wait) are off until they have a rate; it may be changed at any time. As in
 * Go, the first is in nanoseconds of waiting for one sample on average, the
 * second is one in so many waits for a lock; 1 takes all, 0 is off.
 */
int cpprof_set_block_rate(unsigned long nanoseconds);
int cpprof_set_mutex_fraction(unsigned long n);

/* ---- profiles of your own ---- */

/*
 * A profile listed with the others: of connections, transactions, whatever is
 * opened and should be closed. Names are letters, digits, '_', '-' and '.';
 * at most 16 such profiles, which stay until the program ends.
 */
struct cpprof_custom;

struct cpprof_custom *cpprof_custom_new(const char *name);

/*
 * Counts a value, with the stack of the caller, until it is removed. A value
 * is an address that tells one from another; nothing is read there. Adding one
 * that is there already, or removing one that is not, fails.
 */
int cpprof_custom_add(struct cpprof_custom *custom, const void *value);
int cpprof_custom_remove(struct cpprof_custom *custom, const void *value);

/* ---- labels ---- */

/*
 * Labels of the current thread. Samples of the thread carry those that it has
 * at that time, and `pprof -tagfocus=key=value` finds them. Values are meant
 * to be few and used again: a route or a tenant rather than a request's
 * number; there is room for 65,536 different sets. The texts are copied.
 */
int cpprof_label_set(const char *key, const char *value);
int cpprof_label_clear(const char *key);

/*
 * A number for all labels of the thread, to put them back later, or on another
 * thread that does work for this one; 0 is no labels.
 */
unsigned cpprof_labels_get(void);
void cpprof_labels_put(unsigned labels);

/*
 * For the execution trace: a region is something that the thread does from
 * its begin to its end; regions nest, and end with the name that they began
 * with. A message is of one moment. Both are shown on the thread's lane. They
 * cost a branch when no trace is recorded; texts up to 1024 bytes are copied.
 */
void cpprof_region_begin(const char *name);
void cpprof_region_end(const char *name);
void cpprof_log(const char *category, const char *message);

#ifdef __cplusplus
}
#endif

#endif
