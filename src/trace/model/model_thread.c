/* model_thread.c - changes the state of a thread and emits the steps for it. */
#include "trace/model/model_thread.h"

void cp_model_emit(struct cp_model_threads *ts, struct cp_model_thread *t,
                   struct cp_step step)
{
    step.tid = t->tid;
    if (step.time_ns < t->last_ns)
        step.time_ns = t->last_ns;
    t->last_ns = step.time_ns;
    ts->options.format->step(ts->options.writer, &step);
}

void cp_model_emit_kind(struct cp_model_threads *ts, struct cp_model_thread *t,
                        enum cp_step_kind kind, uint64_t time_ns)
{
    cp_model_emit(ts, t, (struct cp_step){ .kind = kind, .time_ns = time_ns });
}

void cp_model_change(struct cp_model_thread *t, enum cp_model_state state,
                     uint64_t time_ns)
{
    uint64_t ns;

    if (time_ns < t->last_ns)
        time_ns = t->last_ns;
    ns = time_ns - t->since_ns;
    if ((t->state == CP_MODEL_BLOCKED && !t->is_woken) ||
        t->state == CP_MODEL_CALLING) {
        if (t->is_io)
            t->totals.io_ns += ns;
        else
            t->totals.wait_ns += ns;
    }
    t->state = state;
    t->since_ns = time_ns;
}

void cp_model_run(struct cp_model_threads *ts, struct cp_model_thread *t,
                  uint64_t time_ns)
{
    if (t->state == CP_MODEL_RUNNING)
        return;
    if (t->state == CP_MODEL_BLOCKED && !t->is_woken)
        cp_model_emit_kind(ts, t, CP_STEP_UNBLOCK, time_ns);
    cp_model_emit_kind(ts, t,
                       t->state == CP_MODEL_CREATED   ? CP_STEP_BEGIN
                       : t->state == CP_MODEL_CALLING ? CP_STEP_RETURN
                                                      : CP_STEP_RESUME,
                       time_ns);
    cp_model_change(t, CP_MODEL_RUNNING, time_ns);
    t->is_woken = false;
    t->in_wait = false;
}

void cp_model_block(struct cp_model_threads *ts, struct cp_model_thread *t,
                    struct cp_step step, bool is_io)
{
    step.kind = CP_STEP_BLOCK;
    cp_model_emit(ts, t, step);
    cp_model_change(t, CP_MODEL_BLOCKED, step.time_ns);
    t->is_io = is_io;
}
