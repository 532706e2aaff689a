/*
 * read_profile - where threads waited, as a profile: how often and for how
 * long at each stack, as `go tool trace -pprof` has it.
 *
 *   sched     ready to run, but not running; the stack of who made it ready
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

/* "sched", ... */
const char *cp_trace_profile_name(enum cp_trace_profile_kind kind);

/* Adds spans up; starts as { 0 } with what is wanted. */
struct cp_trace_profile {
    enum cp_trace_profile_kind kind;
    uint64_t from_ns, to_ns; /* only what is between; to 0: all */
    uint64_t *counts, *ns;   /* by stack */
    size_t n, cap_counts, cap_ns;
};

/*
 * Takes a span; the `span` of a watcher. As in the reference, what is still
 * open at the end of the trace is left out, and so is what a thread did before
 * it first ran in it.
 */
enum cp_status cp_trace_profile_add(void *context,
                                    const struct cp_trace_span *s,
                                    struct cp_error *err);

/* What has been added; NULL with *err set. */
struct cp_profile *cp_trace_profile_make(const struct cp_trace_profile *p,
                                         const struct cp_trace_names *names,
                                         struct cp_error *err);

void cp_trace_profile_release(struct cp_trace_profile *p);

#endif
