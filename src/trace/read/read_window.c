/* read_window.c - merges spans narrower than a pixel and writes the items. */
#include "trace/read/read_window.h"

#include <string.h>

#include "base/out.h"
#include "trace/read/read_timeline.h"

struct item {
    double start, end;
    uint32_t stack, by, reason;
    uint8_t state, is_open;
    uint16_t nothing;
    uint8_t shares[8];
};

_Static_assert(sizeof(struct item) == CP_TRACE_ITEM_BYTES, "is sent as it is");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the same");

static struct item single(const struct cp_trace_span *s)
{
    return (struct item){ .start = (double)s->start_ns,
                          .end = (double)s->end_ns,
                          .stack = s->stack,
                          .by = s->by == CP_TRACE_NO_LANE ? 0 : s->by + 1,
                          .reason = s->reason,
                          .state = s->state,
                          .is_open = s->is_open };
}

/* Merges n spans of a lane into one item. */
static struct item run(const struct cp_trace_timeline *t, uint32_t lane,
                       const struct cp_trace_window *when, uint64_t n)
{
    struct cp_trace_times times = { 0 };
    uint64_t len = when->to_ns - when->from_ns;
    struct item item = { .start = (double)when->from_ns,
                         .end = (double)when->to_ns,
                         .state = CP_TRACE_RUN };

    item.stack = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    cp_trace_timeline_add(t, lane, when->from_ns, when->to_ns, &times);
    for (int i = 0; len > 0 && i <= CP_TRACE_N_STATES; i++)
        item.shares[i] =
            (uint8_t)((double)times.ns[i] * 255 / (double)len + 0.5);
    return item;
}

/* Makes the item at span *i and advances *i by at least one. */
static struct item next(const struct cp_trace_timeline *t, uint32_t lane,
                        uint64_t *i, uint64_t point_ns)
{
    struct cp_trace_span s = cp_trace_timeline_span(t, lane, *i);
    struct cp_trace_window when = { .from_ns = s.start_ns };
    uint64_t n, end;

    if (s.end_ns - s.start_ns >= point_ns) {
        ++*i;
        return single(&s);
    }
    end = cp_trace_timeline_at(t, lane, s.start_ns + point_ns);
    if (end <= *i + 1) {
        ++*i;
        return single(&s);
    }
    when.to_ns = cp_trace_timeline_span(t, lane, end - 1).end_ns;
    n = end - *i;
    *i = end;
    return run(t, lane, &when, n);
}

void cp_trace_window_write(const struct cp_trace_timeline *t,
                           const struct cp_trace_window *w, uint32_t lane,
                           struct cp_out *out)
{
    uint64_t n = cp_trace_timeline_n(t, lane);
    uint64_t i = cp_trace_timeline_at(t, lane, w->from_ns);
    uint64_t point = (w->to_ns - w->from_ns) / (w->n_points ? w->n_points : 1);
    size_t head = out->len;
    uint32_t start[2] = { lane, 0 };

    cp_out_bytes(out, (const char *)start, sizeof(start));
    while (i < n && out->err.status == CP_OK &&
           cp_trace_timeline_span(t, lane, i).start_ns < w->to_ns) {
        struct item item = next(t, lane, &i, point);

        if (item.state == CP_TRACE_NONE)
            continue;
        cp_out_bytes(out, (const char *)&item, sizeof(item));
        start[1]++;
    }
    if (out->err.status == CP_OK)
        memcpy(out->buf + head, start, sizeof(start));
}
