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
 * Functions return 0, or -1 when they failed; cpprof_error() then says why.
 * All of them may be called from any thread and at any time after the start of
 * main, but not from a signal handler. Nothing needs to be undone at the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CPPROF_H
#define CPPROF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; cpprof_version() is that of the library. */
#define CPPROF_VERSION "0.1.0"

const char *cpprof_version(void);

/*
 * Why the last call of this thread failed: one line, without an end of line.
 * Valid until the thread's next call.
 */
const char *cpprof_error(void);

/*
 * Serves http://.../debug/pprof/ from now on. `where` is "host:port", ":port"
 * (loopback), "port", "localhost:0" (any free port) or "unix:/path"; in a path
 * {pid} is replaced. A second call fails: one place is enough.
 */
int cpprof_listen(const char *where);

/* Where that is, as a URL, or "unix:/path"; NULL if nowhere. */
const char *cpprof_address(void);

/*
 * For a program with an HTTP server of its own: answers a request for
 * /debug/pprof/ that the server has got, such as cpprof_handle("GET",
 * "/debug/pprof/profile?seconds=5", NULL, 0, fd). Writes a whole HTTP/1.1
 * response to the descriptor, status line and headers included, after which
 * the connection is to be closed. Waits as long as the profile takes; ends
 * early, with -1, if fd is a socket whose other side has gone.
 */
int cpprof_handle(const char *method, const char *target, const void *body,
                  size_t body_len, int fd);

/*
 * Takes a profile of `seconds` from now and writes it to the descriptor, as a
 * gzipped profile.proto with names, files and lines. Kinds: "profile" (CPU),
 * "wall"; "heap", "allocs" and "growth", which show what is at the end and for
 * which seconds may be 0; "trace", an execution trace, which is no profile.
 * Waits as long as that takes. Several may run at once.
 */
int cpprof_write(const char *kind, double seconds, int fd);

/*
 * The same in two steps: cpprof_start begins, cpprof_stop writes what there
 * was in between. Returns NULL when it fails; stop frees it in any case. With
 * fd -1 nothing is written. A trace in two steps has room for some 260,000
 * events, and counts those that come later.
 */
struct cpprof_profile;

struct cpprof_profile *cpprof_start(const char *kind);
int cpprof_stop(struct cpprof_profile *profile, int fd);

/*
 * The profiles "block" (where threads waited) and "mutex" (who made others
 * wait) are off until they have a rate; it may be changed at any time. As in
 * Go, the first is in nanoseconds of waiting for one sample on average, the
 * second is one in so many unlocks that somebody waited for; 1 takes all, 0 is
 * off.
 */
int cpprof_set_block_rate(unsigned long nanoseconds);
int cpprof_set_mutex_fraction(unsigned long n);

/*
 * A profile of your own, listed with the others: of connections, transactions,
 * whatever is opened and should be closed. A value is added with the stack of
 * whoever adds it, and is counted until it is removed. Names are letters,
 * digits, '_', '-' and '.'; at most 16 such profiles. Returns NULL when it
 * fails.
 */
struct cpprof_custom;

struct cpprof_custom *cpprof_custom_new(const char *name);
int cpprof_custom_add(struct cpprof_custom *custom, const void *value);
int cpprof_custom_remove(struct cpprof_custom *custom, const void *value);

/*
 * Labels of the current thread. Samples of the thread carry those that it has
 * at that time, and `pprof -tagfocus=key=value` finds them. Values are meant
 * to be few and used again: a route or a tenant rather than a request's
 * number; there is room for 65,536 different sets.
 */
int cpprof_label_set(const char *key, const char *value);
int cpprof_label_clear(const char *key);

/* A number for all labels of the thread, to put them back later or elsewhere */
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
