/*
 * read_spans.c - reads a trace generation by generation and drives the watcher.
 */
#include "trace/read/read_spans.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "trace/read/read_events.h"
#include "trace/read/read_follow.h"
#include "trace/read/read_lanes.h"
#include "trace/read/read_marks.h"
#include "trace/read/read_order.h"

static const char *const state_names[] = {
    [CP_TRACE_RUNNING] = "running", [CP_TRACE_RUNNABLE] = "runnable",
    [CP_TRACE_SYSCALL] = "syscall", [CP_TRACE_NETWORK] = "network",
    [CP_TRACE_SYNC] = "sync",       [CP_TRACE_SLEEP] = "sleep",
    [CP_TRACE_BLOCKED] = "blocked", [CP_TRACE_NONE] = "none",
};

const char *cp_trace_state_name(enum cp_trace_state state)
{
    return state_names[state];
}

static uint32_t own_name(struct cp_trace_spans *s, const char *text,
                         struct cp_error *err)
{
    return cp_strtab_add(&s->names.strings, text, strlen(text), err);
}

static enum cp_status init(struct cp_trace_spans *s, struct cp_error *err)
{
    enum cp_status status = cp_trace_names_init(&s->names, err);

    if (status != CP_OK)
        return status;
    s->counters[0] = own_name(s, "processors", err);
    s->counters[1] = own_name(s, "heap", err);
    s->counters[2] = own_name(s, "heap goal", err);
    s->gc = own_name(s, "GC", err);
    s->assist = own_name(s, "GC assist", err);
    return s->assist == CP_NO_STR ? CP_ENOMEM : CP_OK;
}

/* Reads CPU samples: time, thread, processor, goroutine, stack. */
static enum cp_status read_samples(struct cp_trace_spans *s,
                                   const struct cp_trace_generation *g,
                                   struct cp_wire w, struct cp_error *err)
{
    struct cp_trace_mark m = { .kind = CP_TRACE_MARK_SAMPLE };
    uint64_t args[CP_TRACE_MAX_ARGS];
    enum cp_status status = CP_OK;

    for (w.pos++; status == CP_OK && w.pos < w.end;) {
        bool is_whole = *w.pos++ == CP_TRACE_CPU_SAMPLE;

        for (size_t i = 0; is_whole && i < CP_TRACE_MAX_ARGS; i++)
            is_whole = cp_wire_varint(&w, &args[i]);
        if (!is_whole)
            return cp_error_set(err, CP_EFORMAT,
                                "bad CPU samples in generation %llu",
                                (unsigned long long)g->number);
        m.time_ns = cp_trace_order_ns(g, args[0]);
        m.value = args[1];
        m.lane = cp_trace_spans_find(s, args[3]);
        m.stack = cp_trace_names_stack(&s->names, args[4]);
        s->summary.n_samples++;
        status = cp_trace_marks_report(s, &m, err);
    }
    return status;
}

static enum cp_status read_generation(struct cp_trace_spans *s,
                                      const struct cp_trace_generation *g,
                                      struct cp_error *err)
{
    struct cp_trace_consumer consumer = { .context = s,
                                          .thread = cp_trace_lanes_thread,
                                          .is_ready = cp_trace_follow_is_ready,
                                          .take = cp_trace_follow_take };
    enum cp_status status = cp_trace_names_read(&s->names, g, err);

    s->number = g->number;
    if (s->summary.n_generations++ > 0)
        s->summary.last_ns++; /* time of the mark between them */
    if (status == CP_OK)
        status = cp_trace_order_run(g, &consumer, &s->summary.last_ns, err);
    for (size_t i = 0; status == CP_OK && i < g->n; i++)
        if (*g->batches[i].data.pos == CP_TRACE_CPU_SAMPLES)
            status = read_samples(s, g, g->batches[i].data, err);
    return status;
}

static enum cp_status read_all(struct cp_trace_spans *s, const void *bytes,
                               size_t len, struct cp_error *err)
{
    struct cp_trace_generation g = { 0 };
    struct cp_trace_file f = { 0 };
    enum cp_status status = cp_trace_file_init(&f, bytes, len, err);

    while (status == CP_OK) {
        status = cp_trace_file_next(&f, &g, err);
        if (status != CP_OK || g.n == 0)
            break;
        status = read_generation(s, &g, err);
    }
    cp_trace_generation_release(&g);
    s->summary.minor = f.minor;
    s->summary.is_cut = f.is_cut;
    s->summary.cut_at = f.cut_at;
    if (status == CP_OK && s->summary.n_events == 0)
        return cp_error_set(err, CP_EFORMAT, "the trace has no events%s",
                            f.is_cut ? " and is truncated" : "");
    if (status == CP_OK)
        status = cp_trace_lanes_end(s, s->summary.last_ns, err);
    return status;
}

enum cp_status cp_trace_spans_read(struct cp_trace_spans **out,
                                   const void *bytes, size_t len,
                                   const struct cp_trace_watcher *watcher,
                                   struct cp_error *err)
{
    struct cp_trace_spans *s = cp_alloc(1, sizeof(*s), err);
    enum cp_status status;

    if (!s)
        return CP_ENOMEM;
    s->watcher = watcher;
    status = init(s, err);
    *out = s; /* callbacks may use it */
    if (status == CP_OK)
        status = read_all(s, bytes, len, err);
    s->watcher = NULL;
    cp_table_release(&s->names.string_ids);
    cp_table_release(&s->names.stack_ids);
    if (status != CP_OK) {
        cp_trace_spans_free(s);
        *out = NULL;
    }
    return status;
}

void cp_trace_spans_free(struct cp_trace_spans *s)
{
    if (!s)
        return;
    cp_trace_names_release(&s->names);
    cp_table_release(&s->lane_ids);
    cp_table_release(&s->thread_ids);
    cp_table_release(&s->proc_ids);
    cp_free(s->lanes);
    cp_free(s->threads);
    cp_free(s->procs);
    cp_free(s->states);
    cp_free(s);
}

const struct cp_trace_summary *
cp_trace_spans_summary(const struct cp_trace_spans *s)
{
    return &s->summary;
}

const struct cp_trace_names *
cp_trace_spans_names(const struct cp_trace_spans *s)
{
    return &s->names;
}

uint32_t cp_trace_spans_n_lanes(const struct cp_trace_spans *s)
{
    return (uint32_t)s->n_lanes;
}

const struct cp_trace_lane *cp_trace_spans_lane(const struct cp_trace_spans *s,
                                                uint32_t lane)
{
    return &s->lanes[lane];
}

uint32_t cp_trace_spans_find(const struct cp_trace_spans *s, uint64_t id)
{
    size_t probe = 0;

    return cp_table_next(&s->lane_ids, cp_hash_unique(id), &probe);
}

struct cp_str cp_trace_spans_title(const struct cp_trace_spans *s,
                                   uint32_t lane)
{
    const struct cp_trace_lane *l = &s->lanes[lane];

    return cp_trace_text(&s->names, l->label ? l->label : l->function);
}
