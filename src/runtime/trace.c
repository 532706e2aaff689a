/*
 * trace.c - see trace.h.
 *
 * Events are told a little later than they happen: a thread may have been
 * interrupted between looking at the clock and writing an event down, and who
 * ended a wait should be known when the wait is told.
 */
#include "runtime/trace.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "runtime/clock.h"
#include "runtime/cpu.h"
#include "runtime/hook_table.h"
#include "runtime/lock.h"
#include "runtime/locks.h"
#include "runtime/still.h"
#include "runtime/thread_state.h"
#include "runtime/threads.h"
#include "runtime/trace_accounts.h"
#include "runtime/trace_calls.h"
#include "runtime/trace_names.h"
#include "runtime/trace_pool.h"
#include "runtime/trace_switches.h"
#include "unwind/settle.h"

#define LAG_NS 40000000
#define STACK_SLOTS ((size_t)1 << 16)
#define STACK_FRAMES ((size_t)1 << 20)

/* A thread as it was when it was last looked at. */
struct seen {
    int32_t tid;
    bool is_ours;     /* it began in our hook, and says itself what it does */
    uint64_t wait_ns; /* since when it waits; 0: it does not */
    uint32_t wait_call, wait_stack;
};

struct session {
    const struct cp_trace_format *format;
    void *writer;
    struct cp_out out;
    struct cp_trace_model *model;
    struct cp_trace_stacks stacks;
    struct cp_trace_accounts accounts;
    struct cp_trace_switches switches;
    void *cpu_window;
    uint64_t begin_ns;
    struct seen *seen; /* by tid */
    size_t n_seen, cap_seen;
    struct seen *known; /* at the look before */
    size_t n_known, cap_known;
    uint64_t lost_before;
    struct cp_still_look *look;
};

static struct {
    struct cp_lock lock;
    struct session *session; /* there is one at a time */
} trace;

static uint64_t now_ns(void)
{
    return (uint64_t)cp_clock_ns(CLOCK_MONOTONIC);
}

/* ---- events ---- */

static void take_event(void *context, int32_t tid,
                       const struct cp_trace_event *e)
{
    static const enum cp_trace_input_kind kinds[] = {
        [CP_TRACE_WAIT] = CP_INPUT_WAIT,
        [CP_TRACE_WAKE] = CP_INPUT_WAKE,
        [CP_TRACE_CREATE] = CP_INPUT_CREATE,
        [CP_TRACE_START] = CP_INPUT_START,
        [CP_TRACE_END] = CP_INPUT_END,
        [CP_TRACE_REGION_BEGIN] = CP_INPUT_REGION_BEGIN,
        [CP_TRACE_REGION_END] = CP_INPUT_REGION_END,
        [CP_TRACE_LOG] = CP_INPUT_LOG,
        [CP_TRACE_SAMPLE] = CP_INPUT_SAMPLE,
    };
    struct session *s = context;
    struct cp_trace_input in = { .time_ns = e->time_ns,
                                 .begin_ns = e->begin_ns,
                                 .arg = e->arg,
                                 .tid = tid,
                                 .stack = e->stack,
                                 .kind = kinds[e->kind],
                                 .call = e->call,
                                 .len = e->more };

    if (e->more || e->kind == CP_TRACE_REGION_BEGIN ||
        e->kind == CP_TRACE_REGION_END)
        in.text = (const char *)(e + 1);
    cp_trace_model_add(s->model, &in);
    if (e->kind == CP_TRACE_END)
        cp_trace_switches_drop(&s->switches, tid);
}

/* ---- threads ---- */

