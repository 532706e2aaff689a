/*
 * perfetto_writer.c - writes Perfetto's packets as protobuf.
 *
 * A trace is a sequence of packets, each as field 1. Each thread has a track,
 * and a second one for regions, which need not nest with the slices on the
 * first. A packet must define the ids of names and stacks before other packets
 * use them. So packets are buffered until a flush, which writes the names
 * first. Times are CLOCK_BOOTTIME, as readers expect.
 */

#include <string.h>

#include "base/alloc.h"
#include "trace/lanes.h"
#include "trace/stacks.h"
#include "trace/step.h"
#include "trace/varint.h"

/* Field numbers, by message. */
enum {
    TRACE_PACKET = 1,

    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,

    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
    EVENT_CALLSTACK = 56,
    ANNOTATION_TEXT = 6,
    ANNOTATION_NAME = 10,

    INTERNED_EVENT_NAME = 2,
    INTERNED_FUNCTION = 5,
    INTERNED_FRAME = 6,
    INTERNED_CALLSTACK = 7,
    INTERNED_SOURCE = 18,
    ANY_IID = 1,
    ANY_TEXT = 2,
    FRAME_FUNCTION = 2,
    FRAME_SOURCE = 5,
    FRAME_LINE = 6,
    CALLSTACK_FRAME = 2,
};

enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3 };

#define SEQUENCE 1
#define FLAG_CLEARED 1 /* clears the interned names */
#define FLAG_NEEDS 2   /* needs the interned names */
#define MAX_NAMES 65536
#define REGION_TRACK ((uint64_t)1 << 32)

struct writer {
    struct cp_out *out;
    struct cp_out pending; /* packets */
    struct cp_out body, message, inner, interned;
    int32_t pid;
    uint64_t boot_ns;
    struct cp_lanes lanes;
    struct cp_lane_stacks stacks;
    struct cp_arena arena;
    struct cp_strtab names; /* names of events */
    uint32_t n_names_written;
    uint32_t n_strings_written; /* functions and files already written */
    uint64_t n_frames;          /* ids (iid) allocated so far */
};

/* ---- protobuf ---- */

static void put_number(struct cp_out *out, int field, uint64_t value)
{
    cp_varint_put(out, (uint64_t)field << 3);
    cp_varint_put(out, value);
}

static void put_fixed(struct cp_out *out, int field, uint64_t value)
{
    char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(value >> (8 * i));
    cp_varint_put(out, (uint64_t)field << 3 | 1);
    cp_out_bytes(out, bytes, sizeof(bytes));
}

static void put_text(struct cp_out *out, int field, struct cp_str text)
{
    cp_varint_put(out, (uint64_t)field << 3 | 2);
    cp_varint_put(out, text.len);
    cp_out_str(out, text);
}

/* Writes a nested message and empties it. */
static void put_message(struct cp_out *out, int field, struct cp_out *message)
{
    put_text(out, field,
             (struct cp_str){ message->buf, (uint32_t)message->len });
    message->len = 0;
}

