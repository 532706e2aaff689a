/* model_threads.c - see model_threads.h. */
#include "trace/model_threads.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/model_totals.h"
#include "trace/tid_table.h"

#define MOST_REGIONS 32
#define NAME_BYTES 64

enum state {
    CREATED, /* has not run yet */
    RUNNING,
    BLOCKED,
    CALLING,
    STOPPED,
};

/* What a thread waits in. */
struct wait {
    uint64_t begin_ns;
    uint32_t stack;
    uint8_t call;
    bool is_long;
};

struct thread {
    int32_t tid;
    enum state state;
    bool is_known;           /* was there before anybody looked */
    bool is_woken;           /* BLOCKED, but let go */
    bool is_io;              /* BLOCKED or CALLING, and it counts as I/O */
    bool in_wait;            /* that is a wait of which the end will be told */
    struct wait wait, outer; /* the outer is interrupted by a handler */
    uint32_t depth;          /* of waits inside the outer one */
    uint64_t start_ns, last_ns, since_ns;
    struct cp_model_totals totals;
    char name[NAME_BYTES];
    struct cp_str regions[MOST_REGIONS];
    uint32_t n_regions;
};

struct cp_model_threads {
    struct cp_trace_model_options options;
    struct cp_tid_table threads;
    uint64_t n_lost;
};

/* ---- the list ---- */

static struct thread *find(const struct cp_model_threads *ts, int32_t tid)
{
    return cp_tid_find(&ts->threads, tid);
}

static struct thread *add(struct cp_model_threads *ts, int32_t tid,
                          uint64_t time_ns)
{
    struct thread *t = cp_tid_add(&ts->threads, tid);

    if (t)
        *t = (struct thread){ .tid = tid,
                              .start_ns = time_ns,
                              .last_ns = time_ns,
                              .since_ns = time_ns };
    else
        ts->n_lost++;
    return t;
}

static void free_regions(struct thread *t)
{
    while (t->n_regions > 0)
        cp_free((char *)t->regions[--t->n_regions].ptr);
}

/* ---- steps ---- */

static void tell(struct cp_model_threads *ts, struct thread *t,
                 struct cp_step step)
{
    step.tid = t->tid;
    if (step.time_ns < t->last_ns)
        step.time_ns = t->last_ns;
    t->last_ns = step.time_ns;
    ts->options.format->step(ts->options.writer, &step);
}

static void tell_kind(struct cp_model_threads *ts, struct thread *t,
                      enum cp_step_kind kind, uint64_t time_ns)
{
    tell(ts, t, (struct cp_step){ .kind = kind, .time_ns = time_ns });
}