static void see(void *context, struct cp_signal_thread *t)
{
    struct session *s = context;
    struct seen *seen;

    if (cp_reserve(&s->seen, &s->cap_seen, s->n_seen + 1, sizeof(*s->seen),
                   NULL) != CP_OK)
        return;
    seen = &s->seen[s->n_seen++];
    *seen = (struct seen){
        .tid = atomic_load(&t->tid),
        .is_ours = t->start != 0,
        .wait_ns =
            atomic_load_explicit(&t->trace_wait_ns, memory_order_acquire),
        .wait_call = atomic_load(&t->trace_wait_call),
        .wait_stack = atomic_load(&t->trace_wait_stack),
    };
    if (atomic_load(&t->trace_wait_ns) != seen->wait_ns)
        seen->wait_ns = 0; /* it is no longer that wait */
}

static void say_name(struct session *s, int32_t tid, uint64_t time_ns,
                     enum cp_trace_input_kind kind)
{
    struct cp_trace_input in = { .tid = tid, .time_ns = time_ns, .kind = kind };
    char name[CP_THREAD_NAME];

    cp_thread_file_read(tid, "comm", name, sizeof(name));
    in.len = (uint32_t)strcspn(name, "\n");
    in.text = name;
    if (in.len || kind == CP_INPUT_KNOWN)
        cp_trace_model_add(s->model, &in);
}

/* The stack of a thread that sleeps; 0: it cannot be had. */
static uint32_t still_stack(struct session *s, int32_t tid, uint32_t call)
{
    if (cp_still_walk(s->look, tid) != CP_STILL_WALKED)
        return 0;
    return cp_trace_stack(s->look->frames, s->look->n, call);
}

/* It was asleep when the trace began. */
static void say_asleep(struct session *s, int32_t tid)
{
    struct cp_thread_state state;
    struct cp_trace_input in = { .tid = tid,
                                 .time_ns = s->begin_ns,
                                 .kind = CP_INPUT_ASLEEP };
    char reason[64];

    in.stack = still_stack(s, tid, 0);
    if (!cp_thread_state_read(tid, s->look->place, 0, &state) ||
        state.letter == 'R')
        return;
    cp_trace_call_reason(state.wait, reason, sizeof(reason));
    in.text = reason;
    in.len = (uint32_t)strlen(reason);
    cp_trace_model_add(s->model, &in);
}

static bool is_in(const struct seen *list, size_t n, int32_t tid)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t at = low + (high - low) / 2;

        if (list[at].tid < tid)
            low = at + 1;
        else
            high = at;
    }
    return low < n && list[low].tid == tid;
}

/* Sorted by tid, without libc's qsort, which may allocate. */
static void sort_seen(struct session *s)
{
    for (size_t gap = s->n_seen / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < s->n_seen; i++) {
            struct seen one = s->seen[i];
            size_t at = i;

            for (; at >= gap && s->seen[at - gap].tid > one.tid; at -= gap)
                s->seen[at] = s->seen[at - gap];
            s->seen[at] = one;
        }
    }
}

static void look_at_threads(struct session *s)
{
    struct seen *list = s->known;
    size_t cap = s->cap_known;

    s->known = s->seen;
    s->n_known = s->n_seen;
    s->cap_known = s->cap_seen;
    s->seen = list;
    s->cap_seen = cap;
    s->n_seen = 0;
    cp_threads_each(see, s);
    sort_seen(s);
}

/* Threads that have come since the last look. */
static void meet_threads(struct session *s, uint64_t time_ns)
{
    for (size_t i = 0; i < s->n_seen; i++) {
        int32_t tid = s->seen[i].tid;

        if (is_in(s->known, s->n_known, tid))
            continue;
        cp_trace_switches_watch(&s->switches, tid);
        if (s->seen[i].is_ours) {
            say_name(s, tid, time_ns, CP_INPUT_NAME);
        } else { /* nobody knows since when it is there */
            cp_trace_accounts_open(&s->accounts, tid);
            say_name(s, tid, time_ns, CP_INPUT_KNOWN);
        }
    }
}

/*
 * Threads that are no longer there. Those that began in our hook have said so
 * themselves, before they left the list.
 */
