/*
 * model.c - buffers input, sorts it by time and finds wakers and creators.
 *
 * A wait becomes two items, its begin and its end. A third one between them is
 * its unblock, if a waker is found: the last thread that released the lock
 * before.
 */
#include "trace/model/model.h"

#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "trace/model/model_notices.h"
#include "trace/model/model_threads.h"

#define KEEP_NS 1000000000 /* notices kept for waits that end later */

struct waiter {
    uint64_t lock, begin_ns, end_ns;
    int32_t tid;
};

struct cp_trace_model {
    struct cp_trace_model_options options;
    struct cp_model_threads *threads;
    struct cp_item *items;
    size_t n_items, cap_items;
    struct cp_item *later; /* buffer for items that stay */
    size_t cap_deferred;
    struct cp_sort_pair *order; /* sort keys of the items */
    size_t cap_order;
    struct cp_notices wakes;
    struct waiter *waiters; /* waits without a known waker */
    size_t n_waiters, cap_waiters;
    struct cp_notices creates;
    uint64_t n_lost;
};

struct cp_trace_model *
cp_trace_model_new(const struct cp_trace_model_options *options,
                   uint64_t begin_ns, struct cp_error *err)
{
    struct cp_trace_model *m = cp_alloc(1, sizeof(*m), err);

    if (!m)
        return NULL;
    m->options = *options;
    m->threads = cp_model_threads_new(options, begin_ns, err);
    if (m->threads)
        return m;
    cp_free(m);
    return NULL;
}

void cp_trace_model_free(struct cp_trace_model *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_items; i++)
        cp_free(m->items[i].text);
    cp_model_threads_free(m->threads);
    cp_free(m->items);
    cp_free(m->later);
    cp_free(m->order);
    cp_notices_release(&m->wakes);
    cp_free(m->waiters);
    cp_notices_release(&m->creates);
    cp_free(m);
}

/* ---- input ---- */

static struct cp_item *push(struct cp_trace_model *m, enum cp_item_kind kind,
                            const struct cp_trace_input *in)
{
    struct cp_item *item;

    if (cp_reserve(&m->items, &m->cap_items, m->n_items + 1, sizeof(*item),
                   NULL) != CP_OK) {
        m->n_lost++;
        return NULL;
    }
    item = &m->items[m->n_items++];
    *item = (struct cp_item){ .time_ns = in->time_ns,
                              .begin_ns = in->begin_ns,
                              .arg = in->arg,
                              .tid = in->tid,
                              .stack = in->stack,
                              .kind = (uint8_t)kind,
                              .call = (uint8_t)in->call };
    return item;
}

/* Adds a short call as one item: it concerns no other thread. */
static void add_call(struct cp_trace_model *m, const struct cp_trace_input *in)
{
    struct cp_item *item = push(m, CP_ITEM_CALLED, in);

    if (!item)
        return;
    item->time_ns = in->begin_ns;
    item->begin_ns = in->time_ns;
}

static void add_wait(struct cp_trace_model *m, const struct cp_trace_input *in)
{
    bool is_long = in->time_ns - in->begin_ns >= CP_TRACE_LONG_NS;
    struct cp_item *begin, *end;

    if (in->call >= m->options.n_calls || in->begin_ns > in->time_ns)
        return;
    if (!is_long && m->options.calls[in->call].class >= CP_CLASS_NETWORK) {
        add_call(m, in);
        return;
    }
    begin = push(m, CP_ITEM_WAIT, in);
    if (!begin)
        return;
    begin->time_ns = in->begin_ns;
    begin->is_long = is_long;
    end = push(m, CP_ITEM_WAITED, in);
    if (!end) {
        m->n_items--;
        return;
    }
    if (m->options.calls[in->call].class != CP_CLASS_SYNC ||
        cp_reserve(&m->waiters, &m->cap_waiters, m->n_waiters + 1,
                   sizeof(*m->waiters), NULL) != CP_OK)
        return;
    m->waiters[m->n_waiters++] =
        (struct waiter){ in->arg, in->begin_ns, in->time_ns, in->tid };
}

static void add_text(struct cp_trace_model *m, enum cp_item_kind kind,
                     const struct cp_trace_input *in)
{
    char *text = cp_alloc(in->len + 1, 1, NULL);
    struct cp_item *item = text ? push(m, kind, in) : NULL;

    if (!item) {
        m->n_lost += !text;
        cp_free(text);
        return;
    }
    if (in->len)
        memcpy(text, in->text, in->len);
    item->text = text;
    item->len = in->len;
}

