/* read_timeline.c - stores spans in chunks and answers queries on them. */
#include "trace/read/read_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/read/read_mark_list.h"
#include "trace/read/read_store.h"

#define TIME_BITS 48 /* nanoseconds since the first event: three days */
#define MAX_NS (((uint64_t)1 << TIME_BITS) - 1)
#define STATE_BITS 4
#define MAX_REASONS ((uint32_t)1 << (64 - TIME_BITS - STATE_BITS))
#define FIRST_CELLS 4 /* cells in a lane's first chunk */
#define MAX_CELLS 256 /* each next chunk has four times as many, up to this */
#define MAX_MARKS ((size_t)8 << 20)
#define COUNTER_NS 50000 /* minimum time between values of a counter */

/* A span: begin, state and reason; stack, and causing lane + 1. */
struct cell {
    uint64_t bits;
    uint32_t stack, by;
};

struct chunk {
    struct cp_trace_times before;
    uint64_t first; /* number of its first span */
    uint32_t n, cap;
    struct cell cells[];
};

struct line {
    struct chunk **chunks;
    size_t n_chunks, cap_chunks;
    struct cp_trace_times total;
    uint64_t start_ns, end_ns; /* since the first event */
    bool is_open;
};

struct cp_trace_timeline {
    struct cp_trace_spans *spans;
    struct cp_trace_store store;
    struct line *lines;
    size_t n_lines, cap_lines;
    uint32_t *reasons; /* strings, by small number */
    uint16_t *small;   /* indexed by string: small number + 1 */
    size_t n_reasons, cap_reasons, n_small, cap_small;
    struct cp_trace_mark_list marks;
    uint64_t n_marks_lost, n_lost;
    uint64_t counted_ns[4]; /* times of the last kept values of counters */
    uint32_t recorder;
};

static uint64_t start_of(const struct cell *c)
{
    return c->bits & MAX_NS;
}

static unsigned state_of(const struct cell *c)
{
    return c->bits >> TIME_BITS & ((1u << STATE_BITS) - 1);
}

/*
 * Returns a small number for a reason; 0 (no reason) if the numbers are used
 * up.
 */
static enum cp_status small_reason(struct cp_trace_timeline *t, uint32_t reason,
                                   uint64_t *out, struct cp_error *err)
{
    if (reason >= t->n_small) {
        if (cp_reserve(&t->small, &t->cap_small, (size_t)reason + 1,
                       sizeof(*t->small), err) != CP_OK)
            return CP_ENOMEM;
        memset(t->small + t->n_small, 0,
               (reason + 1 - t->n_small) * sizeof(*t->small));
        t->n_small = (size_t)reason + 1;
    }
    *out = t->small[reason];
    if (*out > 0 || t->n_reasons >= MAX_REASONS) {
        *out -= *out > 0;
        return CP_OK;
    }
    if (cp_reserve(&t->reasons, &t->cap_reasons, t->n_reasons + 1,
                   sizeof(*t->reasons), err) != CP_OK)
        return CP_ENOMEM;
    *out = t->n_reasons;
    t->reasons[t->n_reasons++] = reason;
    t->small[reason] = (uint16_t)t->n_reasons;
    return CP_OK;
}

static struct line *line_of(struct cp_trace_timeline *t, uint32_t lane,
                            struct cp_error *err)
{
    if (lane >= t->n_lines) {
        if (cp_reserve(&t->lines, &t->cap_lines, (size_t)lane + 1,
                       sizeof(*t->lines), err) != CP_OK)
            return NULL;
        memset(t->lines + t->n_lines, 0,
               (lane + 1 - t->n_lines) * sizeof(*t->lines));
        t->n_lines = (size_t)lane + 1;
    }
    return &t->lines[lane];
}

