/*
 * sandbox - which system calls the library may still make.
 *
 * A seccomp filter may kill the process for a single call. There are three
 * states, and a process never returns to an earlier one:
 *
 *   free      no thread has a filter: the library tries every call
 *   filtered  a filter existed at the start of the program, or was found on a
 *             thread: only calls of systemd's group @system-service are made
 *   sealed    the program installs a filter that would kill it for a call of
 *             the library: recording stops before that, and the library makes
 *             no call afterwards
 *
 * Before the program installs a filter, the library interprets it for each of
 * its own calls (seccomp_filter.h). docs/packaging.md has the rules for users.
 *
 * Context: any thread. Locking: none.
 * Ordering: the flags are set before the filter is installed; readers load them
 * relaxed.
 * Failure: a thread whose state cannot be read counts as not filtered.
 */
#ifndef CP_SANDBOX_H
#define CP_SANDBOX_H

#include <linux/filter.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct sock_filter;

extern _Atomic bool cp_sandbox_sealed;

static inline bool cp_sandbox_is_sealed(void)
{
    return atomic_load_explicit(&cp_sandbox_sealed, memory_order_relaxed);
}

/* Scans all threads for a filter, unless one was found before. */
bool cp_sandbox_is_filtered(void);

/* The result of the last scan: one load. */
bool cp_sandbox_was_filtered(void);

/* What the library must give up before the program installs a filter. */
enum cp_sandbox_need {
    CP_SANDBOX_NOTHING,
    CP_SANDBOX_NO_PERF,    /* events: perf_event_open would kill the program */
    CP_SANDBOX_NO_THREADS, /* also start no own threads */
    CP_SANDBOX_SEAL,       /* stop everything */
};

/* is_for_all: the filter applies to all threads (SECCOMP_FILTER_FLAG_TSYNC). */
enum cp_sandbox_need cp_sandbox_check_filter(const struct sock_filter *filter,
                                             size_t n, bool is_for_all);

/* Marks the process as filtered. */
void cp_sandbox_set_filtered(void);

#endif
