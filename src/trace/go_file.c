/*
 * go_file.c - writes batches, strings, stacks and CPU samples of a generation.
 */
#include "trace/go_file.h"

#include "base/alloc.h"
#include "trace/stacks.h"
#include "trace/step.h"
#include "trace/varint.h"

#define MAX_BATCH_BYTES ((size_t)60 << 10) /* readers accept up to 64 KiB */
#define MAX_STRING 1024

enum {
    EV_BATCH = 1,
    EV_STACKS = 2,
    EV_STACK = 3,
    EV_STRINGS = 4,
    EV_STRING = 5,
    EV_CPU_SAMPLES = 6,
    EV_CPU_SAMPLE = 7,
    EV_FREQUENCY = 8,
};

void cp_go_file_fail(struct cp_go_file *f)
{
    if (f->out->err.status == CP_OK)
        (void)cp_error_nomem(&f->out->err);
}

void cp_go_file_batch(struct cp_go_file *f, uint64_t m, uint64_t time_ns,
                      struct cp_out *data)
{
    size_t before = f->out->len;

    if (data->err.status != CP_OK)
        cp_go_file_fail(f);
    if (data->len > 0) {
        cp_out_char(f->out, EV_BATCH);
        cp_varint_put(f->out, f->generation);
        cp_varint_put(f->out, m);
        cp_varint_put(f->out, time_ns);
        cp_varint_put(f->out, data->len);
        cp_out_bytes(f->out, data->buf, data->len);
        f->generation_bytes += f->out->len - before;
    }
    data->len = 0;
}

uint64_t cp_go_file_string(struct cp_go_file *f, struct cp_str text)
{
    uint32_t n_before = f->strings.n;
    uint32_t len = text.len < MAX_STRING ? text.len : MAX_STRING;
    uint32_t id =
        cp_strtab_add(&f->strings, text.ptr ? text.ptr : "", len, NULL);

    if (id == CP_NO_STR) {
        cp_go_file_fail(f);
        return 0;
    }
    if (f->strings.n > n_before)
        f->generation_bytes += len + 8;
    return id;
}

uint64_t cp_go_file_stack(struct cp_go_file *f, uint32_t stack)
{
    if (stack == 0 || stack >= f->n_stacks)
        return 0;
    if (f->used[stack] == f->generation)
        return stack;
    if (cp_reserve(&f->wanted, &f->cap_wanted, f->n_wanted + 1,
                   sizeof(*f->wanted), NULL) != CP_OK) {
        cp_go_file_fail(f);
        return 0;
    }
    f->used[stack] = f->generation;
    f->wanted[f->n_wanted++] = stack;
    f->generation_bytes += 256;
    return stack;
}

void cp_go_file_sample(struct cp_go_file *f, uint64_t time_ns, int32_t tid,
                       uint32_t proc, uint32_t stack)
{
    struct cp_out *out = &f->samples;

    if (out->len == 0)
        cp_out_char(out, EV_CPU_SAMPLES);
    cp_out_char(out, EV_CPU_SAMPLE);
    cp_varint_put(out, time_ns);
    cp_varint_put(out, (uint64_t)tid);
    cp_varint_put(out, proc);
    cp_varint_put(out, (uint64_t)tid);
    cp_varint_put(out, cp_go_file_stack(f, stack));
    if (out->len >= CP_GO_BATCH_BYTES)
        cp_go_file_batch(f, CP_GO_NO_M, f->begin_ns, out);
}

/* Starts the strings of a generation in an empty arena. */
static bool begin_strings(struct cp_go_file *f)
{
    cp_arena_release(&f->arena);
    f->strings = (struct cp_strtab){ 0 };
    return cp_strtab_init(&f->strings, &f->arena, 256, NULL) == CP_OK;
}

/*
 * go tool trace identifies functions by address in its profiles, but inlined
 * functions share one address. So the bits above the address count the previous
 * frames with the same address.
 */
static uint64_t unique_pc(const struct cp_trace_frame *frames, uint32_t i)
{
    uint64_t n = 0;

    while (n < i && frames[i - n - 1].pc == frames[i].pc)
        n++;
    return frames[i].pc | n << CP_TRACE_PC_BITS;
}