/* Adds the end of a thread. Its joiners are woken just before. */
static void add_end(struct cp_trace_model *m, const struct cp_trace_input *in)
{
    struct cp_trace_input wake = *in;

    wake.time_ns -= 1;
    cp_notices_add(&m->wakes, &wake);
    add_text(m, CP_ITEM_END, in);
}

void cp_trace_model_add(struct cp_trace_model *m,
                        const struct cp_trace_input *in)
{
    static const enum cp_item_kind kinds[] = {
        [CP_INPUT_START] = CP_ITEM_BEGIN,
        [CP_INPUT_END] = CP_ITEM_END,
        [CP_INPUT_REGION_BEGIN] = CP_ITEM_REGION_BEGIN,
        [CP_INPUT_REGION_END] = CP_ITEM_REGION_END,
        [CP_INPUT_LOG] = CP_ITEM_LOG,
        [CP_INPUT_SAMPLE] = CP_ITEM_SAMPLE,
        [CP_INPUT_KNOWN] = CP_ITEM_KNOWN,
        [CP_INPUT_NAME] = CP_ITEM_NAME,
        [CP_INPUT_ASLEEP] = CP_ITEM_ASLEEP,
        [CP_INPUT_OUT] = CP_ITEM_OUT,
        [CP_INPUT_PREEMPT] = CP_ITEM_PREEMPT,
        [CP_INPUT_IN] = CP_ITEM_IN,
        [CP_INPUT_FAULT] = CP_ITEM_FAULT,
        [CP_INPUT_VANISHED] = CP_ITEM_GONE,
    };

    switch (in->kind) {
    case CP_INPUT_WAIT:
        add_wait(m, in);
        break;
    case CP_INPUT_WAKE:
        cp_notices_add(&m->wakes, in);
        break;
    case CP_INPUT_CREATE:
        cp_notices_add(&m->creates, in);
        break;
    case CP_INPUT_CREATE_FAILED:
        cp_notices_cancel(&m->creates, in->arg, in->tid);
        break;
    case CP_INPUT_END:
        add_end(m, in);
        break;
    default:
        if (in->text)
            add_text(m, kinds[in->kind], in);
        else
            (void)push(m, kinds[in->kind], in);
    }
}

/* ---- wakers ---- */

/* Finds the last release by a different thread before the wait ended. */
static const struct cp_notice *find_wake(const struct cp_trace_model *m,
                                         const struct waiter *w)
{
    size_t at = cp_notices_count_up_to(&m->wakes, w->lock, w->end_ns);

    for (; at > 0; at--) {
        const struct cp_notice *wake = &m->wakes.list[at - 1];

        if (wake->key != w->lock || wake->time_ns < w->begin_ns)
            return NULL;
        if (wake->tid != w->tid)
            return wake;
    }
    return NULL;
}

static void push_unblock(struct cp_trace_model *m, const struct waiter *w,
                         const struct cp_notice *wake)
{
    struct cp_trace_input in = { .tid = w->tid,
                                 .begin_ns = w->begin_ns,
                                 .time_ns = wake->time_ns,
                                 .arg = w->end_ns,
                                 .stack = wake->stack };
    struct cp_item *item = push(m, CP_ITEM_UNBLOCK, &in);

    if (item)
        item->other = wake->tid;
}

/*
 * Finds the waker of each wait. Threads' events are not read at the same
 * moment, so the release may arrive with the next flush. Waits without a waker
 * are therefore kept and tried again.
 */
static void match_wakes(struct cp_trace_model *m, uint64_t until_ns)
{
    bool is_sorted =
        m->n_waiters > 0 && m->wakes.n > 0 && cp_notices_sort(&m->wakes);
    size_t n = 0;

    for (size_t i = 0; i < m->n_waiters; i++) {
        struct waiter w = m->waiters[i];
        const struct cp_notice *wake = is_sorted ? find_wake(m, &w) : NULL;

        if (wake)
            push_unblock(m, &w, wake);
        else if (w.end_ns > until_ns)
            m->waiters[n++] = w;
    }
    m->n_waiters = n;
}

/* ---- creators ---- */

/* Finds the last creation before the thread began: tokens are reused. */
static struct cp_notice *find_create(const struct cp_trace_model *m,
                                     const struct cp_item *begin)
{
    size_t at = cp_notices_count_up_to(&m->creates, begin->arg, begin->time_ns);
    struct cp_notice *create = at > 0 ? &m->creates.list[at - 1] : NULL;

    return create && create->key == begin->arg && !create->is_used ? create
                                                                   : NULL;
}

