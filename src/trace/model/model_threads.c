/*
 * model_threads.c - the threads of a trace, and how each kind of item changes
 * them.
 */
#include "trace/model/model_threads.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/out.h"
#include "trace/model/model_thread.h"

/* ---- the table ---- */

static struct cp_model_thread *find(const struct cp_model_threads *ts,
                                    int32_t tid)
{
    return cp_tid_find(&ts->threads, tid);
}

static struct cp_model_thread *add(struct cp_model_threads *ts, int32_t tid,
                                   uint64_t time_ns)
{
    struct cp_model_thread *t = cp_tid_add(&ts->threads, tid);

    if (t)
        *t = (struct cp_model_thread){ .tid = tid,
                                       .start_ns = time_ns,
                                       .last_ns = time_ns,
                                       .since_ns = time_ns };
    else
        ts->n_lost++;
    return t;
}

static void free_regions(struct cp_model_thread *t)
{
    while (t->n_regions > 0)
        cp_free((char *)t->regions[--t->n_regions].ptr);
}

/* ---- items from the kernel ---- */

static void on_switch(struct cp_model_threads *ts, struct cp_model_thread *t,
                      const struct cp_item *item)
{
    struct cp_step step = { .time_ns = item->time_ns };

    if (item->kind == CP_ITEM_IN) {
        if (t->state == CP_MODEL_STOPPED ||
            (t->state == CP_MODEL_BLOCKED && !t->in_wait))
            cp_model_run(ts, t, item->time_ns);
        return;
    }
    if (t->state != CP_MODEL_RUNNING)
        return;
    if (item->kind == CP_ITEM_OUT) {
        step.text = cp_model_text("kernel");
        cp_model_block(ts, t, step, false);
        return;
    }
    step.kind = CP_STEP_STOP;
    step.text = cp_model_text("preempted");
    cp_model_emit(ts, t, step);
    cp_model_change(t, CP_MODEL_STOPPED, item->time_ns);
}

/* ---- items from the program ---- */

/*
 * A thread that emits an event is running. Drops events of a signal handler
 * inside a wait, because the thread's state is the wait.
 */
static bool can_emit(struct cp_model_threads *ts, struct cp_model_thread *t,
                     const struct cp_item *item)
{
    if (t->in_wait) {
        ts->n_lost++;
        return false;
    }
    cp_model_run(ts, t, item->time_ns);
    return true;
}

static void emit_region(struct cp_model_threads *ts, struct cp_model_thread *t,
                        const struct cp_item *item, bool is_begin)
{
    cp_model_emit(ts, t,
                  (struct cp_step){ .kind = is_begin ? CP_STEP_REGION_BEGIN
                                                     : CP_STEP_REGION_END,
                                    .time_ns = item->time_ns,
                                    .stack = item->stack,
                                    .text = { item->text, item->len } });
}

static void on_region_begin(struct cp_model_threads *ts,
                            struct cp_model_thread *t,
                            const struct cp_item *item)
{
    char *name;

    if (t->n_regions == CP_MODEL_REGIONS || !can_emit(ts, t, item))
        return;
    name = cp_alloc(item->len + 1, 1, NULL);
    if (!name)
        return;
    memcpy(name, item->text, item->len);
    t->regions[t->n_regions++] = (struct cp_str){ name, item->len };
    emit_region(ts, t, item, true);
}

/* Ends the innermost region if it has this name; ignores other names. */
static void on_region_end(struct cp_model_threads *ts,
                          struct cp_model_thread *t, const struct cp_item *item)
{
    struct cp_str *top;

    if (t->n_regions == 0)
        return;
    top = &t->regions[t->n_regions - 1];
    if (top->len != item->len || memcmp(top->ptr, item->text, item->len) != 0 ||
        !can_emit(ts, t, item))
        return;
    emit_region(ts, t, item, false);
    cp_free((char *)top->ptr);
    t->n_regions--;
}

static void on_log(struct cp_model_threads *ts, struct cp_model_thread *t,
                   const struct cp_item *item)
{
    uint32_t n = (uint32_t)strnlen(item->text, item->len);
    struct cp_step step = { .kind = CP_STEP_LOG,
                            .time_ns = item->time_ns,
                            .stack = item->stack,
                            .text = { item->text, n } };

    if (!can_emit(ts, t, item))
        return;
    if (n < item->len)
        step.more = (struct cp_str){ item->text + n + 1, item->len - n - 1 };
    cp_model_emit(ts, t, step);
}

/* Reports a page fault, unless it is part of a call. */
static void on_fault(struct cp_model_threads *ts, struct cp_model_thread *t,
                     const struct cp_item *item)
{
    if (!t->in_wait)
        on_log(ts, t, item);
}

