/*
 * read_order.c - merges the events of all threads with a heap.
 *
 * The heap sorts threads by the time of their next event. If the first event is
 * not ready, a few events after it are tried and put back. That is rare in a
 * real trace; a budget of failed tries bounds the time for a crafted one.
 */
#include "trace/read/read_order.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"
#include "trace/read/read_events.h"
#include "trace/read/read_file.h"

#define TIMEOUT_NS 2000000000
#define MAX_TRIED 256
#define FIRST_BUDGET 1000000 /* failed tries allowed; each event adds TRIES */
#define TRIES 8

/* A thread's batches, and its next event. */
struct stream {
    uint64_t id;
    uint32_t thread; /* number assigned by the consumer */
    uint32_t batch;  /* next batch + 1, or 0 */
    uint64_t ticks;  /* time of the event */
    uint64_t ns;
    struct cp_wire at;
    struct cp_trace_read_event event;
};

struct order {
    const struct cp_trace_generation *g;
    const struct cp_trace_consumer *consumer;
    struct stream *streams;
    uint32_t
        *last_batch; /* indexed by stream: its last batch + 1, for linking */
    uint32_t
        *next_batch; /* indexed by batch: next batch of the same thread + 1 */
    struct stream **heap;
    size_t n_streams, cap_streams, cap_last, n_heap;
    uint64_t last_ns, budget;
};

uint64_t cp_trace_order_ns(const struct cp_trace_generation *g, uint64_t ticks)
{
    uint64_t whole = (uint64_t)g->ns_per_tick;
    double ns;

    if ((double)whole == g->ns_per_tick && ticks <= (UINT64_MAX >> 17) &&
        whole < 65536)
        return ticks * whole;
    ns = (double)ticks * g->ns_per_tick;
    return ns < 0x1p62 ? (uint64_t)ns : (uint64_t)1 << 62;
}

static bool has_events(const struct cp_trace_batch *b)
{
    uint8_t kind = *b->data.pos;

    return kind != CP_TRACE_STRINGS && kind != CP_TRACE_STACKS &&
           kind != CP_TRACE_CPU_SAMPLES;
}

/* Appends the batch to the stream of its thread. */
static enum cp_status add_batch(struct order *o, struct cp_table *ids,
                                uint32_t batch, struct cp_error *err)
{
    uint64_t id = o->g->batches[batch].thread;
    size_t probe = 0;
    uint32_t i = cp_table_next(ids, cp_hash_unique(id), &probe);

    if (i != CP_TABLE_END) {
        o->next_batch[o->last_batch[i] - 1] = batch + 1;
        o->last_batch[i] = batch + 1;
        return CP_OK;
    }
    i = (uint32_t)o->n_streams;
    if (cp_reserve(&o->streams, &o->cap_streams, o->n_streams + 1,
                   sizeof(*o->streams), err) != CP_OK ||
        cp_reserve(&o->last_batch, &o->cap_last, o->n_streams + 1,
                   sizeof(*o->last_batch), err) != CP_OK ||
        cp_table_add(ids, cp_hash_unique(id), i, err) != CP_OK)
        return CP_ENOMEM;
    o->streams[i] = (struct stream){ .id = id, .batch = batch + 1 };
    o->last_batch[i] = batch + 1;
    o->n_streams++;
    return o->consumer->thread(o->consumer->context, id, &o->streams[i].thread,
                               err);
}

static enum cp_status link_batches(struct order *o, struct cp_error *err)
{
    struct cp_table ids = { 0 };
    enum cp_status status = CP_OK;

    o->next_batch = cp_alloc(o->g->n, sizeof(*o->next_batch), err);
    if (!o->next_batch)
        return CP_ENOMEM;
    for (size_t i = 0; status == CP_OK && i < o->g->n; i++)
        if (has_events(&o->g->batches[i]))
            status = add_batch(o, &ids, (uint32_t)i, err);
    cp_table_release(&ids);
    if (status != CP_OK)
        return status;
    o->heap = cp_alloc(o->n_streams, sizeof(struct stream *), err);
    return o->heap ? CP_OK : CP_ENOMEM;
}

