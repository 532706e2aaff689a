/*
 * trace_accounts - what the kernel says of each thread, less what it said when
 * the trace began.
 */
#ifndef CP_TRACE_ACCOUNTS_H
#define CP_TRACE_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_trace_account;
struct cp_trace_end;

struct cp_trace_numbers {
    uint64_t key; /* its tid; first, to be found by it (base/search.h) */
    bool is_over; /* the thread is no more */
    uint64_t cpu_ns, user_ns, sys_ns, run_delay_ns;
    uint64_t vcsw, ivcsw, minflt, majflt;
    bool has_delay, has_switches;
    int cpu;
};

/* Starts as { 0 }: threads that began later need no account. */
struct cp_trace_accounts {
    struct cp_trace_numbers *threads; /* by tid */
    size_t n_threads, cap_threads;
};

void cp_trace_accounts_release(struct cp_trace_accounts *a);

/* What a thread has had so far is not part of the trace. */
void cp_trace_accounts_open(struct cp_trace_accounts *a, int32_t tid);

/* What it has had since; `end` is its own last word, or NULL. */
void cp_trace_accounts_close(struct cp_trace_accounts *a, int32_t tid,
                             const struct cp_trace_end *end,
                             struct cp_trace_account *out);

#endif
