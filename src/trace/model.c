/*
 * model.c - input, and the order of time; see model.h.
 *
 * A wait becomes two items, its begin and its end, and a third between them if
 * somebody is found who ended it: the last one who let go of that lock before.
 */
#include "trace/model.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "trace/model_threads.h"

#define MOST_WAKES ((size_t)1 << 16)
#define MOST_CREATES 4096
#define KEEP_NS 1000000000 /* for waits that end later */

/* Somebody lets others go, or wants to be let go. */
struct wake {
    uint64_t lock, time_ns;
    int32_t tid;
    uint32_t stack;
};

struct waiter {
    uint64_t lock, begin_ns, end_ns;
    int32_t tid;
};

struct create {
    uint64_t token, time_ns;
    int32_t tid;
    uint32_t stack;
};

struct cp_trace_model {
    struct cp_trace_model_options options;
    struct cp_model_threads *threads;
    struct cp_item *items;
    size_t n_items, cap_items;
    struct cp_item *later; /* room for those that stay */
    size_t cap_later;
    struct cp_sort_pair *order; /* of the items */
    size_t cap_order;
    struct wake *wakes;
    size_t n_wakes, cap_wakes;
    struct waiter *waiters; /* whose wakers are not known yet */
    size_t n_waiters, cap_waiters;
    struct create *creates;
    size_t n_creates, cap_creates;
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
    cp_free(m->wakes);
    cp_free(m->waiters);
    cp_free(m->creates);
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

static void add_wake(struct cp_trace_model *m, const struct cp_trace_input *in)
{
    if (m->n_wakes == MOST_WAKES) { /* the older half is hardly needed */
        memmove(m->wakes, m->wakes + MOST_WAKES / 2,
                MOST_WAKES / 2 * sizeof(*m->wakes));
        m->n_wakes = MOST_WAKES / 2;
    }
    if (cp_reserve(&m->wakes, &m->cap_wakes, m->n_wakes + 1, sizeof(*m->wakes),
                   NULL) == CP_OK)
        m->wakes[m->n_wakes++] =
            (struct wake){ in->arg, in->time_ns, in->tid, in->stack };
}

static void add_create(struct cp_trace_model *m,
                       const struct cp_trace_input *in)
{
    if (m->n_creates == MOST_CREATES)
        memmove(m->creates, m->creates + 1,
                --m->n_creates * sizeof(*m->creates));
    if (cp_reserve(&m->creates, &m->cap_creates, m->n_creates + 1,
                   sizeof(*m->creates), NULL) == CP_OK)
        m->creates[m->n_creates++] =
            (struct create){ in->arg, in->time_ns, in->tid, in->stack };
}

/* Most calls are short, and nobody else has to do with them: one item. */
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

/* Whoever joins it is let go before it is no more. */
static void add_end(struct cp_trace_model *m, const struct cp_trace_input *in)
{
    struct cp_trace_input wake = *in;

    wake.time_ns -= 1;
    add_wake(m, &wake);
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
        [CP_INPUT_GONE] = CP_ITEM_GONE,
    };

    switch (in->kind) {
    case CP_INPUT_WAIT:
        add_wait(m, in);
        break;
    case CP_INPUT_WAKE:
        add_wake(m, in);
        break;
    case CP_INPUT_CREATE:
        add_create(m, in);
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

/* ---- who woke whom ---- */

/* By lock, and those of one lock by time. */
static bool sort_wakes(struct cp_trace_model *m)
{
    size_t size = sizeof(*m->wakes);

    return cp_sort_structs(m->wakes, m->n_wakes, size,
                           offsetof(struct wake, time_ns), NULL) == CP_OK &&
           cp_sort_structs(m->wakes, m->n_wakes, size,
                           offsetof(struct wake, lock), NULL) == CP_OK;
}

/* The last one by then, but for the waiter itself. */
static const struct wake *find_wake(const struct cp_trace_model *m,
                                    const struct waiter *w)
{
    size_t low = 0, high = m->n_wakes;

    while (low < high) {
        size_t at = low + (high - low) / 2;
        const struct wake *wake = &m->wakes[at];

        if (wake->lock < w->lock ||
            (wake->lock == w->lock && wake->time_ns <= w->end_ns))
            low = at + 1;
        else
            high = at;
    }
    for (; low > 0; low--) {
        const struct wake *wake = &m->wakes[low - 1];

        if (wake->lock != w->lock || wake->time_ns < w->begin_ns)
            return NULL;
        if (wake->tid != w->tid)
            return wake;
    }
    return NULL;
}

static void push_unblock(struct cp_trace_model *m, const struct waiter *w,
                         const struct wake *wake)
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
 * The threads' events are not read at one moment: what came first may come with
 * the next. So who is not told of yet is looked for again then.
 */
static void match_wakes(struct cp_trace_model *m, uint64_t until_ns)
{
    bool is_sorted = m->n_waiters > 0 && m->n_wakes > 0 && sort_wakes(m);
    size_t n = 0;

    for (size_t i = 0; i < m->n_waiters; i++) {
        struct waiter w = m->waiters[i];
        const struct wake *wake = is_sorted ? find_wake(m, &w) : NULL;

        if (wake)
            push_unblock(m, &w, wake);
        else if (w.end_ns > until_ns)
            m->waiters[n++] = w;
    }
    m->n_waiters = n;
}

static void drop_old_wakes(struct cp_trace_model *m, uint64_t until_ns)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_wakes; i++)
        if (m->wakes[i].time_ns + KEEP_NS > until_ns)
            m->wakes[n++] = m->wakes[i];
    m->n_wakes = n;
}

