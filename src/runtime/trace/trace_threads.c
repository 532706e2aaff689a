/* trace_threads.c - see trace_threads.h. */
#include "runtime/trace/trace_threads.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/threads.h"
#include "runtime/trace/trace_accounts.h"
#include "runtime/trace/trace_calls.h"
#include "runtime/trace/trace_switches.h"
#include "signal/tables/thread.h"
#include "signal/trace/trace.h"
#include "trace/model/model.h"

enum cp_status cp_trace_threads_init(struct cp_trace_threads *t,
                                     struct cp_error *err)
{
    t->look = cp_alloc(1, sizeof(*t->look), err);
    return t->look ? CP_OK : CP_ENOMEM;
}

void cp_trace_threads_release(struct cp_trace_threads *t)
{
    cp_free(t->seen.threads);
    cp_free(t->known.threads);
    cp_free(t->look);
}

/* ---- looking ---- */

static void see(void *context, struct cp_signal_thread *record)
{
    struct cp_trace_seen_list *list = context;
    int32_t tid = atomic_load(&record->tid);
    struct cp_trace_seen *seen;
    uint64_t wait_ns; /* before all that goes with it, and after it again */

    if (cp_reserve(&list->threads, &list->cap, list->n + 1,
                   sizeof(*list->threads), NULL) != CP_OK) {
        list->is_short = true;
        return;
    }
    wait_ns = atomic_load(&record->trace_wait_ns);
    seen = &list->threads[list->n++];
    *seen = (struct cp_trace_seen){
        .key = (uint64_t)tid,
        .tid = tid,
        .record = record,
        .is_ours = record->start != 0,
        .wait_ns = wait_ns,
        .wait_call = atomic_load(&record->trace_wait_call),
        .wait_stack = atomic_load(&record->trace_wait_stack),
        .wait_regs = { atomic_load(&record->trace_wait_regs[0]),
                       atomic_load(&record->trace_wait_regs[1]),
                       atomic_load(&record->trace_wait_regs[2]),
                       atomic_load(&record->trace_wait_regs[3]), 0, 0 },
    };
    if (atomic_load(&record->trace_wait_ns) != wait_ns)
        seen->wait_ns = 0; /* it is no longer that wait */
}

static bool is_in(const struct cp_trace_seen_list *list, int32_t tid)
{
    size_t at = cp_search_from(list->threads, sizeof(*list->threads), list->n,
                               (uint64_t)tid);

    return at < list->n && list->threads[at].tid == tid;
}

bool cp_trace_threads_scan(struct cp_trace_threads *t)
{
    struct cp_trace_seen_list now = t->known;

    now.n = 0;
    now.is_short = false;
    cp_threads_each(see, &now);
    t->known = now; /* its memory may have moved */
    if (now.is_short ||
        cp_sort_structs(now.threads, now.n, sizeof(*now.threads),
                        offsetof(struct cp_trace_seen, key), NULL) != CP_OK)
        return false;
    t->known = t->seen;
    t->seen = now;
    return true;
}

/* ---- who is there ---- */

static void say_name(struct cp_trace_threads *t, int32_t tid, uint64_t time_ns,
                     enum cp_trace_input_kind kind)
{
    struct cp_trace_input in = { .tid = tid, .time_ns = time_ns, .kind = kind };
    char name[CP_THREAD_NAME];

    cp_thread_file_read(tid, "comm", name, sizeof(name));
    in.len = (uint32_t)strcspn(name, "\n");
    in.text = name;
    if (in.len || kind == CP_INPUT_KNOWN)
        cp_trace_model_add(t->model, &in);
}

/* It was asleep when the trace began. */
static void say_asleep(struct cp_trace_threads *t, int32_t tid)
{
    struct cp_thread_state state;
    struct cp_trace_input in = { .tid = tid,
                                 .time_ns = t->begin_ns,
                                 .kind = CP_INPUT_ASLEEP };
    char reason[64];

    if (cp_sleeping_stack_walk(t->look, tid) == CP_SLEEP_WALKED)
        in.stack = cp_trace_stack(t->look->frames, t->look->n, 0);
    if (!cp_thread_state_read(tid, t->look->place, 0, &state) ||
        state.letter == 'R')
        return;
    cp_trace_call_reason(state.wait, reason, sizeof(reason));
    in.text = reason;
    in.len = (uint32_t)strlen(reason);
    cp_trace_model_add(t->model, &in);
}