static void put_stack(struct cp_go_file *f, struct cp_out *out, uint32_t id,
                      const struct cp_trace_stacks *stacks)
{
    const struct cp_trace_stack *stack = cp_trace_stacks_find(stacks, id);
    uint32_t n = stack ? stack->n : 0;

    cp_out_char(out, EV_STACK);
    cp_varint_put(out, id);
    cp_varint_put(out, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct cp_trace_frame *frame = &stacks->frames[stack->first + i];

        cp_varint_put(out, unique_pc(&stacks->frames[stack->first], i));
        cp_varint_put(
            out, cp_go_file_string(f, stacks->strings.items[frame->function]));
        cp_varint_put(out,
                      cp_go_file_string(f, stacks->strings.items[frame->file]));
        cp_varint_put(out, frame->line);
    }
}

/* Writes the stacks. A stack takes at most about 4 KiB, a string 1 KiB. */
static void put_stacks(struct cp_go_file *f,
                       const struct cp_trace_stacks *stacks)
{
    struct cp_out out = { .fd = -1 };

    for (size_t i = 0; i < f->n_wanted; i++) {
        if (out.len == 0)
            cp_out_char(&out, EV_STACKS);
        put_stack(f, &out, f->wanted[i], stacks);
        if (out.len >= MAX_BATCH_BYTES - 8192)
            cp_go_file_batch(f, CP_GO_NO_M, f->begin_ns, &out);
    }
    cp_go_file_batch(f, CP_GO_NO_M, f->begin_ns, &out);
    cp_out_release(&out);
}

static void put_strings(struct cp_go_file *f)
{
    struct cp_out out = { .fd = -1 };

    for (uint32_t i = 1; i < f->strings.n; i++) {
        struct cp_str text = f->strings.items[i];

        if (out.len == 0)
            cp_out_char(&out, EV_STRINGS);
        cp_out_char(&out, EV_STRING);
        cp_varint_put(&out, i);
        cp_varint_put(&out, text.len);
        cp_out_str(&out, text);
        if (out.len >= MAX_BATCH_BYTES - 2048)
            cp_go_file_batch(f, CP_GO_NO_M, f->begin_ns, &out);
    }
    cp_go_file_batch(f, CP_GO_NO_M, f->begin_ns, &out);
    cp_out_release(&out);
}

static void put_frequency(struct cp_go_file *f)
{
    struct cp_out out = { .fd = -1 };

    cp_out_char(&out, EV_FREQUENCY);
    cp_varint_put(&out, 1000000000);
    cp_go_file_batch(f, CP_GO_NO_M, f->begin_ns, &out);
    cp_out_release(&out);
}

void cp_go_file_end(struct cp_go_file *f, const struct cp_trace_stacks *stacks)
{
    cp_go_file_batch(f, CP_GO_NO_M, f->begin_ns, &f->samples);
    put_stacks(f, stacks);
    put_strings(f);
    put_frequency(f);
    f->n_wanted = 0;
}

void cp_go_file_begin(struct cp_go_file *f, uint64_t begin_ns)
{
    f->generation++;
    f->generation_bytes = 0;
    f->begin_ns = begin_ns;
    if (!begin_strings(f))
        cp_go_file_fail(f);
}

enum cp_status cp_go_file_init(struct cp_go_file *f, struct cp_out *out,
                               const struct cp_trace_head *head,
                               struct cp_error *err)
{
    static const char magic[16] = "go 1.22 trace";

    *f = (struct cp_go_file){ .out = out,
                              .generation = 1,
                              .begin_ns = head->begin_ns,
                              .samples = { .fd = -1 },
                              .n_stacks = head->n_stacks };
    f->used = cp_alloc(head->n_stacks, sizeof(*f->used), err);
    if (!f->used || !begin_strings(f))
        return cp_error_nomem(err);
    cp_out_bytes(out, magic, sizeof(magic));
    return CP_OK;
}

void cp_go_file_release(struct cp_go_file *f)
{
    cp_free(f->used);
    cp_free(f->wanted);
    cp_out_release(&f->samples);
    cp_arena_release(&f->arena);
}