static void miss_threads(struct session *s, uint64_t time_ns)
{
    for (size_t i = 0; i < s->n_known; i++) {
        struct cp_trace_input in = { .tid = s->known[i].tid,
                                     .time_ns = time_ns,
                                     .kind = CP_INPUT_GONE };

        if (!is_in(s->seen, s->n_seen, in.tid))
            cp_trace_model_add(s->model, &in);
    }
}

/* Those that are there at the beginning. */
static void know_threads(struct session *s)
{
    look_at_threads(s);
    for (size_t i = 0; i < s->n_seen; i++) {
        int32_t tid = s->seen[i].tid;

        cp_trace_accounts_open(&s->accounts, tid);
        say_name(s, tid, s->begin_ns, CP_INPUT_KNOWN);
        say_asleep(s, tid);
        cp_trace_switches_watch(&s->switches, tid);
    }
}

/* And those that began before their start would have been written down. */
static void know_late_threads(struct session *s)
{
    look_at_threads(s);
    for (size_t i = 0; i < s->n_seen; i++)
        if (!is_in(s->known, s->n_known, s->seen[i].tid))
            say_name(s, s->seen[i].tid, now_ns(), CP_INPUT_KNOWN);
}

/* All waits that have not ended: a format that is full has to know. */
static void say_waits(struct session *s, uint64_t until_ns)
{
    for (size_t i = 0; i < s->n_seen; i++) {
        const struct seen *seen = &s->seen[i];
        struct cp_trace_input in = { .tid = seen->tid,
                                     .begin_ns = seen->wait_ns,
                                     .call = seen->wait_call,
                                     .stack = seen->wait_stack };

        if (seen->wait_ns < s->begin_ns || seen->wait_ns > until_ns ||
            !cp_trace_model_lacks(s->model, seen->tid, seen->wait_ns))
            continue;
        if (!in.stack)
            in.stack = still_stack(s, seen->tid, seen->wait_call);
        cp_trace_model_waits(s->model, &in, until_ns);
    }
}

/* ---- switches ---- */

static void take_switch(void *context, const struct cp_trace_switch *record)
{
    static const enum cp_trace_input_kind kinds[] = {
        [CP_SWITCH_IN] = CP_INPUT_IN,
        [CP_SWITCH_OUT] = CP_INPUT_OUT,
        [CP_SWITCH_PREEMPT] = CP_INPUT_PREEMPT,
    };
    struct session *s = context;
    struct cp_trace_input in = { .tid = record->tid,
                                 .time_ns = record->time_ns,
                                 .arg = record->cpu,
                                 .kind = kinds[record->kind] };

    if (record->time_ns >= s->begin_ns)
        cp_trace_model_add(s->model, &in);
}

/* ---- output ---- */

static enum cp_status give(struct session *s, const struct cp_kind_sink *sink,
                           bool is_last, struct cp_error *err)
{
    size_t n = 0;
    const uint32_t *wanted = s->format->wanted(s->writer, is_last, &n);
    enum cp_status status =
        cp_trace_names_add(&s->stacks, wanted, n, sink, err);

    if (status != CP_OK)
        return status;
    s->format->flush(s->writer, &s->stacks, is_last);
    if (s->out.err.status != CP_OK) {
        *err = s->out.err;
        return err->status;
    }
    cp_out_join(sink->out, &s->out);
    return cp_out_finish(sink->out, err);
}

/* The order matters: whoever waits is asked before what has ended is read. */
static void gather(struct session *s, uint64_t time_ns)
{
    look_at_threads(s);
    cp_trace_pool_read(take_event, s);
    meet_threads(s, time_ns);
    miss_threads(s, time_ns);
    cp_trace_switches_read(&s->switches, take_switch, s);
}

static enum cp_status pump(void *window, const struct cp_kind_sink *sink,
                           struct cp_error *err)
{
    struct session *s = window;
    uint64_t now = now_ns(), until = now - LAG_NS;

    if (until < s->begin_ns)
        until = s->begin_ns;
    gather(s, now);
    cp_trace_model_flush(s->model, until);
    if (s->format->is_full && s->format->is_full(s->writer))
        say_waits(s, until);
    return give(s, sink, false, err);
}

