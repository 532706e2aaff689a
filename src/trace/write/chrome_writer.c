/*
 * chrome_writer.c - writes Chrome's trace events as JSON.
 *
 * Each slice of a thread is one complete event ("X"). Regions are asynchronous
 * events, because they need not nest with slices. Wake-ups are flows; messages
 * and samples are instants. The stacks are at the end. Times are microseconds
 * with three decimals.
 */

#include <string.h>

#include "base/alloc.h"
#include "base/out.h"
#include "base/utf8.h"
#include "trace/lanes.h"
#include "trace/stacks.h"
#include "trace/step.h"

struct writer {
    struct cp_out *out;
    int32_t pid;
    struct cp_lanes lanes;
    struct cp_lane_stacks stacks;
    uint64_t last_ns;
    bool has_events;
};

static void put_text(struct cp_out *out, struct cp_str text)
{
    cp_out_char(out, '"');
    for (uint32_t i = 0; i < text.len;) {
        uint32_t rune = 0;
        size_t n = cp_utf8_decode(text.ptr + i, (size_t)(text.len - i), &rune);

        if (n == 0)
            cp_out_cstr(out, "\\ufffd");
        else if (rune < ' ' || rune == '"' || rune == '\\')
            cp_out_printf(out, "\\u%04x", rune);
        else
            cp_out_bytes(out, text.ptr + i, n);
        i += (uint32_t)(n ? n : 1);
    }
    cp_out_char(out, '"');
}

static void put_cstr(struct cp_out *out, const char *text)
{
    put_text(out, (struct cp_str){ text, (uint32_t)strlen(text) });
}

static void put_time(struct cp_out *out, const char *key, uint64_t ns)
{
    cp_out_printf(out, ",\"%s\":%llu.%03u", key, (unsigned long long)ns / 1000,
                  (unsigned)(ns % 1000));
}

/* Starts an event; the caller appends its members and the closing brace. */
static void begin_event(struct writer *w, const char *phase, int32_t tid,
                        struct cp_str name)
{
    struct cp_out *out = w->out;

    cp_out_cstr(out, w->has_events ? ",\n" : "\n");
    w->has_events = true;
    cp_out_printf(out, "{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,\"name\":", phase,
                  (int)w->pid, (int)tid);
    put_text(out, name);
}