/* Returns a chunk with room for one more cell. */
static struct chunk *chunk_with_room(struct cp_trace_timeline *t,
                                     struct line *l, struct cp_error *err)
{
    struct chunk *last = l->n_chunks ? l->chunks[l->n_chunks - 1] : NULL, *c;
    uint32_t cap = last ? last->cap * 4 : FIRST_CELLS;

    if (last && last->n < last->cap)
        return last;
    if (cap > MAX_CELLS)
        cap = MAX_CELLS;
    if (cp_reserve(&l->chunks, &l->cap_chunks, l->n_chunks + 1,
                   sizeof(*l->chunks), err) != CP_OK)
        return NULL;
    c = cp_trace_store_alloc(&t->store, sizeof(*c) + cap * sizeof(struct cell),
                             err);
    if (!c)
        return NULL;
    c->cap = cap;
    c->before = l->total;
    c->first = last ? last->first + last->n : 0;
    l->chunks[l->n_chunks++] = c;
    return c;
}

/* Returns the time since the first event. */
static uint64_t since_zero(const struct cp_trace_timeline *t, uint64_t ns)
{
    uint64_t zero = cp_trace_spans_summary(t->spans)->first_ns;

    if (ns <= zero)
        return 0;
    return ns - zero < MAX_NS ? ns - zero : MAX_NS;
}

static enum cp_status add_cell(struct cp_trace_timeline *t, struct line *l,
                               struct cell cell, uint64_t end,
                               struct cp_error *err)
{
    struct chunk *c = chunk_with_room(t, l, err);

    if (!c)
        return CP_ENOMEM;
    if (c->first + c->n == 0)
        l->start_ns = start_of(&cell);
    c->cells[c->n++] = cell;
    l->total.ns[state_of(&cell)] += end - start_of(&cell);
    l->end_ns = end;
    return CP_OK;
}

static enum cp_status on_span(void *context, const struct cp_trace_span *s,
                              struct cp_error *err)
{
    struct cp_trace_timeline *t = context;
    struct line *l = line_of(t, s->lane, err);
    uint64_t start = since_zero(t, s->start_ns), end = since_zero(t, s->end_ns);
    struct cell cell = { .stack = s->stack };
    uint64_t reason;

    if (!l || small_reason(t, s->reason, &reason, err) != CP_OK)
        return CP_ENOMEM;
    if (l->n_chunks > 0 && l->end_ns < start) {
        cell.bits = l->end_ns | (uint64_t)CP_TRACE_NONE << TIME_BITS;
        if (add_cell(t, l, cell, start, err) != CP_OK)
            return CP_ENOMEM;
    }
    cell.bits = start | (uint64_t)s->state << TIME_BITS |
                reason << (TIME_BITS + STATE_BITS);
    cell.by = s->by == CP_TRACE_NO_LANE ? 0 : s->by + 1;
    l->is_open = s->is_open;
    return add_cell(t, l, cell, end, err);
}

