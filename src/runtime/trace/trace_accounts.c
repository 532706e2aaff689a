/*
 * trace_accounts.c - reads stat, schedstat and status of a thread in /proc, and
 * subtracts the values at the start of the trace.
 */
#include "runtime/trace/trace_accounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/threads/thread_state.h"
#include "signal/trace/trace.h"
#include "trace/model/model.h"

#define USER_HZ_NS 10000000 /* unit of times in stat: USER_HZ is always 100 */

/* Fields of stat after the name; the state is number 0. */
enum {
    FIELD_MINFLT = 7,
    FIELD_MAJFLT = 9,
    FIELD_USER = 11,
    FIELD_SYS = 12,
    FIELD_CPU = 36,
    FIELDS
};

static bool read_stat(int32_t tid, struct cp_trace_counters *out)
{
    char text[1024], *at;
    uint64_t fields[FIELDS] = { 0 };

    cp_thread_file_read(tid, "stat", text, sizeof(text));
    at = strrchr(text, ')');
    if (!at || at[1] != ' ')
        return false;
    at += 3; /* skip the state */
    for (int i = 1; i < FIELDS && *at; i++)
        fields[i] = strtoull(at, &at, 10);
    out->minflt = fields[FIELD_MINFLT];
    out->majflt = fields[FIELD_MAJFLT];
    out->user_ns = fields[FIELD_USER] * USER_HZ_NS;
    out->sys_ns = fields[FIELD_SYS] * USER_HZ_NS;
    out->cpu = (int)fields[FIELD_CPU];
    return true;
}

static void read_delay(int32_t tid, struct cp_trace_counters *out)
{
    char text[128], *at;

    cp_thread_file_read(tid, "schedstat", text, sizeof(text));
    (void)strtoull(text, &at, 10); /* CPU time: the clock is more exact */
    out->has_delay = at != text;
    if (out->has_delay)
        out->run_delay_ns = strtoull(at, NULL, 10);
}

static void read_switches(int32_t tid, struct cp_trace_counters *out)
{
    static const char voluntary[] = "\nvoluntary_ctxt_switches:";
    static const char involuntary[] = "\nnonvoluntary_ctxt_switches:";
    char text[4096];
    const char *a, *b;

    cp_thread_file_read(tid, "status", text, sizeof(text));
    a = strstr(text, voluntary);
    b = strstr(text, involuntary);
    out->has_switches = a && b;
    if (!out->has_switches)
        return;
    out->vcsw = strtoull(a + sizeof(voluntary) - 1, NULL, 10);
    out->ivcsw = strtoull(b + sizeof(involuntary) - 1, NULL, 10);
}

static bool read_counters(int32_t tid, struct cp_trace_counters *out)
{
    *out = (struct cp_trace_counters){ .key = (uint64_t)tid };
    if (!read_stat(tid, out))
        return false;
    out->cpu_ns = (uint64_t)cp_clock_ns(cp_timer_clock(tid));
    read_delay(tid, out);
    read_switches(tid, out);
    return true;
}

/* The index of the thread, or where it has to be inserted. */
static size_t index_of(const struct cp_trace_accounts *a, int32_t tid)
{
    return cp_search_from(a->threads, sizeof(*a->threads), a->n_threads,
                          (uint64_t)tid);
}

static struct cp_trace_counters *find(const struct cp_trace_accounts *a,
                                      int32_t tid)
{
    size_t at = index_of(a, tid);

    return at < a->n_threads && a->threads[at].key == (uint64_t)tid
               ? &a->threads[at]
               : NULL;
}

void cp_trace_accounts_open(struct cp_trace_accounts *a, int32_t tid)
{
    struct cp_trace_counters now, *old = find(a, tid);
    size_t at = index_of(a, tid);

    if (!read_counters(tid, &now))
        return;
    if (old) {
        *old = now;
        return;
    }
    if (cp_reserve(&a->threads, &a->cap_threads, a->n_threads + 1,
                   sizeof(*a->threads), NULL) != CP_OK)
        return;
    memmove(a->threads + at + 1, a->threads + at,
            (a->n_threads - at) * sizeof(*a->threads));
    a->threads[at] = now;
    a->n_threads++;
}

static void copy_end(const struct cp_trace_end *end,
                     struct cp_trace_counters *out)
{
    *out = (struct cp_trace_counters){ .cpu_ns = end->cpu_ns,
                                       .user_ns = end->user_ns,
                                       .sys_ns = end->sys_ns,
                                       .vcsw = end->vcsw,
                                       .ivcsw = end->ivcsw,
                                       .minflt = end->minflt,
                                       .majflt = end->majflt,
                                       .has_switches = true,
                                       .cpu = -1 };
}

static uint64_t difference(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/*
 * Splits the CPU time into user and system time. The CPU clock is exact; user
 * and system time have a resolution of 10 ms and only give the ratio.
 */
static void split_cpu_time(const struct cp_trace_counters *now,
                           const struct cp_trace_counters *before,
                           struct cp_trace_account *out)
{
    uint64_t all = difference(now->cpu_ns, before->cpu_ns);
    uint64_t user = difference(now->user_ns, before->user_ns);
    uint64_t sys = difference(now->sys_ns, before->sys_ns);

    if (user + sys == 0) {
        user = now->user_ns;
        sys = now->sys_ns;
    }
    out->has_times = true;
    out->user_ns =
        user + sys == 0
            ? all
            : (uint64_t)((double)all * (double)user / (double)(user + sys));
    out->sys_ns = all - out->user_ns;
}

static void subtract(const struct cp_trace_counters *now,
                     const struct cp_trace_counters *before,
                     struct cp_trace_account *out)
{
    split_cpu_time(now, before, out);
    out->has_delay = now->has_delay;
    out->run_delay_ns = difference(now->run_delay_ns, before->run_delay_ns);
    out->has_switches = now->has_switches;
    out->vcsw = difference(now->vcsw, before->vcsw);
    out->ivcsw = difference(now->ivcsw, before->ivcsw);
    out->has_faults = true;
    out->minflt = difference(now->minflt, before->minflt);
    out->majflt = difference(now->majflt, before->majflt);
    out->has_cpu = now->cpu >= 0;
    out->cpu = now->cpu;
}

void cp_trace_accounts_close(struct cp_trace_accounts *a, int32_t tid,
                             const struct cp_trace_end *end,
                             struct cp_trace_account *out)
{
    struct cp_trace_counters now, none = { 0 }, *before = find(a, tid);
    char *line;

    if (end) {
        copy_end(end, &now);
        (void)snprintf(out->name, sizeof(out->name), "%.16s", end->name);
    } else if (read_counters(tid, &now)) {
        cp_thread_file_read(tid, "comm", out->name, sizeof(out->name));
        line = strchr(out->name, '\n');
        if (line)
            *line = '\0';
    } else {
        return;
    }
    subtract(&now, before && !before->has_ended ? before : &none, out);
    if (end && before)
        before->has_ended = true;
}

void cp_trace_accounts_release(struct cp_trace_accounts *a)
{
    cp_free(a->threads);
    *a = (struct cp_trace_accounts){ 0 };
}