void cp_trace_threads_know(struct cp_trace_threads *t)
{
    (void)cp_trace_threads_scan(t); /* those it lacks are met later */
    for (size_t i = 0; i < t->seen.n; i++) {
        int32_t tid = t->seen.threads[i].tid;

        cp_trace_accounts_open(t->accounts, tid);
        say_name(t, tid, t->begin_ns, CP_INPUT_KNOWN);
        say_asleep(t, tid);
        cp_trace_switches_watch(t->switches, tid);
    }
}

bool cp_trace_threads_is_gone(const struct cp_trace_threads *t, size_t i)
{
    return !is_in(&t->seen, t->known.threads[i].tid);
}

/*
 * Of those that are no longer there, the ones that began in our hook have said
 * so themselves before they left the list, if the trace had begun by then.
 */
static void tell_gone(struct cp_trace_threads *t, uint64_t time_ns)
{
    for (size_t i = 0; i < t->known.n; i++) {
        struct cp_trace_input gone = { .tid = t->known.threads[i].tid,
                                       .time_ns = time_ns,
                                       .kind = CP_INPUT_VANISHED };

        if (cp_trace_threads_is_gone(t, i))
            cp_trace_model_add(t->model, &gone);
    }
}

void cp_trace_threads_know_late(struct cp_trace_threads *t, uint64_t now_ns)
{
    if (!cp_trace_threads_scan(t))
        return;
    for (size_t i = 0; i < t->seen.n; i++)
        if (!is_in(&t->known, t->seen.threads[i].tid)) {
            cp_trace_switches_watch(t->switches, t->seen.threads[i].tid);
            say_name(t, t->seen.threads[i].tid, now_ns, CP_INPUT_KNOWN);
        }
    tell_gone(t, now_ns);
}

static void meet(struct cp_trace_threads *t, const struct cp_trace_seen *seen,
                 uint64_t time_ns)
{
    cp_trace_switches_watch(t->switches, seen->tid);
    if (seen->is_ours) {
        say_name(t, seen->tid, time_ns, CP_INPUT_NAME);
    } else { /* nobody knows since when it is there */
        cp_trace_accounts_open(t->accounts, seen->tid);
        say_name(t, seen->tid, time_ns, CP_INPUT_KNOWN);
    }
}

void cp_trace_threads_tell(struct cp_trace_threads *t, uint64_t time_ns)
{
    for (size_t i = 0; i < t->seen.n; i++)
        if (!is_in(&t->known, t->seen.threads[i].tid))
            meet(t, &t->seen.threads[i], time_ns);
    tell_gone(t, time_ns);
}

/* ---- what they wait in ---- */

/* Is it a wait of this trace, and had it begun by then? */
static bool is_open(const struct cp_trace_threads *t,
                    const struct cp_trace_seen *seen, uint64_t until_ns)
{
    return seen->wait_ns >= t->begin_ns && seen->wait_ns <= until_ns;
}

static bool waits_still(const struct cp_trace_seen *seen)
{
    return atomic_load(&seen->record->tid) == seen->tid &&
           atomic_load(&seen->record->trace_wait_ns) == seen->wait_ns;
}

/* The stack of a call; without the program's frames if that cannot be read. */
static uint32_t call_stack(struct cp_trace_threads *t,
                           const struct cp_trace_seen *seen)
{
    uint32_t stack = 0;

    if (cp_sleeping_stack_walk_from(t->look, &seen->wait_regs))
        stack = cp_trace_stack(t->look->frames, t->look->n, seen->wait_call);
    return stack ? stack : cp_trace.bare[seen->wait_call % CP_TRACE_CALLS];
}

bool cp_trace_threads_find_stacks(struct cp_trace_threads *t, uint64_t until_ns)
{
    bool wait_all = true;

    for (size_t i = 0; i < t->seen.n; i++) {
        struct cp_trace_seen *seen = &t->seen.threads[i];

        if (seen->wait_stack || !is_open(t, seen, until_ns))
            continue;
        seen->wait_stack = call_stack(t, seen);
        if (!waits_still(seen)) { /* that stack may be of another call */
            seen->wait_ns = 0;
            wait_all = false;
        }
    }
    return wait_all;
}

void cp_trace_threads_say_waits(struct cp_trace_threads *t, uint64_t until_ns)
{
    for (size_t i = 0; i < t->seen.n; i++) {
        const struct cp_trace_seen *seen = &t->seen.threads[i];
        struct cp_trace_input in = { .tid = seen->tid,
                                     .begin_ns = seen->wait_ns,
                                     .call = seen->wait_call,
                                     .stack = seen->wait_stack };

        if (is_open(t, seen, until_ns) &&
            cp_trace_model_lacks_wait(t->model, seen->tid, seen->wait_ns))
            cp_trace_model_report_wait(t->model, &in, until_ns);
    }
}