static void on_sample(struct cp_model_threads *ts, struct cp_model_thread *t,
                      const struct cp_item *item)
{
    struct cp_step step = { .kind = CP_STEP_SAMPLE,
                            .time_ns = item->time_ns,
                            .tid = t->tid,
                            .stack = item->stack };

    if (t->state == CP_MODEL_BLOCKED && !t->in_wait)
        cp_model_run(ts, t, item->time_ns); /* its wake-up was not recorded */
    ts->options.format->step(ts->options.writer, &step);
}

static void set_name(struct cp_model_threads *ts, struct cp_model_thread *t,
                     struct cp_str text, uint64_t time_ns)
{
    char name[CP_MODEL_NAME_BYTES];

    (void)snprintf(name, sizeof(name), "%.*s", (int)text.len, text.ptr);
    if (!name[0] || strcmp(name, t->name) == 0)
        return;
    memcpy(t->name, name, sizeof(name));
    cp_model_emit(ts, t,
                  (struct cp_step){ .kind = CP_STEP_NAME,
                                    .time_ns = time_ns,
                                    .text = cp_model_text(t->name) });
}

static void on_name(struct cp_model_threads *ts, struct cp_model_thread *t,
                    const struct cp_item *item)
{
    if (item->text)
        set_name(ts, t, (struct cp_str){ item->text, item->len },
                 item->time_ns);
}

/* ---- totals ---- */

void cp_model_threads_log(struct cp_model_threads *ts, uint64_t time_ns,
                          const char *category, const char *message)
{
    struct cp_model_thread *recorder = find(ts, CP_TRACE_RECORDER);

    if (recorder)
        cp_model_emit(ts, recorder,
                      (struct cp_step){ .kind = CP_STEP_LOG,
                                        .time_ns = time_ns,
                                        .text = cp_model_text(category),
                                        .more = cp_model_text(message) });
}

/*
 * Fetches the kernel's totals of a thread that has ended (`end`, see
 * cp_trace_model_options) or of a thread at the end of the trace (end is NULL).
 */
static struct cp_trace_account account_of(struct cp_model_threads *ts,
                                          struct cp_model_thread *t,
                                          const char *end, uint64_t time_ns)
{
    struct cp_trace_account account = { 0 };

    if (ts->options.account)
        ts->options.account(ts->options.context, t->tid, end, &account);
    set_name(ts, t, cp_model_text(account.name), time_ns);
    return account;
}

static void emit_totals(struct cp_model_threads *ts, struct cp_model_thread *t,
                        const struct cp_trace_account *account,
                        uint64_t time_ns)
{
    struct cp_model_life life = { .tid = t->tid,
                                  .name = t->name,
                                  .start_ns = t->start_ns,
                                  .end_ns = time_ns > t->last_ns ? time_ns
                                                                 : t->last_ns };
    struct cp_out out = { .fd = -1 };

    cp_model_totals_write(&out, &life, &t->totals, account);
    if (out.err.status == CP_OK)
        cp_model_threads_log(ts, time_ns, "cpprof.thread", out.buf);
    cp_out_release(&out);
}

/* ---- begin and end ---- */

static void on_end(struct cp_model_threads *ts, struct cp_model_thread *t,
                   const struct cp_item *item)
{
    struct cp_trace_account account;

    cp_model_run(ts, t, item->time_ns);
    account = account_of(ts, t, item->text, item->time_ns);
    while (t->n_regions > 0) {
        struct cp_str *top = &t->regions[--t->n_regions];

        cp_model_emit(ts, t,
                      (struct cp_step){ .kind = CP_STEP_REGION_END,
                                        .time_ns = item->time_ns,
                                        .text = *top });
        cp_free((char *)top->ptr);
    }
    cp_model_emit_kind(ts, t, CP_STEP_END, item->time_ns);
    cp_model_change(t, CP_MODEL_RUNNING, item->time_ns);
    emit_totals(ts, t, &account, item->time_ns);
    cp_tid_remove(&ts->threads, t->tid);
}

static void on_create(struct cp_model_threads *ts, const struct cp_item *item)
{
    struct cp_model_thread *t = find(ts, item->tid);
    struct cp_step step = { .kind = CP_STEP_CREATE,
                            .time_ns = item->time_ns,
                            .latest_ns = item->arg,
                            .stack = item->stack,
                            .start = item->start };

    if (t && t->start_ns >= item->time_ns)
        return; /* out of date */
    if (t) {    /* its end was lost */
        struct cp_item end = { .tid = item->tid, .time_ns = t->last_ns };

        on_end(ts, t, &end);
    }
    t = add(ts, item->tid, item->time_ns);
    if (!t)
        return;
    t->state = CP_MODEL_CREATED;
    if (find(ts, item->other))
        step.other = item->other;
    cp_model_emit(ts, t, step);
}