/* ---- who made whom ---- */

/* The last one by then: a token is used again. */
static bool take_create(struct cp_trace_model *m, uint64_t token,
                        uint64_t time_ns, struct create *out)
{
    struct create *found = NULL;

    for (size_t i = 0; i < m->n_creates; i++) {
        struct create *c = &m->creates[i];

        if (c->token == token && c->time_ns <= time_ns &&
            (!found || c->time_ns >= found->time_ns))
            found = c;
    }
    if (!found)
        return false;
    *out = *found;
    *found = m->creates[--m->n_creates];
    return true;
}

/* As in match_wakes, one that is not found yet is looked for again. */
static void match_creates(struct cp_trace_model *m)
{
    size_t n_items = m->n_items;

    for (size_t i = 0; i < n_items; i++) {
        struct cp_item begin = m->items[i], *item;
        struct cp_trace_input in = { .tid = begin.tid };
        struct create create;

        if (begin.kind != CP_ITEM_BEGIN || begin.arg == 0 ||
            !take_create(m, begin.arg, begin.time_ns, &create))
            continue;
        m->items[i].arg = 0; /* it has been found */
        in.time_ns = create.time_ns;
        in.arg = begin.time_ns;
        in.stack = create.stack;
        item = push(m, CP_ITEM_CREATE, &in);
        if (item) {
            item->other = create.tid;
            item->start = begin.stack;
        }
    }
}

/* ---- output ---- */

/* By time; false: no memory. */
static bool sort_items(struct cp_trace_model *m)
{
    if (cp_reserve(&m->order, &m->cap_order, m->n_items, sizeof(*m->order),
                   NULL) != CP_OK ||
        cp_reserve(&m->later, &m->cap_later, m->n_items, sizeof(*m->later),
                   NULL) != CP_OK)
        return false;
    for (size_t i = 0; i < m->n_items; i++)
        m->order[i] = (struct cp_sort_pair){ m->items[i].time_ns, i };
    return cp_sort_pairs(m->order, m->n_items, NULL) == CP_OK;
}

/* Those from this one on stay. */
static void keep_items(struct cp_trace_model *m, size_t from)
{
    struct cp_item *items = m->items;
    size_t cap = m->cap_items, n = 0;

    for (size_t i = from; i < m->n_items; i++)
        m->later[n++] = items[m->order[i].value];
    m->items = m->later;
    m->cap_items = m->cap_later;
    m->later = items;
    m->cap_later = cap;
    m->n_items = n;
}

void cp_trace_model_flush(struct cp_trace_model *m, uint64_t until_ns)
{
    size_t n = 0;

    match_creates(m);
    match_wakes(m, until_ns);
    if (!sort_items(m))
        return; /* the next time there may be memory again */
    for (; n < m->n_items && m->order[n].key <= until_ns; n++) {
        struct cp_item *item = &m->items[m->order[n].value];

        cp_model_threads_apply(m->threads, item);
        cp_free(item->text);
    }
    keep_items(m, n);
    drop_old_wakes(m, until_ns);
}

bool cp_trace_model_lacks(const struct cp_trace_model *m, int32_t tid,
                          uint64_t begin_ns)
{
    return cp_model_threads_lacks(m->threads, tid, begin_ns);
}

void cp_trace_model_waits(struct cp_trace_model *m,
                          const struct cp_trace_input *in, uint64_t now_ns)
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

void cp_trace_model_say(struct cp_trace_model *m, uint64_t time_ns,
                        const char *category, const char *message)
{
    cp_model_threads_say(m->threads, time_ns, category, message);
}

uint64_t cp_trace_model_lost(const struct cp_trace_model *m)
{
    return m->n_lost + cp_model_threads_lost(m->threads);
}
