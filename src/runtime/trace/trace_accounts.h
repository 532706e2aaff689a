/*
 * trace_accounts - reads the kernel counters of each thread, relative to the
 * start of the trace: CPU time, run delay, context switches and page faults.
 *
 * Context: the endpoint thread. Locking: none.
 * Failure: a thread whose /proc files cannot be read has no account, and
 * cp_trace_account.has_... stays false. Without memory the counters of a thread
 * start at 0.
 */
#ifndef CP_TRACE_ACCOUNTS_H
#define CP_TRACE_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_trace_account;
struct cp_trace_end;

/* Counters of a thread since it started. */
struct cp_trace_counters {
    uint64_t key;   /* tid; the first member, for base/search.h */
    bool has_ended; /* the tid may belong to a new thread */
    uint64_t cpu_ns, user_ns, sys_ns, run_delay_ns;
    uint64_t vcsw, ivcsw;    /* voluntary and involuntary context switches */
    uint64_t minflt, majflt; /* minor and major page faults */
    bool has_delay, has_switches; /* the kernel gives these counters */
    int cpu;                      /* last processor; -1 if unknown */
};

/* Starts as { 0 }. Threads that start during the trace need no entry. */
struct cp_trace_accounts {
    struct cp_trace_counters *threads; /* sorted by key */
    size_t n_threads, cap_threads;
};

void cp_trace_accounts_release(struct cp_trace_accounts *a);

/* Stores the thread's counters, which the trace will not include. */
void cp_trace_accounts_open(struct cp_trace_accounts *a, int32_t tid);

/*
 * Sets *out to the counters since cp_trace_accounts_open. `end` has the
 * counters that the thread itself recorded when it ended; NULL means to read
 * /proc.
 */
void cp_trace_accounts_close(struct cp_trace_accounts *a, int32_t tid,
                             const struct cp_trace_end *end,
                             struct cp_trace_account *out);

#endif
