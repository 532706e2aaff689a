/*
 * trace.c - starts and ends a trace session, and moves events from the buffers
 * and the kernel's rings through the model to the writer.
 *
 * Events are flushed 40 ms after they happened. A thread may be preempted
 * between reading the clock and publishing an event, and the event that ended a
 * wait must be known when the wait is written.
 */
#include "runtime/trace/trace.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/out.h"
#include "base/proc_self.h"
#include "runtime/os/clock.h"
#include "runtime/os/lock.h"
#include "runtime/os/tables.h"
#include "runtime/profiles/cpu.h"
#include "runtime/stacks/cumulative_table.h"
#include "runtime/threads/thread_records.h"
#include "runtime/threads/wait_switches.h"
#include "runtime/trace/stack_names.h"
#include "runtime/trace/thread_tracker.h"
#include "runtime/trace/trace_accounts.h"
#include "runtime/trace/trace_calls.h"
#include "runtime/trace/trace_pool.h"
#include "runtime/trace/trace_switches.h"
#include "signal/tables/readers.h"
#include "signal/trace/trace.h"
#include "trace/stacks.h"
#include "trace/step.h"

#define FLUSH_LAG_NS 40000000
#define STACK_SLOTS ((size_t)1 << 16)
#define STACK_FRAMES ((size_t)1 << 20)

struct session {
    const struct cp_trace_format *format;
    void *writer;      /* state of the format */
    struct cp_out out; /* bytes that the writer has produced */
    struct cp_trace_model *model;
    struct cp_trace_stacks stacks;
    struct cp_trace_accounts accounts;
    struct cp_trace_switches switches;
    void *cpu_recording; /* CPU profile whose samples are events */
    uint64_t begin_ns;   /* CLOCK_MONOTONIC */
    struct cp_thread_tracker tracker;
    uint64_t n_lost_before; /* cp_trace.n_lost when the session began */
};

static struct {
    struct cp_lock lock;
    struct session *session; /* NULL means no trace runs */
} trace;

static uint64_t now_ns(void)
{
    return (uint64_t)cp_clock_ns(CLOCK_MONOTONIC);
}

/* ---- records of the kernel ---- */

/* Adds a log message of the thread; its stack is the faulting instruction. */
static void add_fault(struct session *s, const struct cp_trace_switch *record)
{
    uintptr_t pc = (uintptr_t)record->pc;
    char text[96];
    int len = snprintf(text, sizeof(text), "page fault%cn=%llu addr=0x%llx",
                       '\0', (unsigned long long)record->n,
                       (unsigned long long)record->address);
    struct cp_trace_input in = { .tid = record->tid,
                                 .time_ns = record->time_ns,
                                 .stack = cp_trace_stack(&pc, 1, 0),
                                 .kind = CP_INPUT_FAULT,
                                 .text = text,
                                 .len = (uint32_t)len };

    cp_trace_model_add(s->model, &in);
}

static void add_switch(struct session *s, const struct cp_trace_switch *record)
{
    static const enum cp_trace_input_kind kinds[] = {
        [CP_SWITCH_IN] = CP_INPUT_IN,
        [CP_SWITCH_OUT] = CP_INPUT_OUT,
        [CP_SWITCH_PREEMPT] = CP_INPUT_PREEMPT,
    };
    struct cp_trace_input in = { .tid = record->tid,
                                 .time_ns = record->time_ns,
                                 .arg = record->cpu,
                                 .kind = kinds[record->kind] };

    cp_trace_model_add(s->model, &in);
}

static void add_record(void *context, const struct cp_trace_switch *record)
{
    struct session *s = context;

    if (record->time_ns < s->begin_ns)
        return;
    if (record->kind == CP_SWITCH_FAULT)
        add_fault(s, record);
    else
        add_switch(s, record);
}

/* ---- events ---- */

