/* trace_data.c - writes the data of a trace's page as JSON. */
#include "web/trace_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/out.h"
#include "base/search.h"
#include "regex/regex.h"
#include "report/core/escape.h"
#include "trace/read/read_timeline.h"
#include "trace/read/read_window.h"

#define MAX_MARKS 4000       /* marks of a lane in one reply */
#define MAX_LOOK_BACK 200000 /* marks before the window, for long regions */

static struct cp_str cstr(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

/* Returns the number of threads of the program. */
static uint32_t n_shown(const struct cp_trace_timeline *t)
{
    uint32_t n = cp_trace_spans_n_lanes(cp_trace_timeline_spans(t)), sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += cp_trace_timeline_is_shown(t, i);
    return sum;
}

void cp_trace_data_info(const struct cp_trace_timeline *t, const char *title,
                        struct cp_out *out)
{
    const struct cp_trace_spans *spans = cp_trace_timeline_spans(t);
    const struct cp_trace_names *names = cp_trace_spans_names(spans);
    const struct cp_trace_summary *s = cp_trace_spans_summary(spans);

    cp_out_cstr(out, "{\"title\":");
    cp_escape_json(out, cstr(title));
    cp_out_printf(out,
                  ",\"format\":\"go 1.%d\",\"duration\":%llu,\"events\":%llu,"
                  "\"samples\":%llu,\"lanes\":%u,\"lost\":%llu,"
                  "\"marks_lost\":%llu,\"cut\":%s,\"states\":[",
                  s->minor, (unsigned long long)(s->last_ns - s->first_ns),
                  (unsigned long long)s->n_events,
                  (unsigned long long)s->n_samples, n_shown(t),
                  (unsigned long long)cp_trace_timeline_lost(t),
                  (unsigned long long)cp_trace_timeline_marks_lost(t),
                  s->is_cut ? "true" : "false");
    for (int i = 0; i < CP_TRACE_N_STATES; i++)
        cp_out_printf(out, "%s\"%s\"", i ? "," : "",
                      cp_trace_state_name((enum cp_trace_state)i));
    cp_out_cstr(out, "],\"reasons\":{");
    for (size_t i = 0; i < cp_trace_timeline_n_reasons(t); i++) {
        uint32_t reason = cp_trace_timeline_reason(t, i);

        cp_out_printf(out, "%s\"%u\":", i ? "," : "", reason);
        cp_escape_json(out, cp_trace_text(names, reason));
    }
    cp_out_cstr(out, "}}");
}

/* A requested lane and its sort key. */
struct place {
    uint32_t lane;
    uint64_t key;
    struct cp_str name;
};

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int way = cp_str_cmp(x->name, y->name);

    return way ? way : (x->lane > y->lane) - (x->lane < y->lane);
}

static void times_of(const struct cp_trace_timeline *t, uint32_t lane,
                     struct cp_trace_times *out)
{
    *out = (struct cp_trace_times){ 0 };
    cp_trace_timeline_add(t, lane, 0, UINT64_MAX, out);
}

static uint64_t key_of(const struct cp_trace_timeline *t, uint32_t lane,
                       const char *sort)
{
    const struct cp_trace_lane *l =
        cp_trace_spans_lane(cp_trace_timeline_spans(t), lane);
    struct cp_trace_times times;

    if (strcmp(sort, "id") == 0)
        return l->id;
    if (strcmp(sort, "start") == 0)
        return l->first_ns;
    times_of(t, lane, &times);
    return UINT64_MAX - times.ns[CP_TRACE_RUNNING];
}

/* Returns the requested lanes, sorted; NULL if memory is exhausted. */
static struct place *choose(const struct cp_trace_timeline *t,
                            const struct cp_trace_lane_query *q, size_t *n)
{
    const struct cp_trace_spans *spans = cp_trace_timeline_spans(t);
    uint32_t n_lanes = cp_trace_spans_n_lanes(spans);
    struct place *list = cp_alloc(n_lanes, sizeof(*list), NULL);

    *n = 0;
    for (uint32_t i = 0; list && i < n_lanes; i++) {
        struct cp_str name = cp_trace_spans_title(spans, i);

        if (!cp_trace_timeline_is_shown(t, i) ||
            (q->re && !cp_regex_match(q->re, name.ptr, name.len)))
            continue;
        list[(*n)++] = (struct place){ i, key_of(t, i, q->sort), name };
    }
    if (list)
        qsort(list, *n, sizeof(*list),
              strcmp(q->sort, "name") == 0 ? by_name : by_key);
    return list;
}

static void write_lane(const struct cp_trace_timeline *t,
                       const struct place *place, struct cp_out *out)
{
    const struct cp_trace_spans *spans = cp_trace_timeline_spans(t);
    const struct cp_trace_lane *l = cp_trace_spans_lane(spans, place->lane);
    uint64_t zero = cp_trace_spans_summary(spans)->first_ns;
    struct cp_trace_times times;

    times_of(t, place->lane, &times);
    cp_out_printf(out, "[%u,%llu,", place->lane, (unsigned long long)l->id);
    cp_escape_json(out, place->name);
    cp_out_printf(out, ",%llu,%llu,[", (unsigned long long)(l->first_ns - zero),
                  (unsigned long long)(l->last_ns - zero));
    for (int i = 0; i < CP_TRACE_N_STATES; i++)
        cp_out_printf(out, "%s%llu", i ? "," : "",
                      (unsigned long long)times.ns[i]);
    cp_out_cstr(out, "]]");
}

