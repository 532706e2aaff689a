/* trace_stats.c - adds up states, waits and samples of a selected time. */
#include "web/trace_stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/out.h"
#include "profile/codec/encode.h"
#include "profile/model/profile.h"
#include "report/core/escape.h"
#include "trace/read/read_profile.h"
#include "trace/read/read_timeline.h"

#define MAX_ROWS 50
#define MAX_SPANS ((uint64_t)8 << 20) /* spans added up in one request */

/* An entry of a table: a lane, a stack that waited, or a function. */
struct sum {
    uint64_t ns, count;
    uint32_t id, reason;
    uint8_t state;
};

struct stats {
    const struct cp_trace_timeline *t;
    const struct cp_trace_names *names;
    uint64_t from, to, n_spans, n_samples;
    struct cp_trace_times all;
    struct sum *lanes, *stacks, *functions;
    size_t n_lanes;
    bool is_whole;
};

static int heaviest(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/*
 * Removes empty entries and sorts the rest; returns the number of rows to show.
 */
static size_t sort_sums(struct sum *list, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (list[i].ns > 0)
            list[kept++] = list[i];
    qsort(list, kept, sizeof(*list), heaviest);
    return kept < MAX_ROWS ? kept : MAX_ROWS;
}

static uint64_t clip(const struct stats *s, const struct cp_trace_span *span)
{
    uint64_t start = span->start_ns > s->from ? span->start_ns : s->from;
    uint64_t end = span->end_ns < s->to ? span->end_ns : s->to;

    return end > start ? end - start : 0;
}

/* Adds up the waits of a lane. */
static void add_waits(struct stats *s, uint32_t lane)
{
    uint64_t n = cp_trace_timeline_n(s->t, lane);
    uint64_t i = cp_trace_timeline_at(s->t, lane, s->from);

    for (; i < n; i++) {
        struct cp_trace_span span = cp_trace_timeline_span(s->t, lane, i);
        struct sum *sum = &s->stacks[span.stack];

        if (span.start_ns >= s->to)
            break;
        if (s->n_spans++ >= MAX_SPANS) {
            s->is_whole = false;
            break;
        }
        if (span.state < CP_TRACE_SYSCALL || span.state >= CP_TRACE_NONE)
            continue;
        sum->ns += clip(s, &span);
        sum->count++;
        sum->id = span.stack;
        sum->state = span.state;
        sum->reason = span.reason;
    }
}

static void add_samples(struct stats *s, uint32_t lane)
{
    size_t n;
    const struct cp_trace_mark *m = cp_trace_timeline_marks(s->t, lane, &n);

    for (size_t i = 0; i < n && m[i].time_ns < s->to; i++) {
        const struct cp_trace_read_stack *stack = &s->names->stacks[m[i].stack];
        uint32_t function;

        if (m[i].kind != CP_TRACE_MARK_SAMPLE || m[i].time_ns < s->from ||
            stack->n == 0)
            continue;
        function =
            s->names->frames[s->names->stack_frames[stack->first]].function;
        s->functions[function].ns++;
        s->functions[function].id = function;
        s->n_samples++;
    }
}

static void add_lane(struct stats *s, uint32_t lane)
{
    struct cp_trace_times times = { 0 };
    uint64_t sum = 0;

    cp_trace_timeline_add(s->t, lane, s->from, s->to, &times);
    for (int i = 0; i < CP_TRACE_N_STATES; i++) {
        s->all.ns[i] += times.ns[i];
        sum += times.ns[i];
    }
    add_samples(s, lane);
    if (sum == 0)
        return;
    /* Lanes that ran come first, then those that only existed. */
    s->lanes[lane].ns = times.ns[CP_TRACE_RUNNING] + 1;
    s->lanes[lane].id = lane;
    s->n_lanes++;
    if (s->is_whole)
        add_waits(s, lane);
}

static void write_times(const struct cp_trace_times *times, struct cp_out *out)
{
    cp_out_char(out, '[');
    for (int i = 0; i < CP_TRACE_N_STATES; i++)
        cp_out_printf(out, "%s%llu", i ? "," : "",
                      (unsigned long long)times->ns[i]);
    cp_out_char(out, ']');
}

static void write_lanes(const struct stats *s, size_t n, struct cp_out *out)
{
    const struct cp_trace_spans *spans = cp_trace_timeline_spans(s->t);

    for (size_t i = 0; i < n; i++) {
        uint32_t lane = s->lanes[i].id;
        struct cp_trace_times times = { 0 };

        cp_trace_timeline_add(s->t, lane, s->from, s->to, &times);
        cp_out_printf(out, "%s[%u,%llu,", i ? "," : "", lane,
                      (unsigned long long)cp_trace_spans_lane(spans, lane)->id);
        cp_escape_json(out, cp_trace_spans_title(spans, lane));
        cp_out_char(out, ',');
        write_times(&times, out);
        cp_out_char(out, ']');
    }
}

/*
 * Returns the function to show for a stack: the first one outside the runtime.
 */
static struct cp_str shown_function(const struct cp_trace_names *names,
                                    uint32_t stack)
{
    const struct cp_trace_read_stack *s = &names->stacks[stack];

    for (uint32_t i = 0; i < s->n; i++) {
        struct cp_str text = cp_trace_text(
            names, names->frames[names->stack_frames[s->first + i]].function);

        if (text.len < 8 || memcmp(text.ptr, "runtime.", 8) != 0)
            return text;
    }
    return cp_trace_text(names, cp_trace_names_root(names, stack));
}

static void write_waits(const struct stats *s, size_t n, struct cp_out *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct sum *w = &s->stacks[i];

        cp_out_printf(out, "%s[%u,", i ? "," : "", w->state);
        cp_escape_json(out, cp_trace_text(s->names, w->reason));
        cp_out_printf(out, ",%u,", w->id);
        cp_escape_json(out, shown_function(s->names, w->id));
        cp_out_printf(out, ",%llu,%llu]", (unsigned long long)w->ns,
                      (unsigned long long)w->count);
    }
}