static struct cp_str str(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

/* Ends the packet in w->body. */
static void end_packet(struct writer *w, struct cp_out *to, uint64_t flags)
{
    put_number(&w->body, PACKET_SEQUENCE, SEQUENCE);
    put_number(&w->body, PACKET_SEQUENCE_FLAGS, flags);
    put_message(to, TRACE_PACKET, &w->body);
}

/* ---- tracks ---- */

static uint64_t track_of(int32_t tid)
{
    return (uint64_t)(uint32_t)tid + 1;
}

static void end_track(struct writer *w)
{
    put_message(&w->body, PACKET_TRACK_DESCRIPTOR, &w->message);
    end_packet(w, &w->pending, FLAG_NEEDS);
}

static void put_thread_track(struct writer *w, int32_t tid, struct cp_str name)
{
    put_number(&w->inner, THREAD_PID, (uint64_t)w->pid);
    put_number(&w->inner, THREAD_TID, (uint64_t)tid);
    if (name.len)
        put_text(&w->inner, THREAD_NAME, name);
    put_number(&w->message, TRACK_UUID, track_of(tid));
    put_message(&w->message, TRACK_THREAD, &w->inner);
    end_track(w);
}

static void put_region_track(struct writer *w, int32_t tid)
{
    put_number(&w->message, TRACK_UUID, REGION_TRACK + track_of(tid));
    put_number(&w->message, TRACK_PARENT, track_of(tid));
    put_text(&w->message, TRACK_NAME, str("regions"));
    end_track(w);
}

static void put_process_track(struct writer *w, const char *program)
{
    put_number(&w->inner, PROCESS_PID, (uint64_t)w->pid);
    put_text(&w->inner, PROCESS_NAME, str(program));
    put_number(&w->message, TRACK_UUID, 2 * REGION_TRACK);
    put_message(&w->message, TRACK_PROCESS, &w->inner);
    end_track(w);
}

/* ---- events ---- */

/* Starts an event in w->message. */
static void begin_event(struct writer *w, int type, uint64_t track)
{
    put_number(&w->message, EVENT_TYPE, (uint64_t)type);
    put_number(&w->message, EVENT_TRACK, track);
}

static void name_event(struct writer *w, struct cp_str name,
                       const char *category)
{
    uint32_t id = w->names.n < MAX_NAMES
                      ? cp_strtab_add(&w->names, name.ptr, name.len, NULL)
                      : cp_strtab_find(&w->names, name.ptr, name.len);

    if (id != CP_NO_STR)
        put_number(&w->message, EVENT_NAME_IID, id);
    else
        put_text(&w->message, EVENT_NAME, name);
    put_text(&w->message, EVENT_CATEGORY, str(category));
}

static void stack_event(struct writer *w, uint32_t stack)
{
    stack = cp_lane_stacks_use(&w->stacks, stack);
    if (stack)
        put_number(&w->message, EVENT_CALLSTACK, stack);
}

static void end_event(struct writer *w, uint64_t time_ns)
{
    put_number(&w->body, PACKET_TIMESTAMP, time_ns + w->boot_ns);
    put_message(&w->body, PACKET_TRACK_EVENT, &w->message);
    end_packet(w, &w->pending, FLAG_NEEDS);
}

static void begin_slice(struct writer *w, struct cp_lane *lane)
{
    begin_event(w, TYPE_BEGIN, track_of(lane->tid));
    name_event(w, str(lane->name), lane->category);
    stack_event(w, lane->stack);
    if (lane->flow && strcmp(lane->category, "running") == 0) {
        put_fixed(&w->message, EVENT_FLOW_END, lane->flow);
        lane->flow = 0;
    }
    end_event(w, lane->since_ns);
}

static void end_slice(struct writer *w, int32_t tid, uint64_t time_ns)
{
    begin_event(w, TYPE_END, track_of(tid));
    end_event(w, time_ns);
}

static void put_instant(struct writer *w, const struct cp_step *s,
                        struct cp_str name, const char *category)
{
    begin_event(w, TYPE_INSTANT, track_of(s->tid));
    name_event(w, name, category);
    stack_event(w, s->stack);
    if (s->more.len) {
        put_text(&w->inner, ANNOTATION_NAME, str("message"));
        put_text(&w->inner, ANNOTATION_TEXT, s->more);
        put_message(&w->message, EVENT_ANNOTATION, &w->inner);
    }
    end_event(w, s->time_ns);
}

static void put_wake(struct writer *w, const struct cp_step *s,
                     const struct cp_lane *lane)
{
    if (s->kind != CP_STEP_UNBLOCK || !s->other)
        return;
    begin_event(w, TYPE_INSTANT, track_of(s->other));
    name_event(w, str("wakes"), "wake");
    stack_event(w, s->stack);
    put_fixed(&w->message, EVENT_FLOW, lane->flow);
    end_event(w, s->time_ns);
}

static void put_region(struct writer *w, const struct cp_step *s)
{
    bool is_begin = s->kind == CP_STEP_REGION_BEGIN;

    begin_event(w, is_begin ? TYPE_BEGIN : TYPE_END,
                REGION_TRACK + track_of(s->tid));
    if (is_begin) {
        name_event(w, s->text, "region");
        stack_event(w, s->stack);
    }
    end_event(w, s->time_ns);
}

static void log_message(struct writer *w, const struct cp_step *s)
{
    switch (s->kind) {
    case CP_STEP_NAME:
        put_thread_track(w, s->tid, s->text);
        break;
    case CP_STEP_REGION_BEGIN:
    case CP_STEP_REGION_END:
        put_region(w, s);
        break;
    case CP_STEP_LOG:
        put_instant(w, s, s->text, "log");
        break;
    case CP_STEP_SAMPLE:
        put_instant(w, s, str("cpu sample"), "sample");
        break;
    default:
        break;
    }
}

static void step(void *writer, const struct cp_step *s)
{
    struct writer *w = writer;
    struct cp_lane *lane, ended;
    bool is_new = !cp_tid_find(&w->lanes.threads, s->tid);
    bool has_ended = cp_lanes_step(&w->lanes, s, &lane, &ended);

    if (is_new && lane) {
        put_thread_track(w, s->tid, (struct cp_str){ 0 });
        put_region_track(w, s->tid);
    }
    if (has_ended)
        end_slice(w, s->tid, s->time_ns);
    if (!lane)
        return;
    put_wake(w, s, lane);
    if (s->kind <= CP_STEP_RETURN)
        begin_slice(w, lane);
    else
        log_message(w, s);
}

/* ---- names ---- */

static void put_interned(struct writer *w, int field, uint64_t iid,
                         struct cp_str text)
{
    put_number(&w->message, ANY_IID, iid);
    put_text(&w->message, ANY_TEXT, text);
    put_message(&w->interned, field, &w->message);
}

static void put_frame(struct writer *w, const struct cp_trace_frame *f)
{
    put_number(&w->message, ANY_IID, ++w->n_frames);
    put_number(&w->message, FRAME_FUNCTION, f->function);
    if (f->file) {
        put_number(&w->message, FRAME_SOURCE, f->file);
        put_number(&w->message, FRAME_LINE, f->line);
    }
    put_message(&w->interned, INTERNED_FRAME, &w->message);
}

/* Writes a stack with its own frames: few stacks are new in a flush. */
static void put_stack(struct writer *w, uint32_t number,
                      const struct cp_trace_stacks *stacks)
{
    const struct cp_trace_stack *stack = cp_trace_stacks_find(stacks, number);
    uint32_t n = stack ? stack->n : 0;

    for (uint32_t i = 0; i < n; i++) /* leaf first: ids grow towards the root */
        put_frame(w, &stacks->frames[stack->first + i]);
    put_number(&w->message, ANY_IID, number);
    for (uint32_t i = 0; i < n; i++) /* root first */
        put_number(&w->message, CALLSTACK_FRAME, w->n_frames - i);
    put_message(&w->interned, INTERNED_CALLSTACK, &w->message);
}

static void put_names(struct writer *w, const struct cp_trace_stacks *stacks)
{
    for (uint32_t i = w->n_names_written + 1; i < w->names.n; i++)
        put_interned(w, INTERNED_EVENT_NAME, i, w->names.items[i]);
    w->n_names_written = w->names.n - 1;
    for (uint32_t i = w->n_strings_written + 1; i < stacks->strings.n; i++) {
        put_interned(w, INTERNED_FUNCTION, i, stacks->strings.items[i]);
        put_interned(w, INTERNED_SOURCE, i, stacks->strings.items[i]);
    }
    if (stacks->strings.n > 0)
        w->n_strings_written = stacks->strings.n - 1;
    for (size_t i = 0; i < w->stacks.n_wanted; i++)
        put_stack(w, w->stacks.wanted[i], stacks);
    w->stacks.n_wanted = 0;
    if (w->interned.len == 0)
        return;
    put_message(&w->body, PACKET_INTERNED, &w->interned);
    end_packet(w, w->out, FLAG_NEEDS);
}

static const uint32_t *wanted(void *writer, bool is_last, size_t *out_n)
{
    const struct writer *w = writer;

    (void)is_last;
    *out_n = w->stacks.n_wanted;
    return w->stacks.wanted;
}

static void flush(void *writer, const struct cp_trace_stacks *stacks,
                  bool is_last)
{
    struct writer *w = writer;
    const struct cp_out *parts[] = { &w->pending, &w->body, &w->message,
                                     &w->inner, &w->interned };

    (void)is_last; /* a slice without an end extends to the end of the trace */
    put_names(w, stacks);
    cp_out_join(w->out, &w->pending);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i]->err.status != CP_OK && w->out->err.status == CP_OK)
            w->out->err = parts[i]->err;
}