void cp_trace_data_lanes(const struct cp_trace_timeline *t,
                         const struct cp_trace_lane_query *q,
                         struct cp_out *out)
{
    size_t n;
    struct place *list = choose(t, q, &n);

    if (!list) {
        (void)cp_error_nomem(&out->err);
        return;
    }
    cp_out_printf(out, "{\"n\":%zu,\"lanes\":[", n);
    for (size_t i = q->skip; i < n && i - q->skip < q->max_lanes; i++) {
        if (i > q->skip)
            cp_out_char(out, ',');
        write_lane(t, &list[i], out);
    }
    cp_out_cstr(out, "]}");
    cp_free(list);
}

static void write_mark(const struct cp_trace_names *names,
                       const struct cp_trace_mark *m, struct cp_out *out)
{
    cp_out_printf(out, "[%u,%llu,", m->kind, (unsigned long long)m->time_ns);
    cp_escape_json(out, cp_trace_text(names, m->name));
    cp_out_char(out, ',');
    cp_escape_json(out, cp_trace_text(names, m->text));
    if (m->value == UINT64_MAX) /* region without an end */
        cp_out_printf(out, ",%u,-1]", m->stack);
    else
        cp_out_printf(out, ",%u,%llu]", m->stack, (unsigned long long)m->value);
}

/* Whether a mark is visible between two times. */
static bool is_seen(const struct cp_trace_mark *m,
                    const struct cp_trace_window *w)
{
    if (m->kind == CP_TRACE_MARK_REGION_BEGIN ||
        m->kind == CP_TRACE_MARK_REGION_END)
        return false;
    if (m->kind == CP_TRACE_MARK_REGION)
        return m->time_ns < w->to_ns && m->value > w->from_ns;
    return m->time_ns >= w->from_ns && m->time_ns < w->to_ns;
}

/* Returns the first mark at `ns` or later. */
static size_t first_mark(const struct cp_trace_mark *marks, size_t n,
                         uint64_t ns)
{
    return n ? cp_search_from(&marks->time_ns, sizeof(*marks), n, ns) : 0;
}

/* Writes the marks of one lane; a regular subset if there are too many. */
static void write_marks(const struct cp_trace_timeline *t, uint32_t lane,
                        const struct cp_trace_window *w, struct cp_out *out)
{
    const struct cp_trace_names *names =
        cp_trace_spans_names(cp_trace_timeline_spans(t));
    size_t n, end, i, step, n_seen = 0, n_written = 0;
    const struct cp_trace_mark *marks = cp_trace_timeline_marks(t, lane, &n);

    i = first_mark(marks, n, w->from_ns);
    end = first_mark(marks, n, w->to_ns);
    i = i > MAX_LOOK_BACK ? i - MAX_LOOK_BACK : 0;
    for (size_t k = i; k < end; k++)
        n_seen += is_seen(&marks[k], w);
    step = n_seen / MAX_MARKS + 1;
    cp_out_printf(out, "{\"lane\":%u,\"n\":%zu,\"marks\":[", lane, n_seen);
    for (n_seen = 0; i < end; i++) {
        if (!is_seen(&marks[i], w) || n_seen++ % step != 0)
            continue;
        if (n_written++ > 0)
            cp_out_char(out, ',');
        write_mark(names, &marks[i], out);
    }
    cp_out_cstr(out, "]}");
}

void cp_trace_data_marks(const struct cp_trace_timeline *t,
                         const struct cp_trace_window *w, const uint32_t *lanes,
                         size_t n, struct cp_out *out)
{
    cp_out_cstr(out, "{\"lanes\":[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            cp_out_char(out, ',');
        write_marks(t, lanes[i], w, out);
    }
    cp_out_cstr(out, "]}");
}

void cp_trace_data_stack(const struct cp_trace_timeline *t, uint32_t stack,
                         struct cp_out *out)
{
    const struct cp_trace_names *names =
        cp_trace_spans_names(cp_trace_timeline_spans(t));
    const struct cp_trace_read_stack *s =
        &names->stacks[stack < names->n_stacks ? stack : 0];

    cp_out_cstr(out, "{\"frames\":[");
    for (uint32_t i = 0; i < s->n; i++) {
        const struct cp_trace_read_frame *f =
            &names->frames[names->stack_frames[s->first + i]];

        cp_out_cstr(out, i ? ",[" : "[");
        cp_escape_json(out, cp_trace_text(names, f->function));
        cp_out_char(out, ',');
        cp_escape_json(out, cp_trace_text(names, f->file));
        cp_out_printf(out, ",%u,\"0x%llx\"]", f->line,
                      (unsigned long long)f->pc);
    }
    cp_out_cstr(out, "]}");
}