static void write_functions(const struct stats *s, size_t n, struct cp_out *out)
{
    for (size_t i = 0; i < n; i++) {
        cp_out_cstr(out, i ? ",[" : "[");
        cp_escape_json(out, cp_trace_text(s->names, s->functions[i].id));
        cp_out_printf(out, ",%llu]", (unsigned long long)s->functions[i].ns);
    }
}

static void write_all(struct stats *s, uint32_t n_lanes, struct cp_out *out)
{
    cp_out_cstr(out, "{\"states\":");
    write_times(&s->all, out);
    cp_out_printf(out, ",\"n_lanes\":%zu,\"lanes\":[", s->n_lanes);
    write_lanes(s, sort_sums(s->lanes, n_lanes), out);
    cp_out_cstr(out, "],\"waits\":[");
    write_waits(s, sort_sums(s->stacks, s->names->n_stacks), out);
    cp_out_cstr(out, "],\"functions\":[");
    write_functions(s, sort_sums(s->functions, s->names->strings.n), out);
    cp_out_printf(out, "],\"n_samples\":%llu,\"whole\":%s}",
                  (unsigned long long)s->n_samples,
                  s->is_whole ? "true" : "false");
}

void cp_trace_stats_write(const struct cp_trace_timeline *t, uint64_t from_ns,
                          uint64_t to_ns, struct cp_out *out)
{
    const struct cp_trace_spans *spans = cp_trace_timeline_spans(t);
    uint32_t n_lanes = cp_trace_spans_n_lanes(spans);
    struct stats s = { .t = t,
                       .names = cp_trace_spans_names(spans),
                       .from = from_ns,
                       .to = to_ns,
                       .is_whole = true };

    s.lanes = cp_alloc(n_lanes, sizeof(*s.lanes), &out->err);
    s.stacks = cp_alloc(s.names->n_stacks, sizeof(*s.stacks), &out->err);
    s.functions = cp_alloc(s.names->strings.n, sizeof(*s.functions), &out->err);
    if (s.lanes && s.stacks && s.functions) {
        for (uint32_t i = 0; i < n_lanes; i++)
            if (cp_trace_timeline_is_shown(t, i))
                add_lane(&s, i);
        add_samples(&s, CP_TRACE_NO_LANE);
        write_all(&s, n_lanes, out);
    }
    cp_free(s.lanes);
    cp_free(s.stacks);
    cp_free(s.functions);
}

static enum cp_status add_spans(const struct cp_trace_timeline *t,
                                uint32_t lane, struct cp_trace_profile *p,
                                struct cp_error *err)
{
    uint64_t n = cp_trace_timeline_n(t, lane);
    uint64_t i = cp_trace_timeline_at(t, lane, p->from_ns);
    enum cp_status status = CP_OK;

    for (; status == CP_OK && i < n; i++) {
        struct cp_trace_span s = cp_trace_timeline_span(t, lane, i);

        if (s.start_ns >= p->to_ns)
            break;
        status = cp_trace_profile_add(p, &s, err);
    }
    return status;
}

void cp_trace_stats_profile(const struct cp_trace_timeline *t,
                            struct cp_trace_profile *kind, struct cp_out *out)
{
    const struct cp_trace_spans *spans = cp_trace_timeline_spans(t);
    uint32_t n_lanes = cp_trace_spans_n_lanes(spans);
    struct cp_profile *profile = NULL;
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; status == CP_OK && i < n_lanes; i++)
        if (cp_trace_timeline_is_shown(t, i))
            status = add_spans(t, i, kind, &out->err);
    if (status == CP_OK)
        profile =
            cp_trace_profile_make(kind, cp_trace_spans_names(spans), &out->err);
    if (profile)
        (void)cp_encode_gzip(profile, out, &out->err);
    cp_profile_free(profile);
}
