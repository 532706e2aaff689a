/*
 * model_waits.c - how waits and system calls change the state of a thread.
 *
 * A signal handler of the program may interrupt a wait and wait itself. The
 * outer wait resumes when all waits inside it have ended.
 */

#include <string.h>

#include "trace/model/model_thread.h"

static const struct cp_trace_call *call_of(const struct cp_model_threads *ts,
                                           unsigned call)
{
    return &ts->options.calls[call < ts->options.n_calls ? call : 0];
}

static void begin_wait(struct cp_model_threads *ts, struct cp_model_thread *t,
                       struct cp_model_wait wait, uint64_t time_ns)
{
    const struct cp_trace_call *call = call_of(ts, wait.call);
    struct cp_step step = { .time_ns = time_ns, .stack = wait.stack };

    cp_model_run(ts, t, time_ns);
    t->wait = wait;
    if (call->class == CP_CLASS_CALL ||
        (call->class >= CP_CLASS_NETWORK && !wait.is_long)) {
        step.kind = CP_STEP_CALL;
        step.text = cp_model_text(call->name);
        cp_model_emit(ts, t, step);
        cp_model_change(t, CP_MODEL_CALLING, time_ns);
        t->is_io = true;
    } else {
        step.text = cp_model_text(call->reason);
        cp_model_block(ts, t, step, call->class >= CP_CLASS_NETWORK);
    }
    t->in_wait = true;
}

void cp_model_on_wait(struct cp_model_threads *ts, struct cp_model_thread *t,
                      const struct cp_item *item)
{
    struct cp_model_wait wait = { item->begin_ns, item->stack, item->call,
                                  item->is_long };

    if (t->in_wait && t->wait.begin_ns == item->begin_ns)
        return; /* already reported by cp_trace_model_report_wait */
    if (t->in_wait && t->depth++ == 0)
        t->outer = t->wait;
    begin_wait(ts, t, wait, item->time_ns);
}

void cp_model_on_unblock(struct cp_model_threads *ts, struct cp_model_thread *t,
                         const struct cp_item *item)
{
    if (t->state != CP_MODEL_BLOCKED || !t->in_wait || t->is_woken ||
        t->wait.begin_ns != item->begin_ns)
        return;
    cp_model_emit(ts, t,
                  (struct cp_step){ .kind = CP_STEP_UNBLOCK,
                                    .time_ns = item->time_ns,
                                    .latest_ns = item->arg,
                                    .other = item->other,
                                    .stack = item->stack });
    /* From here the thread is runnable. */
    cp_model_change(t, CP_MODEL_BLOCKED, item->time_ns);
    t->is_woken = true;
}

static void count(struct cp_model_threads *ts, struct cp_model_thread *t,
                  const struct cp_item *item)
{
    const struct cp_trace_call *call = call_of(ts, item->call);
    int64_t result = (int64_t)item->arg;

    if (call->class <= CP_CLASS_SLEEP) {
        t->totals.blocks++;
        return;
    }
    t->totals.syscalls++;
    if (result < 0)
        t->totals.errors++;
    else if (call->moves == 1)
        t->totals.read_bytes += (uint64_t)result;
    else if (call->moves == 2)
        t->totals.write_bytes += (uint64_t)result;
}

void cp_model_on_waited(struct cp_model_threads *ts, struct cp_model_thread *t,
                        const struct cp_item *item)
{
    count(ts, t, item);
    if (!t->in_wait || t->wait.begin_ns != item->begin_ns)
        return;
    cp_model_run(ts, t, item->time_ns);
    if (t->depth > 0 && --t->depth == 0)
        begin_wait(ts, t, t->outer, item->time_ns);
}

void cp_model_on_called(struct cp_model_threads *ts, struct cp_model_thread *t,
                        const struct cp_item *item)
{
    struct cp_step step = { .kind = CP_STEP_CALL,
                            .time_ns = item->time_ns,
                            .stack = item->stack,
                            .text =
                                cp_model_text(call_of(ts, item->call)->name) };

    count(ts, t, item);
    if (t->in_wait)
        return; /* short call of a handler inside a wait */
    cp_model_run(ts, t, item->time_ns);
    cp_model_emit(ts, t, step);
    cp_model_emit_kind(ts, t, CP_STEP_RETURN, item->begin_ns);
    t->totals.io_ns += item->begin_ns - item->time_ns;
}

void cp_model_on_asleep(struct cp_model_threads *ts, struct cp_model_thread *t,
                        const struct cp_item *item)
{
    static const char *const others[] = { "sleep", "syscall:futex", "kernel" };
    struct cp_step step = { .time_ns = item->time_ns,
                            .stack = item->stack,
                            .text = { item->text, item->len } };
    bool is_io = true;

    if (t->state != CP_MODEL_RUNNING)
        return;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        is_io &= item->len != strlen(others[i]) ||
                 memcmp(item->text, others[i], item->len) != 0;
    cp_model_block(ts, t, step, is_io);
}
