/* thread_tracker.c - scans the thread list, and reports changes and waits. */
#include "runtime/trace/thread_tracker.h"

#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/threads.h"
#include "runtime/trace/trace_accounts.h"
#include "runtime/trace/trace_calls.h"
#include "runtime/trace/trace_switches.h"
#include "signal/trace/trace.h"

enum cp_status cp_thread_tracker_init(struct cp_thread_tracker *t,
                                      struct cp_error *err)
{
    t->walker = cp_alloc(1, sizeof(*t->walker), err);
    return t->walker ? CP_OK : CP_ENOMEM;
}

void cp_thread_tracker_release(struct cp_thread_tracker *t)
{
    cp_free(t->current.threads);
    cp_free(t->previous.threads);
    cp_free(t->walker);
}

/* ---- scans ---- */

static void add_thread(void *context, struct cp_signal_thread *record)
{
    struct cp_tracked_threads *list = context;
    int32_t tid = atomic_load(&record->tid);
    struct cp_tracked_thread *thread;
    uint64_t wait_ns; /* read before and after the fields that belong to it */

    if (cp_reserve(&list->threads, &list->cap, list->n + 1,
                   sizeof(*list->threads), NULL) != CP_OK) {
        list->is_incomplete = true;
        return;
    }
    wait_ns = atomic_load(&record->waits.since_ns);
    thread = &list->threads[list->n++];
    *thread = (struct cp_tracked_thread){
        .key = (uint64_t)tid,
        .tid = tid,
        .record = record,
        .is_hooked = record->runtime.start_pc != 0,
        .wait_ns = wait_ns,
        .wait_call = atomic_load(&record->waits.call),
        .wait_stack = atomic_load(&record->waits.stack),
        .wait_regs = { atomic_load(&record->waits.regs[0]),
                       atomic_load(&record->waits.regs[1]),
                       atomic_load(&record->waits.regs[2]),
                       atomic_load(&record->waits.regs[3]), 0, 0 },
    };
    if (atomic_load(&record->waits.since_ns) != wait_ns)
        thread->wait_ns = 0; /* the wait is over */
}

static bool contains(const struct cp_tracked_threads *list, int32_t tid)
{
    size_t at = cp_search_from(list->threads, sizeof(*list->threads), list->n,
                               (uint64_t)tid);

    return at < list->n && list->threads[at].tid == tid;
}

bool cp_thread_tracker_scan(struct cp_thread_tracker *t)
{
    struct cp_tracked_threads now = t->previous;

    now.n = 0;
    now.is_incomplete = false;
    cp_threads_each(add_thread, &now);
    t->previous = now; /* cp_reserve may have moved its memory */
    if (now.is_incomplete ||
        cp_sort_structs(now.threads, now.n, sizeof(*now.threads),
                        offsetof(struct cp_tracked_thread, key), NULL) != CP_OK)
        return false;
    t->previous = t->current;
    t->current = now;
    return true;
}

/* ---- threads that start and end ---- */

static void report_name(struct cp_thread_tracker *t, int32_t tid,
                        uint64_t time_ns, enum cp_trace_input_kind kind)
{
    struct cp_trace_input in = { .tid = tid, .time_ns = time_ns, .kind = kind };
    char name[CP_THREAD_NAME_BYTES];

    cp_thread_file_read(tid, "comm", name, sizeof(name));
    in.len = (uint32_t)strcspn(name, "\n");
    in.text = name;
    if (in.len || kind == CP_INPUT_KNOWN)
        cp_trace_model_add(t->model, &in);
}

/* Reports a thread that sleeps when the trace starts, with its stack. */
static void report_sleeping(struct cp_thread_tracker *t, int32_t tid)
{
    struct cp_thread_state state;
    struct cp_trace_input in = { .tid = tid,
                                 .time_ns = t->begin_ns,
                                 .kind = CP_INPUT_ASLEEP };
    char reason[64];

    if (cp_sleeping_stack_walk(t->walker, tid) == CP_SLEEP_WALKED)
        in.stack = cp_trace_stack(t->walker->frames, t->walker->n, 0);
    if (!cp_thread_state_read(tid, t->walker->syscall_text, 0, &state) ||
        state.letter == 'R')
        return;
    cp_trace_call_reason(state.wait, reason, sizeof(reason));
    in.text = reason;
    in.len = (uint32_t)strlen(reason);
    cp_trace_model_add(t->model, &in);
}

void cp_thread_tracker_add_initial(struct cp_thread_tracker *t)
{
    (void)cp_thread_tracker_scan(t); /* without memory, a later scan finds it */
    for (size_t i = 0; i < t->current.n; i++) {
        int32_t tid = t->current.threads[i].tid;

        cp_trace_accounts_open(t->accounts, tid);
        report_name(t, tid, t->begin_ns, CP_INPUT_KNOWN);
        report_sleeping(t, tid);
        cp_trace_switches_add_thread(t->switches, tid);
    }
}