/* ---- beginning and end ---- */

static void switch_off(void)
{
    atomic_fetch_add(&cp_trace.session, 1);
    cp_locks_set_traced(false);
}

static void free_session(struct session *s)
{
    if (!s)
        return;
    if (s->cpu_window)
        cp_cpu_kind.cancel(s->cpu_window);
    cp_trace_switches_release(&s->switches);
    cp_trace_model_free(s->model);
    if (s->writer)
        s->format->free(s->writer);
    cp_trace_stacks_release(&s->stacks);
    cp_trace_accounts_release(&s->accounts);
    cp_out_release(&s->out);
    cp_free(s->seen);
    cp_free(s->known);
    cp_free(s->look);
    cp_free(s);
}

static void account(void *context, int32_t tid, const char *end,
                    struct cp_trace_account *out)
{
    struct session *s = context;
    struct cp_trace_end words;

    if (end)
        memcpy(&words, end, sizeof(words));
    cp_trace_accounts_close(&s->accounts, tid, end ? &words : NULL, out);
}

static void name_program(char *out, size_t cap)
{
    ssize_t n = readlink("/proc/self/exe", out, cap - 1);
    const char *base;

    out[n > 0 ? n : 0] = '\0';
    base = strrchr(out, '/');
    if (base)
        memmove(out, base + 1, strlen(base));
}

static enum cp_status open_writer(struct session *s, struct cp_error *err)
{
    char program[512];
    struct cp_trace_head head = {
        .begin_ns = s->begin_ns,
        .boot_ns = (uint64_t)cp_clock_ns(CLOCK_BOOTTIME) - now_ns(),
        .pid = getpid(),
        .program = program,
        .n_stacks = (uint32_t)STACK_SLOTS + 1
    };
    struct cp_trace_model_options options = { .format = s->format,
                                              .calls = cp_trace_calls,
                                              .n_calls = CP_CALLS,
                                              .account = account,
                                              .context = s };

    name_program(program, sizeof(program));
    s->writer = s->format->open(&head, &s->out, err);
    if (!s->writer)
        return CP_ENOMEM;
    options.writer = s->writer;
    s->model = cp_trace_model_new(&options, s->begin_ns, err);
    if (!s->model)
        return CP_ENOMEM;
    return cp_trace_stacks_init(&s->stacks, head.n_stacks, err);
}

/* What a trace says of itself. */
static void say_head(struct session *s)
{
    char program[512], text[640];

    name_program(program, sizeof(program));
    (void)snprintf(text, sizeof(text),
                   "version=1 pid=%d program=%.255s switches=%d", (int)getpid(),
                   program, s->switches.n_rings > 0);
    cp_trace_model_say(s->model, s->begin_ns, "cpprof.trace", text);
}

/* Memory for events and stacks, with nothing of an older trace in it. */
static enum cp_status prepare(struct cp_error *err)
{
    enum cp_status status = cp_trace_pool_map(err);

    if (status == CP_OK)
        status =
            cp_hook_table_map(&cp_trace.stacks, STACK_SLOTS, STACK_FRAMES, err);
    if (status != CP_OK)
        return status;
    (void)cp_settle();
    cp_hook_table_clear(&cp_trace.stacks);
    cp_trace_pool_clear();
    for (size_t i = 0; i < CP_TRACE_BUCKETS; i++)
        atomic_store(&cp_trace.waiters[i], 0);
    for (uint32_t i = CP_CALL_FIRST_IO; i < CP_CALLS; i++)
        cp_trace.bare[i] = cp_trace_stack(NULL, 0, i);
    return CP_OK;
}

static enum cp_status start(struct session *s,
                            const struct cp_kind_request *request,
                            struct cp_error *err)
{
    struct cp_kind_request cpu = { .kind = &cp_cpu_kind,
                                   .seconds = request->seconds,
                                   .hz = request->hz };
    enum cp_status status = prepare(err);

