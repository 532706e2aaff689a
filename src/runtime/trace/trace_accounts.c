/* trace_accounts.c - see trace_accounts.h. */
#include "runtime/trace/trace_accounts.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/threads/thread_state.h"
#include "signal/trace/trace.h"
#include "trace/model/model.h"

#define TICK_NS 10000000 /* of the times in stat: 100 a second, always */

/* Fields of stat after the name, from the state on, which is 0. */
enum {
    FIELD_MINFLT = 7,
    FIELD_MAJFLT = 9,
    FIELD_USER = 11,
    FIELD_SYS = 12,
    FIELD_CPU = 36,
    FIELDS
};

static bool read_stat(int32_t tid, struct cp_trace_numbers *out)
{
    char text[1024], *at;
    uint64_t fields[FIELDS] = { 0 };

    cp_thread_file_read(tid, "stat", text, sizeof(text));
    at = strrchr(text, ')');
    if (!at || at[1] != ' ')
        return false;
    at += 3; /* past the state */
    for (int i = 1; i < FIELDS && *at; i++)
        fields[i] = strtoull(at, &at, 10);
    out->minflt = fields[FIELD_MINFLT];
    out->majflt = fields[FIELD_MAJFLT];
    out->user_ns = fields[FIELD_USER] * TICK_NS;
    out->sys_ns = fields[FIELD_SYS] * TICK_NS;
    out->cpu = (int)fields[FIELD_CPU];
    return true;
}

static void read_delay(int32_t tid, struct cp_trace_numbers *out)
{
    char text[128], *at;

    cp_thread_file_read(tid, "schedstat", text, sizeof(text));
    (void)strtoull(text, &at, 10); /* on a processor: the clock knows better */
    out->has_delay = at != text;
    if (out->has_delay)
        out->run_delay_ns = strtoull(at, NULL, 10);
}

static void read_switches(int32_t tid, struct cp_trace_numbers *out)
{
    static const char will[] = "\nvoluntary_ctxt_switches:";
    static const char force[] = "\nnonvoluntary_ctxt_switches:";
    char text[4096];
    const char *a, *b;

    cp_thread_file_read(tid, "status", text, sizeof(text));
    a = strstr(text, will);
    b = strstr(text, force);
    out->has_switches = a && b;
    if (!out->has_switches)
        return;
    out->vcsw = strtoull(a + sizeof(will) - 1, NULL, 10);
    out->ivcsw = strtoull(b + sizeof(force) - 1, NULL, 10);
}

static bool read_numbers(int32_t tid, struct cp_trace_numbers *out)
{
    *out = (struct cp_trace_numbers){ .key = (uint64_t)tid };
    if (!read_stat(tid, out))
        return false;
    out->cpu_ns = (uint64_t)cp_clock_ns(cp_timer_clock(tid));
    read_delay(tid, out);
    read_switches(tid, out);
    return true;
}

/* Where the thread is, or would be. */
static size_t place_of(const struct cp_trace_accounts *a, int32_t tid)
{
    return cp_search_from(a->threads, sizeof(*a->threads), a->n_threads,
                          (uint64_t)tid);
}

static struct cp_trace_numbers *find(const struct cp_trace_accounts *a,
                                     int32_t tid)
{
    size_t at = place_of(a, tid);

    return at < a->n_threads && a->threads[at].key == (uint64_t)tid
               ? &a->threads[at]
               : NULL;
}

void cp_trace_accounts_open(struct cp_trace_accounts *a, int32_t tid)
{
    struct cp_trace_numbers now, *old = find(a, tid);
    size_t at = place_of(a, tid);

    if (!read_numbers(tid, &now))
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

static void take_end(const struct cp_trace_end *end,
                     struct cp_trace_numbers *out)
{
    *out = (struct cp_trace_numbers){ .cpu_ns = end->cpu_ns,
                                      .user_ns = end->user_ns,
                                      .sys_ns = end->sys_ns,
                                      .vcsw = end->vcsw,
                                      .ivcsw = end->ivcsw,
                                      .minflt = end->minflt,
                                      .majflt = end->majflt,
                                      .has_switches = true,
                                      .cpu = -1 };
}

static uint64_t since(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/*
 * The clock is exact; user and system time are counted in ticks, and tell how
 * to divide it.
 */
static void divide(const struct cp_trace_numbers *now,
                   const struct cp_trace_numbers *before,
                   struct cp_trace_account *out)
{
    uint64_t all = since(now->cpu_ns, before->cpu_ns);
    uint64_t user = since(now->user_ns, before->user_ns);
    uint64_t sys = since(now->sys_ns, before->sys_ns);

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

static void subtract(const struct cp_trace_numbers *now,
                     const struct cp_trace_numbers *before,
                     struct cp_trace_account *out)
{
    divide(now, before, out);
    out->has_delay = now->has_delay;
    out->run_delay_ns = since(now->run_delay_ns, before->run_delay_ns);
    out->has_switches = now->has_switches;
    out->vcsw = since(now->vcsw, before->vcsw);
    out->ivcsw = since(now->ivcsw, before->ivcsw);
    out->has_faults = true;
    out->minflt = since(now->minflt, before->minflt);
    out->majflt = since(now->majflt, before->majflt);
    out->has_cpu = now->cpu >= 0;
    out->cpu = now->cpu;
}

void cp_trace_accounts_close(struct cp_trace_accounts *a, int32_t tid,
                             const struct cp_trace_end *end,
                             struct cp_trace_account *out)
{
    struct cp_trace_numbers now, none = { 0 }, *before = find(a, tid);
    char *line;

    if (end) {
        take_end(end, &now);
        (void)snprintf(out->name, sizeof(out->name), "%.16s", end->name);
    } else if (read_numbers(tid, &now)) {
        cp_thread_file_read(tid, "comm", out->name, sizeof(out->name));
        line = strchr(out->name, '\n');
        if (line)
            *line = '\0';
    } else {
        return;
    }
    subtract(&now, before && !before->is_over ? before : &none, out);
    if (end && before)
        before->is_over = true;
}

void cp_trace_accounts_release(struct cp_trace_accounts *a)
{
    cp_free(a->threads);
    *a = (struct cp_trace_accounts){ 0 };
}
