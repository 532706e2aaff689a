/*
 * read_profile - a profile of waiting: counts and times by stack, like `go tool
 * trace -pprof`.
 *
 *   sched     runnable, but not running; stack of the waker
 *   sync      waiting for locks, channels and the like
 *   syscall   in system calls
 *   net       waiting for the network
 */
#ifndef CP_TRACE_READ_PROFILE_H
#define CP_TRACE_READ_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_profile;
struct cp_trace_names;
struct cp_trace_span;

enum cp_trace_profile_kind {
    CP_TRACE_PROFILE_SCHED,
    CP_TRACE_PROFILE_SYNC,
    CP_TRACE_PROFILE_SYSCALL,
    CP_TRACE_PROFILE_NET,
    CP_TRACE_PROFILE_N,
};

/* Returns the name: "sched", ... */
const char *cp_trace_profile_name(enum cp_trace_profile_kind kind);

/* Adds spans up. Initialize with { 0 }, then set kind, from_ns and to_ns. */
struct cp_trace_profile {
    enum cp_trace_profile_kind kind;
    uint64_t from_ns, to_ns; /* only spans in between; all if to_ns is 0 */
    uint64_t *counts, *ns;   /* indexed by stack */
    size_t n, cap_counts, cap_ns;
};

/*
 * Adds a span; the `span` callback of a watcher. As in Go's tool, it skips
 * spans that the end of the trace ended, and spans before a thread first runs
 * in it.
 */
enum cp_status cp_trace_profile_add(void *context,
                                    const struct cp_trace_span *s,
                                    struct cp_error *err);

/* Builds the profile; NULL with *err set on failure. */
struct cp_profile *cp_trace_profile_make(const struct cp_trace_profile *p,
                                         const struct cp_trace_names *names,
                                         struct cp_error *err);

void cp_trace_profile_release(struct cp_trace_profile *p);

#endif