static bool is_text(const struct cp_trace_timeline *t, uint32_t string,
                    const char *text)
{
    struct cp_str s = cp_trace_text(cp_trace_spans_names(t->spans), string);

    return s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

/* Whether a value of this counter was kept less than COUNTER_NS ago. */
static bool is_too_frequent(struct cp_trace_timeline *t,
                            const struct cp_trace_mark *m)
{
    uint64_t *last = &t->counted_ns[m->name % 4];

    if (m->kind != CP_TRACE_MARK_COUNTER)
        return false;
    if (*last && m->time_ns - *last < COUNTER_NS)
        return true;
    *last = m->time_ns;
    return false;
}

static void parse_lost(struct cp_trace_timeline *t, uint32_t string)
{
    struct cp_str text = cp_trace_text(cp_trace_spans_names(t->spans), string);

    for (const char *at = strchr(text.ptr, '='); at; at = strchr(at + 1, '='))
        t->n_lost += strtoull(at + 1, NULL, 10);
}

/* Handles a message that may come from the recorder. */
static void on_message(struct cp_trace_timeline *t,
                       const struct cp_trace_mark *m)
{
    if (is_text(t, m->name, "cpprof.trace"))
        t->recorder = m->lane;
    if (is_text(t, m->name, "cpprof.lost"))
        parse_lost(t, m->text);
}

static enum cp_status on_mark(void *context, const struct cp_trace_mark *m,
                              struct cp_error *err)
{
    struct cp_trace_timeline *t = context;
    struct cp_trace_mark own = *m;

    if (m->kind == CP_TRACE_MARK_LOG &&
        cp_trace_mark_may_be_recorders(m, t->recorder))
        on_message(t, m);
    if (is_too_frequent(t, m))
        return CP_OK;
    if (t->marks.n >= MAX_MARKS) {
        t->n_marks_lost++;
        return CP_OK;
    }
    own.time_ns = since_zero(t, m->time_ns);
    return cp_trace_mark_list_add(&t->marks, &own, err);
}

enum cp_status cp_trace_timeline_new(struct cp_trace_timeline **out,
                                     const void *bytes, size_t len,
                                     struct cp_error *err)
{
    struct cp_trace_timeline *t = cp_alloc(1, sizeof(*t), err);
    struct cp_trace_watcher watcher = { .context = t,
                                        .span = on_span,
                                        .mark = on_mark };
    uint64_t none;
    enum cp_status status;

    if (!t)
        return CP_ENOMEM;
    t->recorder = CP_TRACE_NO_LANE;
    cp_trace_store_init(&t->store, len);
    status = small_reason(t, 0, &none, err);
    if (status == CP_OK)
        status = cp_trace_spans_read(&t->spans, bytes, len, &watcher, err);
    if (status == CP_OK && cp_trace_spans_n_lanes(t->spans) > 0 &&
        !line_of(t, cp_trace_spans_n_lanes(t->spans) - 1, err))
        status = CP_ENOMEM;
    if (status == CP_OK)
        status = cp_trace_mark_list_sort(&t->marks,
                                         cp_trace_spans_n_lanes(t->spans), err);
    if (status == CP_OK)
        *out = t;
    else
        cp_trace_timeline_free(t);
    return status;
}

void cp_trace_timeline_free(struct cp_trace_timeline *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_lines; i++)
        cp_free(t->lines[i].chunks);
    cp_trace_store_release(&t->store);
    cp_trace_spans_free(t->spans);
    cp_free(t->lines);
    cp_free(t->reasons);
    cp_free(t->small);
    cp_trace_mark_list_release(&t->marks);
    cp_free(t);
}

const struct cp_trace_spans *
cp_trace_timeline_spans(const struct cp_trace_timeline *t)
{
    return t->spans;
}

bool cp_trace_timeline_is_shown(const struct cp_trace_timeline *t,
                                uint32_t lane)
{
    return lane != t->recorder && t->lines[lane].n_chunks > 0;
}

uint64_t cp_trace_timeline_n(const struct cp_trace_timeline *t, uint32_t lane)
{
    const struct line *l = &t->lines[lane];
    const struct chunk *last = l->n_chunks ? l->chunks[l->n_chunks - 1] : NULL;

    return last ? last->first + last->n : 0;
}