bool cp_thread_tracker_has_ended(const struct cp_thread_tracker *t, size_t i)
{
    CP_ASSERT(i < t->previous.n);
    return !contains(&t->current, t->previous.threads[i].tid);
}

/*
 * A thread that started in our hook has emitted its end before it left the
 * list, if the trace had started by then; the model ignores the second report.
 */
static void report_ended(struct cp_thread_tracker *t, uint64_t time_ns)
{
    for (size_t i = 0; i < t->previous.n; i++) {
        struct cp_trace_input in = { .tid = t->previous.threads[i].tid,
                                     .time_ns = time_ns,
                                     .kind = CP_INPUT_VANISHED };

        if (cp_thread_tracker_has_ended(t, i))
            cp_trace_model_add(t->model, &in);
    }
}

void cp_thread_tracker_add_missed(struct cp_thread_tracker *t, uint64_t now_ns)
{
    if (!cp_thread_tracker_scan(t))
        return;
    for (size_t i = 0; i < t->current.n; i++)
        if (!contains(&t->previous, t->current.threads[i].tid)) {
            cp_trace_switches_add_thread(t->switches,
                                         t->current.threads[i].tid);
            report_name(t, t->current.threads[i].tid, now_ns, CP_INPUT_KNOWN);
        }
    report_ended(t, now_ns);
}

static void report_started(struct cp_thread_tracker *t,
                           const struct cp_tracked_thread *thread,
                           uint64_t time_ns)
{
    cp_trace_switches_add_thread(t->switches, thread->tid);
    if (thread->is_hooked) {
        report_name(t, thread->tid, time_ns, CP_INPUT_NAME);
    } else { /* started without our hook, at an unknown time */
        cp_trace_accounts_open(t->accounts, thread->tid);
        report_name(t, thread->tid, time_ns, CP_INPUT_KNOWN);
    }
}

void cp_thread_tracker_report_changes(struct cp_thread_tracker *t,
                                      uint64_t time_ns)
{
    for (size_t i = 0; i < t->current.n; i++)
        if (!contains(&t->previous, t->current.threads[i].tid))
            report_started(t, &t->current.threads[i], time_ns);
    report_ended(t, time_ns);
}

/* ---- waits in progress ---- */

/* Whether the wait began during this trace and before until_ns. */
static bool is_open_wait(const struct cp_thread_tracker *t,
                         const struct cp_tracked_thread *thread,
                         uint64_t until_ns)
{
    return thread->wait_ns >= t->begin_ns && thread->wait_ns <= until_ns;
}

static bool is_still_waiting(const struct cp_tracked_thread *thread)
{
    return atomic_load(&thread->record->tid) == thread->tid &&
           atomic_load(&thread->record->waits.since_ns) == thread->wait_ns;
}

/* The stack of an I/O call; only its name if the stack cannot be walked. */
static uint32_t call_stack(struct cp_thread_tracker *t,
                           const struct cp_tracked_thread *thread)
{
    uint32_t stack = 0;

    if (cp_sleeping_stack_walk_from(t->walker, &thread->wait_regs))
        stack =
            cp_trace_stack(t->walker->frames, t->walker->n, thread->wait_call);
    return stack ? stack : cp_trace.bare[thread->wait_call % CP_TRACE_CALLS];
}

bool cp_thread_tracker_find_stacks(struct cp_thread_tracker *t,
                                   uint64_t until_ns)
{
    bool are_all_waiting = true;

    for (size_t i = 0; i < t->current.n; i++) {
        struct cp_tracked_thread *thread = &t->current.threads[i];

        if (thread->wait_stack || !is_open_wait(t, thread, until_ns))
            continue;
        thread->wait_stack = call_stack(t, thread);
        if (!is_still_waiting(thread)) { /* the stack may be of a later call */
            thread->wait_ns = 0;
            are_all_waiting = false;
        }
    }
    return are_all_waiting;
}

void cp_thread_tracker_report_waits(struct cp_thread_tracker *t,
                                    uint64_t until_ns)
{
    for (size_t i = 0; i < t->current.n; i++) {
        const struct cp_tracked_thread *thread = &t->current.threads[i];
        struct cp_trace_input in = { .tid = thread->tid,
                                     .begin_ns = thread->wait_ns,
                                     .call = thread->wait_call,
                                     .stack = thread->wait_stack };

        if (is_open_wait(t, thread, until_ns) &&
            cp_trace_model_lacks_wait(t->model, thread->tid, thread->wait_ns))
            cp_trace_model_report_wait(t->model, &in, until_ns);
    }
}