static struct cp_str str(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

static void put_stack(struct writer *w, uint32_t stack)
{
    stack = cp_lane_stacks_use(&w->stacks, stack);
    if (stack)
        cp_out_printf(w->out, ",\"sf\":\"%u.0\"", stack);
}

static void put_slice(struct writer *w, const struct cp_lane *lane,
                      uint64_t end_ns)
{
    begin_event(w, "X", lane->tid, str(lane->name));
    cp_out_printf(w->out, ",\"cat\":\"%s\"", lane->category);
    put_time(w->out, "ts", lane->since_ns);
    put_time(w->out, "dur",
             end_ns > lane->since_ns ? end_ns - lane->since_ns : 0);
    put_stack(w, lane->stack);
    cp_out_char(w->out, '}');
}

static void put_flow(struct writer *w, const char *phase, int32_t tid,
                     uint64_t flow, uint64_t time_ns)
{
    begin_event(w, phase, tid, str("wakes"));
    cp_out_printf(w->out, ",\"cat\":\"wake\",\"id\":%llu",
                  (unsigned long long)flow);
    if (*phase == 'f')
        cp_out_cstr(w->out, ",\"bp\":\"e\"");
    put_time(w->out, "ts", time_ns);
    cp_out_char(w->out, '}');
}

static void put_name(struct writer *w, const struct cp_step *s)
{
    begin_event(w, "M", s->tid, str("thread_name"));
    cp_out_cstr(w->out, ",\"args\":{\"name\":");
    put_text(w->out, s->text);
    cp_out_cstr(w->out, "}}");
}

static void put_region(struct writer *w, const struct cp_step *s)
{
    begin_event(w, s->kind == CP_STEP_REGION_BEGIN ? "b" : "e", s->tid,
                s->text);
    cp_out_printf(w->out, ",\"cat\":\"region\",\"id\":%d", (int)s->tid);
    put_time(w->out, "ts", s->time_ns);
    put_stack(w, s->stack);
    cp_out_char(w->out, '}');
}

static void put_instant(struct writer *w, const struct cp_step *s,
                        struct cp_str name)
{
    begin_event(w, "i", s->tid, name);
    cp_out_cstr(w->out, ",\"s\":\"t\"");
    put_time(w->out, "ts", s->time_ns);
    put_stack(w, s->stack);
    if (s->more.len) {
        cp_out_cstr(w->out, ",\"args\":{\"message\":");
        put_text(w->out, s->more);
        cp_out_char(w->out, '}');
    }
    cp_out_char(w->out, '}');
}

static void put_wake(struct writer *w, const struct cp_step *s,
                     struct cp_lane *lane)
{
    if (s->kind == CP_STEP_UNBLOCK && lane->flow) {
        put_flow(w, "s", s->other, lane->flow, s->time_ns);
    } else if (s->kind == CP_STEP_RESUME && lane->flow) {
        put_flow(w, "f", s->tid, lane->flow, s->time_ns);
        lane->flow = 0;
    }
}

static void step(void *writer, const struct cp_step *s)
{
    struct writer *w = writer;
    struct cp_lane *lane, ended;

    if (s->time_ns > w->last_ns)
        w->last_ns = s->time_ns;
    if (cp_lanes_step(&w->lanes, s, &lane, &ended))
        put_slice(w, &ended, s->time_ns);
    if (!lane)
        return;
    lane->stack = cp_lane_stacks_use(&w->stacks, lane->stack);
    switch (s->kind) {
    case CP_STEP_NAME:
        put_name(w, s);
        break;
    case CP_STEP_REGION_BEGIN:
    case CP_STEP_REGION_END:
        put_region(w, s);
        break;
    case CP_STEP_LOG:
        put_instant(w, s, s->text);
        break;
    case CP_STEP_SAMPLE:
        put_instant(w, s, str("cpu sample"));
        break;
    default:
        put_wake(w, s, lane);
    }
}

static const uint32_t *wanted(void *writer, bool is_last, size_t *out_n)
{
    const struct writer *w = writer;

    *out_n = is_last ? w->stacks.n_wanted : 0;
    return w->stacks.wanted;
}

static void put_frames(struct writer *w, uint32_t number,
                       const struct cp_trace_stacks *stacks, bool *is_first)
{
    const struct cp_trace_stack *stack = cp_trace_stacks_find(stacks, number);

    for (uint32_t i = 0; stack && i < stack->n; i++) {
        const struct cp_trace_frame *f = &stacks->frames[stack->first + i];

        cp_out_printf(w->out,
                      "%s\"%u.%u\":{\"name\":", *is_first ? "\n" : ",\n",
                      number, i);
        put_text(w->out, stacks->strings.items[f->function]);
        if (f->file) {
            cp_out_cstr(w->out, ",\"category\":");
            put_text(w->out, stacks->strings.items[f->file]);
        }
        if (i + 1 < stack->n)
            cp_out_printf(w->out, ",\"parent\":\"%u.%u\"", number, i + 1);
        cp_out_char(w->out, '}');
        *is_first = false;
    }
}

static void flush(void *writer, const struct cp_trace_stacks *stacks,
                  bool is_last)
{
    struct writer *w = writer;
    bool is_first = true;

    if (!is_last)
        return;
    for (size_t i = 0; i < w->lanes.threads.n; i++) {
        const struct cp_lane *lane = w->lanes.threads.entries[i].thread;

        if (w->lanes.threads.entries[i].tid && lane->is_open)
            put_slice(w, lane, w->last_ns);
    }
    cp_out_cstr(w->out, "\n],\n\"stackFrames\":{");
    for (size_t i = 0; i < w->stacks.n_wanted; i++)
        put_frames(w, w->stacks.wanted[i], stacks, &is_first);
    cp_out_cstr(w->out, "}\n}\n");
}

static void free_writer(void *writer)
{
    struct writer *w = writer;

    if (!w)
        return;
    cp_lanes_release(&w->lanes);
    cp_lane_stacks_release(&w->stacks);
    cp_free(w);
}

static void *open_writer(const struct cp_trace_head *head, struct cp_out *out,
                         struct cp_error *err)
{
    struct writer *w = cp_alloc(1, sizeof(*w), err);

    if (!w)
        return NULL;
    *w = (struct writer){ .out = out,
                          .pid = head->pid,
                          .lanes = CP_LANES_INIT,
                          .last_ns = head->begin_ns };
    if (cp_lane_stacks_init(&w->stacks, head->n_stacks, err) != CP_OK) {
        free_writer(w);
        return NULL;
    }
    cp_out_cstr(out, "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[");
    begin_event(w, "M", head->pid, str("process_name"));
    cp_out_cstr(out, ",\"args\":{\"name\":");
    put_cstr(out, head->program);
    cp_out_cstr(out, "}}");
    return w;
}

const struct cp_trace_format cp_trace_chrome = {
    .name = "chrome",
    .content_type = "application/json",
    .file_name = "trace.json",
    .open = open_writer,
    .step = step,
    .wanted = wanted,
    .flush = flush,
    .free = free_writer,
};