static void add_event(void *context, int32_t tid,
                      const struct cp_trace_event *e)
{
    static const enum cp_trace_input_kind kinds[] = {
        [CP_TRACE_WAIT] = CP_INPUT_WAIT,
        [CP_TRACE_WAKE] = CP_INPUT_WAKE,
        [CP_TRACE_CREATE] = CP_INPUT_CREATE,
        [CP_TRACE_CREATE_FAILED] = CP_INPUT_CREATE_FAILED,
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
        cp_trace_switches_remove_thread(&s->switches, tid, add_record, s);
}

/* ---- output ---- */

/* Symbolizes the stacks that the writer needs, and moves its bytes to sink. */
static enum cp_status write_output(struct session *s,
                                   const struct cp_kind_sink *sink,
                                   bool is_last, struct cp_error *err)
{
    size_t n = 0;
    const uint32_t *wanted = s->format->wanted(s->writer, is_last, &n);
    enum cp_status status =
        cp_stack_names_add(&s->stacks, wanted, n, sink, err);

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

/* Reads the last records of threads that have ended, and frees their rings. */
static void remove_ended(struct session *s)
{
    for (size_t i = 0; i < s->tracker.previous.n; i++)
        if (cp_thread_tracker_has_ended(&s->tracker, i))
            cp_trace_switches_remove_thread(&s->switches,
                                            s->tracker.previous.threads[i].tid,
                                            add_record, s);
}

/*
 * Moves all new events into the model. The order matters. The scan comes first:
 * a wait that it finds in progress has its event read later, never earlier. A
 * thread that the scan does not find has emitted its end before, if it could,
 * so the pool is read before missing threads are reported. The kernel's records
 * come last, because they refer to waits that the model must know.
 */
static void collect(struct session *s)
{
    bool has_scanned = cp_thread_tracker_scan(&s->tracker);
    uint64_t time_ns = now_ns();

    cp_trace_pool_grow(s->tracker.current.n);
    cp_trace_pool_read(add_event, s);
    if (has_scanned)
        cp_thread_tracker_report_changes(&s->tracker, time_ns);
    cp_trace_switches_read(&s->switches, add_record, s);
    if (has_scanned)
        remove_ended(s);
}

/* A writer that starts a new generation needs the waits in progress. */
static void report_waits(struct session *s, uint64_t until)
{
    if (!cp_thread_tracker_find_stacks(&s->tracker, until)) {
        cp_trace_pool_read(add_event, s);
        cp_trace_model_flush(s->model, until);
    }
    cp_thread_tracker_report_waits(&s->tracker, until);
}

static enum cp_status pump(void *session, const struct cp_kind_sink *sink,
                           struct cp_error *err)
{
    struct session *s = session;
    uint64_t until = now_ns() - FLUSH_LAG_NS;

    if (until < s->begin_ns)
        until = s->begin_ns;
    collect(s);
    cp_trace_model_flush(s->model, until);
    if (s->format->is_full && s->format->is_full(s->writer))
        report_waits(s, until);
    return write_output(s, sink, false, err);
}

/* ---- start and end ---- */

/* An even session number tells threads to emit no more events. */
static void stop_recording(void)
{
    atomic_fetch_add(&cp_trace.session, 1);
    cp_wait_switches_set_trace(false);
}

static void free_session(struct session *s)
{
    if (!s)
        return;
    if (s->cpu_recording)
        cp_cpu_kind.cancel(s->cpu_recording);
    cp_trace_switches_release(&s->switches);
    cp_trace_model_free(s->model);
    if (s->writer)
        s->format->free(s->writer);
    cp_trace_stacks_release(&s->stacks);
    cp_trace_accounts_release(&s->accounts);
    cp_out_release(&s->out);
    cp_thread_tracker_release(&s->tracker);
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

static void get_program_name(char *out, size_t cap)
{
    char self[CP_PROC_SELF_BYTES];
    ssize_t n = readlink(cp_proc_self("exe", self), out, cap - 1);
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

    get_program_name(program, sizeof(program));
    s->writer = s->format->open(&head, &s->out, err);
    if (!s->writer)
        return CP_ENOMEM;
    options.writer = s->writer;
    s->model = cp_trace_model_new(&options, s->begin_ns, err);
    if (!s->model)
        return CP_ENOMEM;
    return cp_trace_stacks_init(&s->stacks, head.n_stacks, err);
}

/* Writes the message "cpprof.trace" that describes the trace. */
static void report_head(struct session *s)
{
    char program[512], text[640];

    get_program_name(program, sizeof(program));
    (void)snprintf(text, sizeof(text),
                   "version=1 pid=%d program=%.255s switches=%d", (int)getpid(),
                   program, s->switches.n_rings > 0);
    cp_trace_model_log(s->model, s->begin_ns, "cpprof.trace", text);
}

/*
 * Maps the pool and the stack table and empties them. Threads may still write
 * events of the previous session: wait until they are done.
 */
static enum cp_status prepare(struct cp_error *err)
{
    enum cp_status status = cp_trace_pool_map(err);

    if (status == CP_OK)
        status = cp_cumulative_table_map(&cp_trace.stacks, STACK_SLOTS,
                                         STACK_FRAMES, err);
    if (status != CP_OK)
        return status;
    (void)cp_readers_wait();
    cp_cumulative_table_reset_after_fork(&cp_trace.stacks);
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
    s->switches.is_disabled = request->no_switches;
    if (status == CP_OK)
        status = cp_thread_tracker_init(&s->tracker, err);
    if (status == CP_OK)
        status = cp_cpu_kind.begin(&cpu, &s->cpu_recording, err);
    s->begin_ns = now_ns();
    if (status == CP_OK)
        status = open_writer(s, err);
    if (status != CP_OK)
        return status;
    s->tracker.model = s->model;
    s->tracker.accounts = &s->accounts;
    s->tracker.switches = &s->switches;
    s->tracker.begin_ns = s->begin_ns;
    cp_thread_tracker_add_initial(&s->tracker);
    cp_trace_pool_grow(s->tracker.current.n);
    s->n_lost_before = atomic_load(&cp_trace.n_lost);
    report_head(s);
    CP_ASSERT(atomic_load(&cp_trace.session) % 2 == 0);
    atomic_fetch_add(&cp_trace.session, 1);
    cp_wait_switches_set_trace(true);
    cp_thread_tracker_add_missed(&s->tracker, now_ns());
    remove_ended(s);
    return CP_OK;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_session, struct cp_error *err)
{
    struct session *s = cp_alloc(1, sizeof(*s), err);
    enum cp_status status = CP_ENOMEM;

    if (!s)
        return CP_ENOMEM;
    s->out.fd = -1;
    cp_lock_acquire(&trace.lock);
    if (trace.session)
        status = cp_error_set(err, CP_EIO, "tracing is already enabled");
    else
        status = start(s, request, err);
    if (status == CP_OK)
        trace.session = s;
    cp_lock_release(&trace.lock);
    if (status == CP_OK)
        *out_session = s;
    else
        free_session(s);
    return status;
}

static void end_session(struct session *s)
{
    cp_lock_acquire(&trace.lock);
    if (trace.session == s) {
        trace.session = NULL;
        cp_trace_pool_trim();
    }
    cp_lock_release(&trace.lock);
    free_session(s);
}

static void report_lost(struct session *s, uint64_t time_ns)
{
    uint64_t events = atomic_load(&cp_trace.n_lost) - s->n_lost_before +
                      cp_trace_model_lost(s->model);
    uint64_t stacks = atomic_load(&cp_trace.stacks.lost_count);
    char text[160];

    if (events + stacks + s->switches.n_lost == 0)
        return;
    (void)snprintf(text, sizeof(text), "events=%llu stacks=%llu switches=%llu",
                   (unsigned long long)events, (unsigned long long)stacks,
                   (unsigned long long)s->switches.n_lost);
    cp_trace_model_log(s->model, time_ns, "cpprof.lost", text);
}

static enum cp_status finish(void *session, const struct cp_kind_sink *sink,
                             struct cp_error *err)
{
    struct session *s = session;
    uint64_t end = now_ns();
    enum cp_status status;

    collect(s);
    /* Before recording stops: a wait that ends later emits no event. */
    (void)cp_thread_tracker_find_stacks(&s->tracker, end);
    stop_recording();
    cp_trace_pool_read(add_event, s);
    cp_trace_model_flush(s->model, end);
    cp_thread_tracker_report_waits(&s->tracker, end);
    cp_trace_model_finish(s->model, end);
    report_lost(s, end);
    status = write_output(s, sink, true, err);
    end_session(s);
    return status;
}

static void cancel(void *session)
{
    stop_recording();
    end_session(session);
}

size_t cp_trace_bytes(void)
{
    return cp_trace_pool_bytes() + cp_tables_bytes(&cp_trace.stacks);
}

/*
 * The memory of the parent's session is leaked: the fork may have interrupted
 * its owner.
 */
void cp_trace_reset_after_fork(void)
{
    if (atomic_load(&cp_trace.session) & 1)
        atomic_fetch_add(&cp_trace.session, 1);
    cp_lock_reset(&trace.lock);
    trace.session = NULL;
    for (uint32_t i = 0; i < cp_thread_records_count(); i++)
        cp_trace_release_buffers(cp_signal_thread_at(i));
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
