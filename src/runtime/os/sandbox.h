/*
 * sandbox - which system calls the library may still make.
 *
 * A seccomp filter may end the process for a single call. There are three
 * states, and a process never goes back from one:
 *
 *   free      no thread has a filter: every call is tried
 *   filtered  a filter was there when the program started, or was found on a
 *             thread: only calls of systemd's group @system-service are made
 *   sealed    the program installs a filter that would end it for a call of
 *             ours: all recording stops before, and no call is made after
 *
 * A filter that the program installs itself is run over the calls of the
 * library (seccomp_filter.h) before it takes effect. docs/packaging.md has the
 * rules for users.
 *
 * Context: any thread. Locking: none. Ordering: the flags are set before the
 * filter is installed; readers load them relaxed. Failure: none.
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

/* Looks for a filter on any thread, unless one was found before. */
bool cp_sandbox_is_filtered(void);

/* Whether one was found before: one load. */
bool cp_sandbox_was_filtered(void);

/* What the library must do before the program installs a filter. */
enum cp_sandbox_need {
    CP_SANDBOX_NOTHING,
    CP_SANDBOX_NO_PERF,    /* perf_event_open would end the program */
    CP_SANDBOX_NO_THREADS, /* and so would a new thread of ours */
    CP_SANDBOX_SEAL,
};

/* is_for_all: the filter is for all threads (SECCOMP_FILTER_FLAG_TSYNC). */
enum cp_sandbox_need cp_sandbox_check_filter(const struct sock_filter *filter,
                                             size_t n, bool is_for_all);

/* Marks the process as filtered. */
void cp_sandbox_set_filtered(void);

#endif