/* Returns the chunk of a lane that holds the i-th span. */
static size_t chunk_of(const struct line *l, uint64_t i)
{
    size_t low = 0, n = l->n_chunks;

    while (n > 1) {
        size_t half = n / 2;

        if (l->chunks[low + half]->first <= i) {
            low += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return low;
}

/* Returns the end of the k-th cell of a chunk. */
static uint64_t end_of(const struct line *l, size_t chunk, uint32_t k)
{
    const struct chunk *c = l->chunks[chunk];

    if (k + 1 < c->n)
        return start_of(&c->cells[k + 1]);
    return chunk + 1 < l->n_chunks ? start_of(&l->chunks[chunk + 1]->cells[0])
                                   : l->end_ns;
}

struct cp_trace_span cp_trace_timeline_span(const struct cp_trace_timeline *t,
                                            uint32_t lane, uint64_t i)
{
    const struct line *l = &t->lines[lane];
    size_t chunk = chunk_of(l, i);
    const struct chunk *c = l->chunks[chunk];
    uint32_t k = (uint32_t)(i - c->first);
    const struct cell *cell = &c->cells[k];

    return (struct cp_trace_span){
        .lane = lane,
        .state = (uint8_t)state_of(cell),
        .reason = t->reasons[cell->bits >> (TIME_BITS + STATE_BITS)],
        .stack = cell->stack,
        .by = cell->by ? cell->by - 1 : CP_TRACE_NO_LANE,
        .start_ns = start_of(cell),
        .end_ns = end_of(l, chunk, k),
        .is_open = l->is_open && chunk + 1 == l->n_chunks && k + 1 == c->n
    };
}

/* Returns the last chunk that begins at or before `ns`; 0 if none does. */
static size_t chunk_at(const struct line *l, uint64_t ns)
{
    size_t low = 0, n = l->n_chunks;

    while (n > 1) {
        size_t half = n / 2;

        if (start_of(&l->chunks[low + half]->cells[0]) <= ns) {
            low += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return low;
}

uint64_t cp_trace_timeline_at(const struct cp_trace_timeline *t, uint32_t lane,
                              uint64_t ns)
{
    const struct line *l = &t->lines[lane];
    const struct chunk *c;
    uint32_t low = 0, n;

    if (l->n_chunks == 0 || ns >= l->end_ns)
        return cp_trace_timeline_n(t, lane);
    c = l->chunks[chunk_at(l, ns)];
    for (n = c->n;
         n > 1;) { /* search the last cell that begins at or before ns */
        uint32_t half = n / 2;

        if (start_of(&c->cells[low + half]) <= ns) {
            low += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return c->first + low;
}

/* Computes the time in each state from the lane's begin up to a time. */
static void times_until(const struct line *l, uint64_t ns,
                        struct cp_trace_times *out)
{
    size_t chunk = chunk_at(l, ns);
    const struct chunk *c = l->chunks[chunk];

    *out = c->before;
    for (uint32_t k = 0; k < c->n && start_of(&c->cells[k]) < ns; k++) {
        uint64_t end = end_of(l, chunk, k);

        out->ns[state_of(&c->cells[k])] +=
            (end < ns ? end : ns) - start_of(&c->cells[k]);
    }
}

void cp_trace_timeline_add(const struct cp_trace_timeline *t, uint32_t lane,
                           uint64_t from_ns, uint64_t to_ns,
                           struct cp_trace_times *out)
{
    const struct line *l = &t->lines[lane];
    struct cp_trace_times a, b;

    if (l->n_chunks == 0 || from_ns >= to_ns || to_ns <= l->start_ns ||
        from_ns >= l->end_ns)
        return;
    times_until(l, from_ns, &a);
    times_until(l, to_ns, &b);
    for (int i = 0; i <= CP_TRACE_N_STATES; i++)
        out->ns[i] += b.ns[i] - a.ns[i];
}

uint32_t cp_trace_timeline_reason(const struct cp_trace_timeline *t, size_t i)
{
    return t->reasons[i];
}

size_t cp_trace_timeline_n_reasons(const struct cp_trace_timeline *t)
{
    return t->n_reasons;
}

const struct cp_trace_mark *
cp_trace_timeline_marks(const struct cp_trace_timeline *t, uint32_t lane,
                        size_t *n)
{
    return cp_trace_mark_list_of(&t->marks, lane, n);
}

uint64_t cp_trace_timeline_marks_lost(const struct cp_trace_timeline *t)
{
    return t->n_marks_lost;
}

uint64_t cp_trace_timeline_lost(const struct cp_trace_timeline *t)
{
    return t->n_lost;
}