static void push_create(struct cp_trace_model *m, const struct cp_item *begin,
                        const struct cp_notice *create)
{
    struct cp_trace_input in = { .tid = begin->tid,
                                 .time_ns = create->time_ns,
                                 .arg = begin->time_ns,
                                 .stack = create->stack };
    struct cp_item *item = push(m, CP_ITEM_CREATE, &in);

    if (!item)
        return;
    item->other = create->tid;
    item->start = begin->stack;
}

/* Finds the creator of each thread; tries again later, as match_wakes does. */
static void match_creates(struct cp_trace_model *m)
{
    size_t n_items = m->n_items;

    if (m->creates.n == 0 || !cp_notices_sort(&m->creates))
        return;
    for (size_t i = 0; i < n_items; i++) {
        struct cp_item begin = m->items[i];
        struct cp_notice *create;

        if (begin.kind != CP_ITEM_BEGIN || begin.arg == 0)
            continue;
        create = find_create(m, &begin);
        if (!create)
            continue;
        m->items[i].arg = 0; /* found: do not search again */
        create->is_used = true;
        push_create(m, &begin, create);
    }
    cp_notices_drop(&m->creates, 0);
}

/* ---- output ---- */

/* Sorts the items by time; false if memory is exhausted. */
static bool sort_items(struct cp_trace_model *m)
{
    if (cp_reserve(&m->order, &m->cap_order, m->n_items, sizeof(*m->order),
                   NULL) != CP_OK ||
        cp_reserve(&m->later, &m->cap_deferred, m->n_items, sizeof(*m->later),
                   NULL) != CP_OK)
        return false;
    for (size_t i = 0; i < m->n_items; i++)
        m->order[i] = (struct cp_sort_pair){ m->items[i].time_ns, i };
    return cp_sort_pairs(m->order, m->n_items, NULL) == CP_OK;
}

/* Keeps the items from this one on for the next flush. */
static void keep_items(struct cp_trace_model *m, size_t from)
{
    struct cp_item *items = m->items;
    size_t cap = m->cap_items, n = 0;

    for (size_t i = from; i < m->n_items; i++)
        m->later[n++] = items[m->order[i].value];
    m->items = m->later;
    m->cap_items = m->cap_deferred;
    m->later = items;
    m->cap_deferred = cap;
    m->n_items = n;
}

void cp_trace_model_flush(struct cp_trace_model *m, uint64_t until_ns)
{
    size_t n = 0;

    match_creates(m);
    match_wakes(m, until_ns);
    if (!sort_items(m))
        return; /* try again at the next flush */
    for (; n < m->n_items && m->order[n].key <= until_ns; n++) {
        struct cp_item *item = &m->items[m->order[n].value];

        cp_model_threads_apply(m->threads, item);
        cp_free(item->text);
    }
    keep_items(m, n);
    cp_notices_drop(&m->wakes, until_ns > KEEP_NS ? until_ns - KEEP_NS : 0);
}

bool cp_trace_model_lacks_wait(const struct cp_trace_model *m, int32_t tid,
                               uint64_t begin_ns)
{
    return cp_model_threads_lacks(m->threads, tid, begin_ns);
}

void cp_trace_model_report_wait(struct cp_trace_model *m,
                                const struct cp_trace_input *in,
                                uint64_t now_ns)
{
    struct cp_item item = { .kind = CP_ITEM_WAIT,
                            .time_ns = in->begin_ns,
                            .begin_ns = in->begin_ns,
                            .tid = in->tid,
                            .stack = in->stack,
                            .call = (uint8_t)in->call,
                            .is_long =
                                now_ns - in->begin_ns >= CP_TRACE_LONG_NS };

    if (in->call < m->options.n_calls)
        cp_model_threads_apply(m->threads, &item);
}

void cp_trace_model_finish(struct cp_trace_model *m, uint64_t end_ns)
{
    cp_trace_model_flush(m, end_ns);
    cp_model_threads_finish(m->threads, end_ns);
}

void cp_trace_model_log(struct cp_trace_model *m, uint64_t time_ns,
                        const char *category, const char *message)
{
    cp_model_threads_log(m->threads, time_ns, category, message);
}

uint64_t cp_trace_model_lost(const struct cp_trace_model *m)
{
    return m->n_lost + cp_model_threads_lost(m->threads);
}