static struct cp_str text_of(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

/* The state ends: what it took is added up. */
static void change(struct thread *t, enum state state, uint64_t time_ns)
{
    uint64_t ns;

    if (time_ns < t->last_ns)
        time_ns = t->last_ns;
    ns = time_ns - t->since_ns;
    if ((t->state == BLOCKED && !t->is_woken) || t->state == CALLING) {
        if (t->is_io)
            t->totals.io_ns += ns;
        else
            t->totals.wait_ns += ns;
    }
    t->state = state;
    t->since_ns = time_ns;
}

static void run(struct cp_model_threads *ts, struct thread *t, uint64_t time_ns)
{
    if (t->state == RUNNING)
        return;
    if (t->state == BLOCKED && !t->is_woken)
        tell_kind(ts, t, CP_STEP_UNBLOCK, time_ns);
    tell_kind(ts, t,
              t->state == CREATED   ? CP_STEP_BEGIN
              : t->state == CALLING ? CP_STEP_RETURN
                                    : CP_STEP_RESUME,
              time_ns);
    change(t, RUNNING, time_ns);
    t->is_woken = false;
    t->in_wait = false;
}

static void block(struct cp_model_threads *ts, struct thread *t,
                  struct cp_step step, bool is_io)
{
    step.kind = CP_STEP_BLOCK;
    tell(ts, t, step);
    change(t, BLOCKED, step.time_ns);
    t->is_io = is_io;
}

/* ---- waits ---- */

static const struct cp_trace_call *call_of(const struct cp_model_threads *ts,
                                           unsigned call)
{
    return &ts->options.calls[call < ts->options.n_calls ? call : 0];
}

static void begin_wait(struct cp_model_threads *ts, struct thread *t,
                       struct wait wait, uint64_t time_ns)
{
    const struct cp_trace_call *call = call_of(ts, wait.call);
    struct cp_step step = { .time_ns = time_ns, .stack = wait.stack };

    run(ts, t, time_ns);
    t->wait = wait;
    if (call->class == CP_CLASS_CALL ||
        (call->class >= CP_CLASS_NETWORK && !wait.is_long)) {
        step.kind = CP_STEP_CALL;
        step.text = text_of(call->name);
        tell(ts, t, step);
        change(t, CALLING, time_ns);
        t->is_io = true;
    } else {
        step.text = text_of(call->reason);
        block(ts, t, step, call->class >= CP_CLASS_NETWORK);
    }
    t->in_wait = true;
}

static void on_wait(struct cp_model_threads *ts, struct thread *t,
                    const struct cp_item *item)
{
    struct wait wait = { item->begin_ns, item->stack, item->call,
                         item->is_long };

    if (t->in_wait && t->wait.begin_ns == item->begin_ns)
        return; /* it was said before its end */
    if (t->in_wait && t->depth++ == 0)
        t->outer = t->wait;
    begin_wait(ts, t, wait, item->time_ns);
}

static void on_unblock(struct cp_model_threads *ts, struct thread *t,
                       const struct cp_item *item)
{
    if (t->state != BLOCKED || !t->in_wait || t->is_woken ||
        t->wait.begin_ns != item->begin_ns)
        return;
    tell(ts, t,
         (struct cp_step){ .kind = CP_STEP_UNBLOCK,
                           .time_ns = item->time_ns,
                           .latest_ns = item->arg,
                           .other = item->other,
                           .stack = item->stack });
    change(t, BLOCKED, item->time_ns); /* from now on it could run */
    t->is_woken = true;
}

static void count(struct cp_model_threads *ts, struct thread *t,
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

static void on_waited(struct cp_model_threads *ts, struct thread *t,
                      const struct cp_item *item)
{
    count(ts, t, item);
    if (!t->in_wait || t->wait.begin_ns != item->begin_ns)
        return;
    run(ts, t, item->time_ns);
    if (t->depth > 0 && --t->depth == 0)
        begin_wait(ts, t, t->outer, item->time_ns);
}

static void on_called(struct cp_model_threads *ts, struct thread *t,
                      const struct cp_item *item)
{
    struct cp_step step = { .kind = CP_STEP_CALL,
                            .time_ns = item->time_ns,
                            .stack = item->stack,
                            .text = text_of(call_of(ts, item->call)->name) };

    count(ts, t, item);
    if (t->in_wait)
        return; /* in a handler: that is short, too */
    run(ts, t, item->time_ns);
    tell(ts, t, step);
    tell_kind(ts, t, CP_STEP_RETURN, item->begin_ns);
    t->totals.io_ns += item->begin_ns - item->time_ns;
}

static void on_asleep(struct cp_model_threads *ts, struct thread *t,
                      const struct cp_item *item)
{
    static const char *const others[] = { "sleep", "syscall:futex", "kernel" };
    struct cp_step step = { .time_ns = item->time_ns,
                            .stack = item->stack,
                            .text = { item->text, item->len } };
    bool is_io = true;

    if (t->state != RUNNING)
        return;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        is_io &= item->len != strlen(others[i]) ||
                 memcmp(item->text, others[i], item->len) != 0;
    block(ts, t, step, is_io);
}

/* ---- what the kernel tells ---- */

static void on_switch(struct cp_model_threads *ts, struct thread *t,
                      const struct cp_item *item)
{
    struct cp_step step = { .time_ns = item->time_ns };

    if (item->kind == CP_ITEM_IN) {
        if (t->state == STOPPED || (t->state == BLOCKED && !t->in_wait))
            run(ts, t, item->time_ns);
        return;
    }
    if (t->state != RUNNING)
        return;
    if (item->kind == CP_ITEM_OUT) {
        step.text = text_of("kernel");
        block(ts, t, step, false);
        return;
    }
    step.kind = CP_STEP_STOP;
    step.text = text_of("preempted");
    tell(ts, t, step);
    change(t, STOPPED, item->time_ns);
}

/* ---- what the program says ---- */

/* Whoever says something runs; but a handler may run inside a wait. */
static bool can_say(struct cp_model_threads *ts, struct thread *t,
                    const struct cp_item *item)
{
    if (t->in_wait) {
        ts->n_lost++;
        return false;
    }
    run(ts, t, item->time_ns);
    return true;
}

static void tell_region(struct cp_model_threads *ts, struct thread *t,
                        const struct cp_item *item, bool is_begin)
{
    tell(ts, t,
         (struct cp_step){ .kind = is_begin ? CP_STEP_REGION_BEGIN
                                            : CP_STEP_REGION_END,
                           .time_ns = item->time_ns,
                           .stack = item->stack,
                           .text = { item->text, item->len } });
}

static void on_region_begin(struct cp_model_threads *ts, struct thread *t,
                            const struct cp_item *item)
{
    char *name;

    if (t->n_regions == MOST_REGIONS || !can_say(ts, t, item))
        return;
    name = cp_alloc(item->len + 1, 1, NULL);
    if (!name)
        return;
    memcpy(name, item->text, item->len);
    t->regions[t->n_regions++] = (struct cp_str){ name, item->len };
    tell_region(ts, t, item, true);
}

/* Regions nest: what is not the innermost does not end. */
static void on_region_end(struct cp_model_threads *ts, struct thread *t,
                          const struct cp_item *item)
{
    struct cp_str *top;

    if (t->n_regions == 0)
        return;
    top = &t->regions[t->n_regions - 1];
    if (top->len != item->len || memcmp(top->ptr, item->text, item->len) != 0 ||
        !can_say(ts, t, item))
        return;
    tell_region(ts, t, item, false);
    cp_free((char *)top->ptr);
    t->n_regions--;
}

static void on_log(struct cp_model_threads *ts, struct thread *t,
                   const struct cp_item *item)
{
    uint32_t n = (uint32_t)strnlen(item->text, item->len);
    struct cp_step step = { .kind = CP_STEP_LOG,
                            .time_ns = item->time_ns,
                            .stack = item->stack,
                            .text = { item->text, n } };

    if (!can_say(ts, t, item))
        return;
    if (n < item->len)
        step.more = (struct cp_str){ item->text + n + 1, item->len - n - 1 };
    tell(ts, t, step);
}

/* One that came in the middle of a call is a part of it. */
static void on_fault(struct cp_model_threads *ts, struct thread *t,
                     const struct cp_item *item)
{
    if (!t->in_wait)
        on_log(ts, t, item);
}

static void on_sample(struct cp_model_threads *ts, struct thread *t,
                      const struct cp_item *item)
{
    struct cp_step step = { .kind = CP_STEP_SAMPLE,
                            .time_ns = item->time_ns,
                            .tid = t->tid,
                            .stack = item->stack };

    if (t->state == BLOCKED && !t->in_wait)
        run(ts, t, item->time_ns); /* nobody told that it woke up */
    ts->options.format->step(ts->options.writer, &step);
}

static void set_name(struct cp_model_threads *ts, struct thread *t,
                     struct cp_str text, uint64_t time_ns)
{
    char name[NAME_BYTES];

    (void)snprintf(name, sizeof(name), "%.*s", (int)text.len, text.ptr);
    if (!name[0] || strcmp(name, t->name) == 0)
        return;
    memcpy(t->name, name, sizeof(name));
    tell(ts, t,
         (struct cp_step){ .kind = CP_STEP_NAME,
                           .time_ns = time_ns,
                           .text = text_of(t->name) });
}

static void on_name(struct cp_model_threads *ts, struct thread *t,
                    const struct cp_item *item)
{
    if (item->text)
        set_name(ts, t, (struct cp_str){ item->text, item->len },
                 item->time_ns);
}

/* ---- totals ---- */

void cp_model_threads_say(struct cp_model_threads *ts, uint64_t time_ns,
                          const char *category, const char *message)
{
    struct thread *recorder = find(ts, CP_TRACE_RECORDER);

    if (recorder)
        tell(ts, recorder,
             (struct cp_step){ .kind = CP_STEP_LOG,
                               .time_ns = time_ns,
                               .text = text_of(category),
                               .more = text_of(message) });
}

/* The thread has ended (`end`, see cp_trace_model_options), or the trace has */
static struct cp_trace_account account_of(struct cp_model_threads *ts,
                                          struct thread *t, const char *end,
                                          uint64_t time_ns)
{
    struct cp_trace_account account = { 0 };

    if (ts->options.account)
        ts->options.account(ts->options.context, t->tid, end, &account);
    set_name(ts, t, text_of(account.name), time_ns);
    return account;
}

static void say_totals(struct cp_model_threads *ts, struct thread *t,
                       const struct cp_trace_account *account, uint64_t time_ns)
{
    struct cp_model_life life = { .tid = t->tid,
                                  .name = t->name,
                                  .start_ns = t->start_ns,
                                  .end_ns = time_ns > t->last_ns ? time_ns
                                                                 : t->last_ns };
    struct cp_out out = { .fd = -1 };

    cp_model_totals_write(&out, &life, &t->totals, account);
    if (out.err.status == CP_OK)
        cp_model_threads_say(ts, time_ns, "cpprof.thread", out.buf);
    cp_out_release(&out);
}

/* ---- beginning and end ---- */

static void on_end(struct cp_model_threads *ts, struct thread *t,
                   const struct cp_item *item)
{
    struct cp_trace_account account;

    run(ts, t, item->time_ns);
    account = account_of(ts, t, item->text, item->time_ns);
    while (t->n_regions > 0) {
        struct cp_str *top = &t->regions[--t->n_regions];

        tell(ts, t,
             (struct cp_step){ .kind = CP_STEP_REGION_END,
                               .time_ns = item->time_ns,
                               .text = *top });
        cp_free((char *)top->ptr);
    }
    tell_kind(ts, t, CP_STEP_END, item->time_ns);
    change(t, RUNNING, item->time_ns);
    say_totals(ts, t, &account, item->time_ns);
    cp_tid_remove(&ts->threads, t->tid);
}

static void on_create(struct cp_model_threads *ts, const struct cp_item *item)
{
    struct thread *t = find(ts, item->tid);
    struct cp_step step = { .kind = CP_STEP_CREATE,
                            .time_ns = item->time_ns,
                            .latest_ns = item->arg,
                            .stack = item->stack,
                            .start = item->start };

    if (t && t->start_ns >= item->time_ns)
        return; /* this is old */
    if (t) {    /* its end was lost */
        struct cp_item end = { .tid = item->tid, .time_ns = t->last_ns };

        on_end(ts, t, &end);
    }
    t = add(ts, item->tid, item->time_ns);
    if (!t)
        return;
    t->state = CREATED;
    if (find(ts, item->other))
        step.other = item->other;
    tell(ts, t, step);
}

static void on_begin(struct cp_model_threads *ts, const struct cp_item *item)
{
    struct thread *t = find(ts, item->tid);

    if (t && t->state != CREATED && t->is_known)
        return; /* it was seen just before it said so */
    if (!t || t->state != CREATED) {
        struct cp_item create = *item;

        create.stack = 0;
        create.start = item->stack;
        create.arg = item->time_ns;
        on_create(ts, &create);
        t = find(ts, item->tid);
    }
    if (t)
        run(ts, t, item->time_ns);
}

static struct thread *know(struct cp_model_threads *ts,
                           const struct cp_item *item)
{
    struct thread *t = find(ts, item->tid);

    if (t || item->kind >= CP_ITEM_SAMPLE)
        return t;
    t = add(ts, item->tid, item->time_ns);
    if (!t)
        return NULL;
    t->state = RUNNING;
    t->is_known = true;
    tell_kind(ts, t, CP_STEP_KNOWN, item->time_ns);
    return t;
}

void cp_model_threads_apply(struct cp_model_threads *ts,
                            const struct cp_item *item)
{
    typedef void handler(struct cp_model_threads *, struct thread *,
                         const struct cp_item *);
    static handler *const handlers[] = {
        [CP_ITEM_KNOWN] = on_name,
        [CP_ITEM_END] = on_end,
        [CP_ITEM_WAIT] = on_wait,
        [CP_ITEM_UNBLOCK] = on_unblock,
        [CP_ITEM_WAITED] = on_waited,
        [CP_ITEM_CALLED] = on_called,
        [CP_ITEM_ASLEEP] = on_asleep,
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
    struct thread *t;

    if (item->kind == CP_ITEM_CREATE) {
        on_create(ts, item);
        return;
    }
    if (item->kind == CP_ITEM_BEGIN) {
        on_begin(ts, item);
        return;
    }
    t = know(ts, item);
    if (t)
        handlers[item->kind](ts, t, item);
}

bool cp_model_threads_lacks(const struct cp_model_threads *ts, int32_t tid,
                            uint64_t begin_ns)
{
    const struct thread *t = find(ts, tid);

    return t && begin_ns >= t->start_ns &&
           !(t->in_wait && t->wait.begin_ns == begin_ns);
}

void cp_model_threads_finish(struct cp_model_threads *ts, uint64_t end_ns)
{
    for (size_t i = 0; i < ts->threads.n; i++) {
        int32_t tid = ts->threads.entries[i].tid;
        struct thread *t = ts->threads.entries[i].thread;
        struct cp_trace_account account;

        if (tid == 0 || tid == CP_TRACE_RECORDER)
            continue;
        change(t, t->state, end_ns);
        account = account_of(ts, t, NULL, end_ns);
        say_totals(ts, t, &account, end_ns);
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
    ts->threads.size = sizeof(struct thread);
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