    s->format = request->format ? request->format : &cp_trace_go;
    s->switches.is_refused = request->no_switches;
    s->look = cp_alloc(1, sizeof(*s->look), err);
    if (status == CP_OK && !s->look)
        status = CP_ENOMEM;
    if (status == CP_OK)
        status = cp_cpu_kind.begin(&cpu, &s->cpu_window, err);
    s->begin_ns = now_ns();
    if (status == CP_OK)
        status = open_writer(s, err);
    if (status != CP_OK)
        return status;
    know_threads(s);
    s->lost_before = atomic_load(&cp_trace.n_lost);
    say_head(s);
    atomic_fetch_add(&cp_trace.session, 1);
    cp_locks_set_traced(true);
    know_late_threads(s);
    return CP_OK;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    struct session *s = cp_alloc(1, sizeof(*s), err);
    enum cp_status status = CP_ENOMEM;

    if (!s)
        return CP_ENOMEM;
    s->out.fd = -1;
    cp_lock_take(&trace.lock);
    if (trace.session)
        status = cp_error_set(err, CP_EIO, "tracing is already enabled");
    else
        status = start(s, request, err);
    if (status == CP_OK)
        trace.session = s;
    cp_lock_give(&trace.lock);
    if (status == CP_OK)
        *out_window = s;
    else
        free_session(s);
    return status;
}

static void forget(struct session *s)
{
    cp_lock_take(&trace.lock);
    if (trace.session == s) {
        trace.session = NULL;
        cp_trace_pool_give_back();
    }
    cp_lock_give(&trace.lock);
    free_session(s);
}

static void say_lost(struct session *s, uint64_t time_ns)
{
    uint64_t events = atomic_load(&cp_trace.n_lost) - s->lost_before +
                      cp_trace_model_lost(s->model);
    uint64_t stacks = atomic_load(&cp_trace.stacks.lost_count);
    char text[160];

    if (events + stacks + s->switches.n_lost == 0)
        return;
    (void)snprintf(text, sizeof(text), "events=%llu stacks=%llu switches=%llu",
                   (unsigned long long)events, (unsigned long long)stacks,
                   (unsigned long long)s->switches.n_lost);
    cp_trace_model_say(s->model, time_ns, "cpprof.lost", text);
}

static enum cp_status finish(void *window, const struct cp_kind_sink *sink,
                             struct cp_error *err)
{
    struct session *s = window;
    uint64_t end = now_ns();
    enum cp_status status;

    gather(s, end);
    switch_off();
    cp_trace_pool_read(take_event, s);
    cp_trace_model_flush(s->model, end);
    say_waits(s, end);
    cp_trace_model_finish(s->model, end);
    say_lost(s, end);
    status = give(s, sink, true, err);
    forget(s);
    return status;
}

static void cancel(void *window)
{
    switch_off();
    forget(window);
}

size_t cp_trace_bytes(void)
{
    return cp_trace_pool_bytes() + cp_hook_table_bytes(&cp_trace.stacks);
}

/* What the parent's session has allocated stays where it is. */
void cp_trace_after_fork(void)
{
    if (atomic_load(&cp_trace.session) & 1)
        atomic_fetch_add(&cp_trace.session, 1);
    cp_lock_reset(&trace.lock);
    trace.session = NULL;
    for (uint32_t i = 0; cp_signal_thread_at(i); i++)
        cp_trace_leave(cp_signal_thread_at(i));
}

const struct cp_kind cp_trace_kind = {
    .name = "trace",
    .summary = "Execution trace: what every thread does over time, for as "
               "long as seconds= says. Open it with cpprof trace or go tool "
               "trace; format=perfetto and format=chrome are for other "
               "viewers.",
    .default_seconds = 1,
    .text = CP_KIND_TEXT_NONE,
    .has_fractions = true,
    .begin = begin,
    .pump = pump,
    .finish_bytes = finish,
    .cancel = cancel,
};