static void free_writer(void *writer)
{
    struct writer *w = writer;

    if (!w)
        return;
    cp_out_release(&w->pending);
    cp_out_release(&w->body);
    cp_out_release(&w->message);
    cp_out_release(&w->inner);
    cp_out_release(&w->interned);
    cp_lanes_release(&w->lanes);
    cp_lane_stacks_release(&w->stacks);
    cp_arena_release(&w->arena);
    cp_free(w);
}

static void *open_writer(const struct cp_trace_head *head, struct cp_out *out,
                         struct cp_error *err)
{
    struct writer *w = cp_alloc(1, sizeof(*w), err);

    if (!w)
        return NULL;
    *w = (struct writer){ .out = out,
                          .pending = { .fd = -1 },
                          .body = { .fd = -1 },
                          .message = { .fd = -1 },
                          .inner = { .fd = -1 },
                          .interned = { .fd = -1 },
                          .pid = head->pid,
                          .boot_ns = head->boot_ns,
                          .lanes = CP_LANES_INIT };
    if (cp_lane_stacks_init(&w->stacks, head->n_stacks, err) != CP_OK ||
        cp_strtab_init(&w->names, &w->arena, 64, err) != CP_OK) {
        free_writer(w);
        return NULL;
    }
    end_packet(w, out, FLAG_CLEARED);
    put_process_track(w, head->program);
    return w;
}

const struct cp_trace_format cp_trace_perfetto = {
    .name = "perfetto",
    .content_type = "application/octet-stream",
    .file_name = "trace.perfetto-trace",
    .open = open_writer,
    .step = step,
    .wanted = wanted,
    .flush = flush,
    .free = free_writer,
};