static void on_begin(struct cp_model_threads *ts, const struct cp_item *item)
{
    struct cp_model_thread *t = find(ts, item->tid);

    if (t && t->state != CP_MODEL_CREATED && t->is_known)
        return; /* the recorder saw it before its own event */
    if (!t || t->state != CP_MODEL_CREATED) {
        struct cp_item create = *item;

        create.stack = 0;
        create.start = item->stack;
        create.arg = item->time_ns;
        on_create(ts, &create);
        t = find(ts, item->tid);
    }
    if (t)
        cp_model_run(ts, t, item->time_ns);
}

static struct cp_model_thread *add_known(struct cp_model_threads *ts,
                                         const struct cp_item *item)
{
    struct cp_model_thread *t = find(ts, item->tid);

    if (t || item->kind >= CP_ITEM_SAMPLE)
        return t;
    t = add(ts, item->tid, item->time_ns);
    if (!t)
        return NULL;
    t->state = CP_MODEL_RUNNING;
    t->is_known = true;
    cp_model_emit_kind(ts, t, CP_STEP_KNOWN, item->time_ns);
    return t;
}

void cp_model_threads_apply(struct cp_model_threads *ts,
                            const struct cp_item *item)
{
    typedef void handler(struct cp_model_threads *, struct cp_model_thread *,
                         const struct cp_item *);
    static handler *const handlers[] = {
        [CP_ITEM_KNOWN] = on_name,
        [CP_ITEM_END] = on_end,
        [CP_ITEM_WAIT] = cp_model_on_wait,
        [CP_ITEM_UNBLOCK] = cp_model_on_unblock,
        [CP_ITEM_WAITED] = cp_model_on_waited,
        [CP_ITEM_CALLED] = cp_model_on_called,
        [CP_ITEM_ASLEEP] = cp_model_on_asleep,
        [CP_ITEM_REGION_BEGIN] = on_region_begin,
        [CP_ITEM_REGION_END] = on_region_end,
        [CP_ITEM_LOG] = on_log,
        [CP_ITEM_SAMPLE] = on_sample,
        [CP_ITEM_NAME] = on_name,
        [CP_ITEM_OUT] = on_switch,
        [CP_ITEM_PREEMPT] = on_switch,
        [CP_ITEM_IN] = on_switch,
        [CP_ITEM_FAULT] = on_fault,
        [CP_ITEM_GONE] = on_end,
    };
    struct cp_model_thread *t;

    if (item->kind == CP_ITEM_CREATE) {
        on_create(ts, item);
        return;
    }
    if (item->kind == CP_ITEM_BEGIN) {
        on_begin(ts, item);
        return;
    }
    t = add_known(ts, item);
    if (t)
        handlers[item->kind](ts, t, item);
}

bool cp_model_threads_lacks(const struct cp_model_threads *ts, int32_t tid,
                            uint64_t begin_ns)
{
    const struct cp_model_thread *t = find(ts, tid);

    return t && begin_ns >= t->start_ns &&
           !(t->in_wait && t->wait.begin_ns == begin_ns);
}

void cp_model_threads_finish(struct cp_model_threads *ts, uint64_t end_ns)
{
    for (size_t i = 0; i < ts->threads.n; i++) {
        int32_t tid = ts->threads.entries[i].tid;
        struct cp_model_thread *t = ts->threads.entries[i].thread;
        struct cp_trace_account account;

        if (tid == 0 || tid == CP_TRACE_RECORDER)
            continue;
        cp_model_change(t, t->state, end_ns);
        account = account_of(ts, t, NULL, end_ns);
        emit_totals(ts, t, &account, end_ns);
    }
}

uint64_t cp_model_threads_lost(const struct cp_model_threads *ts)
{
    return ts->n_lost;
}

struct cp_model_threads *
cp_model_threads_new(const struct cp_trace_model_options *options,
                     uint64_t begin_ns, struct cp_error *err)
{
    struct cp_model_threads *ts = cp_alloc(1, sizeof(*ts), err);
    struct cp_item recorder = { .kind = CP_ITEM_KNOWN,
                                .tid = CP_TRACE_RECORDER,
                                .time_ns = begin_ns,
                                .text = (char *)"cpprof",
                                .len = 6 };

    if (!ts)
        return NULL;
    ts->options = *options;
    ts->threads.size = sizeof(struct cp_model_thread);
    cp_model_threads_apply(ts, &recorder);
    return ts;
}

void cp_model_threads_free(struct cp_model_threads *ts)
{
    if (!ts)
        return;
    for (size_t i = 0; i < ts->threads.n; i++)
        if (ts->threads.entries[i].tid)
            free_regions(ts->threads.entries[i].thread);
    cp_tid_release(&ts->threads);
    cp_free(ts);
}