/* Reads the next event of a thread; *is_there is false at the end. */
static enum cp_status advance(struct order *o, struct stream *s, bool *is_there,
                              struct cp_error *err)
{
    *is_there = false;
    while (s->at.pos == s->at.end) {
        const struct cp_trace_batch *b;

        if (s->batch == 0)
            return CP_OK;
        b = &o->g->batches[s->batch - 1];
        s->batch = o->next_batch[s->batch - 1];
        s->at = b->data;
        s->ticks = b->time;
    }
    if (!cp_trace_event_read(&s->at, &s->event))
        return cp_error_set(err, CP_EFORMAT,
                            "invalid event (kind %u) of thread %llu in "
                            "generation %llu",
                            s->at.pos < s->at.end ? *s->at.pos : 0,
                            (unsigned long long)s->id,
                            (unsigned long long)o->g->number);
    s->ticks += s->event.args[0];
    s->ns = cp_trace_order_ns(o->g, s->ticks);
    *is_there = true;
    return CP_OK;
}

static void push(struct order *o, struct stream *s)
{
    size_t i = o->n_heap++;

    for (; i > 0 && o->heap[(i - 1) / 2]->ns > s->ns; i = (i - 1) / 2)
        o->heap[i] = o->heap[(i - 1) / 2];
    o->heap[i] = s;
}

/* Replaces the first element of the heap by s and restores the heap order. */
static void replace_first(struct order *o, struct stream *s)
{
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= o->n_heap)
            break;
        if (child + 1 < o->n_heap &&
            o->heap[child + 1]->ns < o->heap[child]->ns)
            child++;
        if (o->heap[child]->ns >= s->ns)
            break;
        o->heap[i] = o->heap[child];
        i = child;
    }
    o->heap[i] = s;
}

static struct stream *pop(struct order *o)
{
    struct stream *first = o->heap[0], *last = o->heap[--o->n_heap];

    if (o->n_heap > 0)
        replace_first(o, last);
    return first;
}

static bool is_ready(const struct order *o, const struct stream *s)
{
    return o->consumer->is_ready(o->consumer->context, s->thread, &s->event);
}

static enum cp_status pass_event(struct order *o, const struct stream *s,
                                 struct cp_error *err)
{
    o->last_ns = s->ns > o->last_ns ? s->ns : o->last_ns + 1;
    o->budget += TRIES;
    return o->consumer->take(o->consumer->context, s->thread, o->last_ns,
                             &s->event, err);
}

/*
 * Removes and returns a stream whose event is ready, even if others come before
 * it; the first one if none is ready.
 */
static struct stream *pop_ready(struct order *o)
{
    struct stream *tried[MAX_TRIED], *chosen = pop(o);
    uint64_t limit_ns = chosen->ns + TIMEOUT_NS;
    size_t n = 0;

    tried[n++] = chosen;
    while (n < MAX_TRIED && o->budget > 0 && o->n_heap > 0 &&
           o->heap[0]->ns < limit_ns) {
        o->budget--;
        tried[n] = pop(o);
        if (is_ready(o, tried[n++])) {
            chosen = tried[n - 1];
            break;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (tried[i] != chosen)
            push(o, tried[i]);
    return chosen;
}

static enum cp_status pass_ready_event(struct order *o, struct cp_error *err)
{
    struct stream *s = pop_ready(o);
    bool is_there = false;
    enum cp_status status = pass_event(o, s, err);

    if (status == CP_OK)
        status = advance(o, s, &is_there, err);
    if (status == CP_OK && is_there)
        push(o, s);
    return status;
}

static enum cp_status run(struct order *o, struct cp_error *err)
{
    enum cp_status status = CP_OK;
    bool is_there;

    for (size_t i = 0; status == CP_OK && i < o->n_streams; i++) {
        status = advance(o, &o->streams[i], &is_there, err);
        if (status == CP_OK && is_there)
            push(o, &o->streams[i]);
    }
    while (status == CP_OK && o->n_heap > 0) {
        struct stream *s = o->heap[0];

        if (!is_ready(o, s)) {
            status = pass_ready_event(o, err);
            continue;
        }
        status = pass_event(o, s, err);
        if (status == CP_OK)
            status = advance(o, s, &is_there, err);
        if (status == CP_OK && is_there)
            replace_first(o, s);
        else if (status == CP_OK)
            (void)pop(o);
    }
    return status;
}

enum cp_status cp_trace_order_run(const struct cp_trace_generation *g,
                                  const struct cp_trace_consumer *consumer,
                                  uint64_t *last_ns, struct cp_error *err)
{
    struct order o = { .g = g,
                       .consumer = consumer,
                       .last_ns = *last_ns,
                       .budget = FIRST_BUDGET };
    enum cp_status status = link_batches(&o, err);

    if (status == CP_OK)
        status = run(&o, err);
    *last_ns = o.last_ns;
    cp_free(o.streams);
    cp_free(o.last_batch);
    cp_free(o.next_batch);
    cp_free(o.heap);
    return status;
}
