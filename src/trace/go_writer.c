/*
 * go_writer.c - Go's execution trace, version 1.22.
 *
 *   file   "go 1.22 trace" and three NULs, then batches
 *   batch  1, generation, M, time, length, that many bytes of events
 *   event  type, time since the event before, arguments
 *
 * All numbers are varints. A generation is complete in itself: it says of each
 * thread where it is, and its strings and stacks, which come last, are for it
 * alone. A reader holds one generation in memory, so they are ended when they
 * have a few megabytes; and after some time, because what comes after the last
 * whole generation of a file cannot be read.
 *
 * A thread is a goroutine on an M of its own with a P of its own: blocked, the
 * M keeps the P. The reader wants each P and goroutine to have its events
 * numbered, wherever they are written: it finds their order by that.
 */
#include <string.h>

#include "base/alloc.h"
#include "trace/step.h"
#include "trace/tid_table.h"
#include "trace/varint.h"

#define BATCH_BYTES ((size_t)16 << 10) /* a reader takes up to 64 KiB */
#define MOST_BATCH_BYTES ((size_t)60 << 10)
#define GENERATION_BYTES ((size_t)4 << 20)
#define GENERATION_NS 2000000000 /* so much is lost if the program ends */
#define MOST_STRING 1024
#define NO_M UINT64_MAX

enum {
    EV_BATCH = 1,
    EV_STACKS = 2,
    EV_STACK = 3,
    EV_STRINGS = 4,
    EV_STRING = 5,
    EV_CPU_SAMPLES = 6,
    EV_CPU_SAMPLE = 7,
    EV_FREQUENCY = 8,
    EV_PROC_START = 10,
    EV_PROC_STOP = 11,
    EV_PROC_STATUS = 13,
    EV_GO_CREATE = 14,
    EV_GO_START = 16,
    EV_GO_DESTROY = 17,
    EV_GO_STOP = 19,
    EV_GO_BLOCK = 20,
    EV_GO_UNBLOCK = 21,
    EV_GO_SYSCALL_BEGIN = 22,
    EV_GO_SYSCALL_END = 23,
    EV_GO_STATUS = 25,
    EV_GO_LABEL = 39,
    EV_USER_REGION_BEGIN = 42,
    EV_USER_REGION_END = 43,
    EV_USER_LOG = 44,
};

/* Of a goroutine, as GoStatus has it. */
enum state { ABSENT, RUNNABLE, RUNNING, IN_SYSCALL, WAITING };

/* Of a P, as ProcStatus has it. */
enum { PROC_RUNNING = 1, PROC_IDLE = 2, PROC_IN_SYSCALL = 3 };

struct proc {
    uint64_t seq;
    uint64_t generation; /* that knows it */
};

struct thread {
    int32_t tid;
    uint32_t proc;
    enum state state;
    uint64_t seq;
    bool has_proc; /* its M has it */
    uint64_t last_ns;
    struct cp_out batch;
    uint64_t base_ns; /* of the batch */
    char name[64];
    bool is_named; /* in this generation */
};

struct writer {
    struct cp_out *out;
    uint64_t generation;
    size_t generation_bytes;
    struct cp_tid_table threads;
    struct proc *procs;
    size_t n_procs, cap_procs;
    uint32_t *free_procs;
    size_t n_free_procs, cap_free_procs;
    struct cp_arena arena; /* of the strings */
    struct cp_strtab strings;
    uint64_t *used; /* by stack: the generation that has used it */
    uint32_t n_stacks;
    uint32_t *wanted; /* stacks of this generation */
    size_t n_wanted, cap_wanted;
    struct cp_out samples;
    uint64_t begin_ns, now_ns;
};

/* What was lost is no longer a trace: the output says so. */
static void fail(struct writer *w)
{
    if (w->out->err.status == CP_OK)
        (void)cp_error_nomem(&w->out->err);
}

/* ---- batches ---- */

static void put_batch(struct writer *w, uint64_t m, uint64_t time_ns,
                      struct cp_out *data)
{
    size_t before = w->out->len;

    if (data->err.status != CP_OK)
        fail(w);
    if (data->len > 0) {
        cp_out_char(w->out, EV_BATCH);
        cp_varint_put(w->out, w->generation);
        cp_varint_put(w->out, m);
        cp_varint_put(w->out, time_ns);
        cp_varint_put(w->out, data->len);
        cp_out_bytes(w->out, data->buf, data->len);
        w->generation_bytes += w->out->len - before;
    }
    data->len = 0;
}

static void end_batch(struct writer *w, struct thread *t)
{
    put_batch(w, (uint64_t)t->tid, t->base_ns, &t->batch);
}

/* An event on the thread's M; its other arguments follow. */
static struct cp_out *event(struct writer *w, struct thread *t, int type,
                            uint64_t time_ns)
{
    if (t->batch.len >= BATCH_BYTES)
        end_batch(w, t);
    if (time_ns < t->last_ns)
        time_ns = t->last_ns;
    if (t->batch.len == 0)
        t->base_ns = t->last_ns = time_ns;
    cp_out_char(&t->batch, (char)type);
    cp_varint_put(&t->batch, time_ns - t->last_ns);
    t->last_ns = time_ns;
    if (time_ns > w->now_ns)
        w->now_ns = time_ns;
    return &t->batch;
}

static uint64_t string_of(struct writer *w, struct cp_str text)
{
    uint32_t n_before = w->strings.n;
    uint32_t len = text.len < MOST_STRING ? text.len : MOST_STRING;
    uint32_t id =
        cp_strtab_add(&w->strings, text.ptr ? text.ptr : "", len, NULL);

    if (id == CP_NO_STR) {
        fail(w);
        return 0;
    }
    if (w->strings.n > n_before)
        w->generation_bytes += len + 8;
    return id;
}

static uint64_t stack_of(struct writer *w, uint32_t stack)
{
    if (stack == 0 || stack >= w->n_stacks)
        return 0;
    if (w->used[stack] == w->generation)
        return stack;
    if (cp_reserve(&w->wanted, &w->cap_wanted, w->n_wanted + 1,
                   sizeof(*w->wanted), NULL) != CP_OK) {
        fail(w);
        return 0;
    }
    w->used[stack] = w->generation;
    w->wanted[w->n_wanted++] = stack;
    w->generation_bytes += 256;
    return stack;
}

/* ---- threads ---- */

static struct thread *find(const struct writer *w, int32_t tid)
{
    return cp_tid_find(&w->threads, tid);
}

/* A P that nobody has; UINT32_MAX: no memory. */
static uint32_t take_proc(struct writer *w)
{
    if (w->n_free_procs > 0)
        return w->free_procs[--w->n_free_procs];
    if (cp_reserve(&w->procs, &w->cap_procs, w->n_procs + 1, sizeof(*w->procs),
                   NULL) != CP_OK ||
        cp_reserve(&w->free_procs, &w->cap_free_procs, w->n_procs + 1,
                   sizeof(*w->free_procs), NULL) != CP_OK)
        return UINT32_MAX;
    w->procs[w->n_procs] = (struct proc){ 0 };
    return (uint32_t)w->n_procs++;
}

static struct thread *add(struct writer *w, int32_t tid)
{
    struct thread *t = cp_tid_add(&w->threads, tid);
    struct cp_out batch;

    if (!t) {
        fail(w);
        return NULL;
    }
    batch = t->batch; /* its memory is used again */
    batch.fd = -1;
    *t = (struct thread){ .tid = tid, .batch = batch, .proc = take_proc(w) };
    if (t->proc != UINT32_MAX)
        return t;
    cp_tid_remove(&w->threads, tid);
    fail(w);
    return NULL;
}

static void remove_thread(struct writer *w, struct thread *t)
{
    end_batch(w, t);
    w->free_procs[w->n_free_procs++] = t->proc;
    cp_tid_remove(&w->threads, t->tid);
}

/* ---- states ---- */

static uint64_t next_proc_seq(struct writer *w, const struct thread *t)
{
    return ++w->procs[t->proc].seq;
}

/* The P is said to be in this state, as each generation begins with. */
static void put_proc_status(struct writer *w, struct thread *t, int status,
                            uint64_t time_ns)
{
    struct proc *p = &w->procs[t->proc];
    struct cp_out *out = event(w, t, EV_PROC_STATUS, time_ns);

    cp_varint_put(out, t->proc);
    cp_varint_put(out, (uint64_t)status);
    p->seq = 0;
    p->generation = w->generation;
}

/* The M takes its P. */
static void start_proc(struct writer *w, struct thread *t, uint64_t time_ns)
{
    struct cp_out *out;

    if (w->procs[t->proc].generation != w->generation)
        put_proc_status(w, t, PROC_IDLE, time_ns);
    out = event(w, t, EV_PROC_START, time_ns);
    cp_varint_put(out, t->proc);
    cp_varint_put(out, next_proc_seq(w, t));
    t->has_proc = true;
}

static void put_go_status(struct writer *w, struct thread *t, uint64_t time_ns)
{
    bool has_m = t->state == RUNNING || t->state == IN_SYSCALL;
    struct cp_out *out = event(w, t, EV_GO_STATUS, time_ns);

    cp_varint_put(out, (uint64_t)t->tid);
    cp_varint_put(out, has_m ? (uint64_t)t->tid : NO_M);
    cp_varint_put(out, (uint64_t)t->state);
    t->seq = 0;
}

static void put_label(struct writer *w, struct thread *t, uint64_t time_ns)
{
    struct cp_str name = { t->name, (uint32_t)strlen(t->name) };

    if (t->is_named || t->state != RUNNING || !t->name[0])
        return;
    cp_varint_put(event(w, t, EV_GO_LABEL, time_ns), string_of(w, name));
    t->is_named = true;
}

/* Where the thread is when a generation begins. */
static void put_status(struct writer *w, struct thread *t, uint64_t time_ns)
{
    t->is_named = false;
    if (t->has_proc)
        put_proc_status(w, t,
                        t->state == IN_SYSCALL ? PROC_IN_SYSCALL : PROC_RUNNING,
                        time_ns);
    put_go_status(w, t, time_ns);
    put_label(w, t, time_ns);
}

static void start_go(struct writer *w, struct thread *t, uint64_t time_ns)
{
    struct cp_out *out = event(w, t, EV_GO_START, time_ns);

    cp_varint_put(out, (uint64_t)t->tid);
    cp_varint_put(out, ++t->seq);
    t->state = RUNNING;
    put_label(w, t, time_ns);
}

/* ---- steps ---- */

static void known(struct writer *w, const struct cp_step *s)
{
    struct thread *t = add(w, s->tid);

    if (!t)
        return;
    t->state = RUNNING;
    if (w->procs[t->proc].generation == w->generation)
        start_proc(w, t, s->time_ns);
    else
        put_proc_status(w, t, PROC_RUNNING, s->time_ns);
    t->has_proc = true;
    put_go_status(w, t, s->time_ns);
}

/* Somebody makes it, and if nobody is known who could, the recorder does. */
static void create(struct writer *w, const struct cp_step *s)
{
    struct thread *maker = find(w, s->other), *t = add(w, s->tid);
    struct cp_out *out;

    if (!t)
        return;
    if (!maker || !maker->has_proc || maker->state == IN_SYSCALL ||
        maker->last_ns > s->latest_ns)
        maker = find(w, CP_TRACE_RECORDER);
    if (!maker)
        return;
    out = event(w, maker, EV_GO_CREATE, s->time_ns);
    cp_varint_put(out, (uint64_t)t->tid);
    cp_varint_put(out, stack_of(w, s->start));
    cp_varint_put(out, stack_of(w, s->stack));
    t->state = RUNNABLE;
    t->last_ns = s->time_ns;
}

static void end(struct writer *w, struct thread *t, const struct cp_step *s)
{
    (void)event(w, t, EV_GO_DESTROY, s->time_ns);
    (void)event(w, t, EV_PROC_STOP, s->time_ns);
    remove_thread(w, t);
}

static void leave(struct writer *w, struct thread *t, const struct cp_step *s)
{
    bool is_block = s->kind == CP_STEP_BLOCK;
    struct cp_out *out =
        event(w, t, is_block ? EV_GO_BLOCK : EV_GO_STOP, s->time_ns);

    cp_varint_put(out, string_of(w, s->text));
    cp_varint_put(out, stack_of(w, s->stack));
    t->state = is_block ? WAITING : RUNNABLE;
}

static void unblock(struct writer *w, struct thread *t, const struct cp_step *s)
{
    struct thread *waker = s->other ? find(w, s->other) : NULL;
    struct cp_out *out;

    if (!waker || waker->last_ns > s->latest_ns)
        waker = t; /* what it did since has been told already */
    out = event(w, waker, EV_GO_UNBLOCK, s->time_ns);
    cp_varint_put(out, (uint64_t)t->tid);
    cp_varint_put(out, ++t->seq);
    cp_varint_put(out, stack_of(w, s->stack));
    t->state = RUNNABLE;
    if (t->last_ns < s->time_ns && t->batch.len == 0)
        t->last_ns = s->time_ns;
}

static void begin_call(struct writer *w, struct thread *t,
                       const struct cp_step *s)
{
    struct cp_out *out = event(w, t, EV_GO_SYSCALL_BEGIN, s->time_ns);

    cp_varint_put(out, next_proc_seq(w, t));
    cp_varint_put(out, stack_of(w, s->stack));
    t->state = IN_SYSCALL;
}

static void say(struct writer *w, struct thread *t, const struct cp_step *s)
{
    struct cp_out *out;

    if (s->kind == CP_STEP_LOG) {
        out = event(w, t, EV_USER_LOG, s->time_ns);
        cp_varint_put(out, 0);
        cp_varint_put(out, string_of(w, s->text));
        cp_varint_put(out, string_of(w, s->more));
    } else {
        out = event(w, t,
                    s->kind == CP_STEP_REGION_BEGIN ? EV_USER_REGION_BEGIN
                                                    : EV_USER_REGION_END,
                    s->time_ns);
        cp_varint_put(out, 0);
        cp_varint_put(out, string_of(w, s->text));
    }
    cp_varint_put(out, stack_of(w, s->stack));
}

static void sample(struct writer *w, const struct thread *t,
                   const struct cp_step *s)
{
    struct cp_out *out = &w->samples;

    if (out->len == 0)
        cp_out_char(out, EV_CPU_SAMPLES);
    cp_out_char(out, EV_CPU_SAMPLE);
    cp_varint_put(out, s->time_ns);
    cp_varint_put(out, (uint64_t)t->tid);
    cp_varint_put(out, t->proc);
    cp_varint_put(out, (uint64_t)t->tid);
    cp_varint_put(out, stack_of(w, s->stack));
    if (out->len >= BATCH_BYTES)
        put_batch(w, NO_M, w->begin_ns, out);
}

static void set_name(struct writer *w, struct thread *t,
                     const struct cp_step *s)
{
    size_t len =
        s->text.len < sizeof(t->name) - 1 ? s->text.len : sizeof(t->name) - 1;

    memcpy(t->name, s->text.ptr, len);
    t->name[len] = '\0';
    t->is_named = false;
    put_label(w, t, s->time_ns);
}

static void step_of(struct writer *w, struct thread *t, const struct cp_step *s)
{
    switch (s->kind) {
    case CP_STEP_BEGIN:
        start_proc(w, t, s->time_ns);
        start_go(w, t, s->time_ns);
        break;
    case CP_STEP_END:
        end(w, t, s);
        break;
    case CP_STEP_BLOCK:
    case CP_STEP_STOP:
        leave(w, t, s);
        break;
    case CP_STEP_UNBLOCK:
        unblock(w, t, s);
        break;
    case CP_STEP_RESUME:
        start_go(w, t, s->time_ns);
        break;
    case CP_STEP_CALL:
        begin_call(w, t, s);
        break;
    case CP_STEP_RETURN:
        (void)event(w, t, EV_GO_SYSCALL_END, s->time_ns);
        t->state = RUNNING;
        put_label(w, t, s->time_ns);
        break;
    case CP_STEP_NAME:
        set_name(w, t, s);
        break;
    case CP_STEP_SAMPLE:
        sample(w, t, s);
        break;
    default:
        say(w, t, s);
    }
}

static void step(void *writer, const struct cp_step *s)
{
    struct writer *w = writer;
    struct thread *t;

    if (s->kind == CP_STEP_KNOWN) {
        known(w, s);
    } else if (s->kind == CP_STEP_CREATE) {
        create(w, s);
    } else {
        t = find(w, s->tid);
        if (t)
            step_of(w, t, s);
    }
}

/* ---- generations ---- */

/* The arena is the strings': a generation has its own. */
static bool begin_strings(struct writer *w)
{
    cp_arena_release(&w->arena);
    w->strings = (struct cp_strtab){ 0 };
    return cp_strtab_init(&w->strings, &w->arena, 256, NULL) == CP_OK;
}

static void put_stack(struct writer *w, struct cp_out *out, uint32_t id,
                      const struct cp_trace_stacks *stacks)
{
    const struct cp_trace_stack *stack = cp_trace_stacks_find(stacks, id);
    uint32_t n = stack ? stack->n : 0;

    cp_out_char(out, EV_STACK);
    cp_varint_put(out, id);
    cp_varint_put(out, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct cp_trace_frame *f = &stacks->frames[stack->first + i];

        cp_varint_put(out, f->pc);
        cp_varint_put(out, string_of(w, stacks->strings.items[f->function]));
        cp_varint_put(out, string_of(w, stacks->strings.items[f->file]));
        cp_varint_put(out, f->line);
    }
}

/* A stack has at most some 4 KiB, a string 1. */
static void put_stacks(struct writer *w, const struct cp_trace_stacks *stacks)
{
    struct cp_out out = { .fd = -1 };

    for (size_t i = 0; i < w->n_wanted; i++) {
        if (out.len == 0)
            cp_out_char(&out, EV_STACKS);
        put_stack(w, &out, w->wanted[i], stacks);
        if (out.len >= MOST_BATCH_BYTES - 8192)
            put_batch(w, NO_M, w->begin_ns, &out);
    }
    put_batch(w, NO_M, w->begin_ns, &out);
    cp_out_release(&out);
}

static void put_strings(struct writer *w)
{
    struct cp_out out = { .fd = -1 };

    for (uint32_t i = 1; i < w->strings.n; i++) {
        struct cp_str text = w->strings.items[i];

        if (out.len == 0)
            cp_out_char(&out, EV_STRINGS);
        cp_out_char(&out, EV_STRING);
        cp_varint_put(&out, i);
        cp_varint_put(&out, text.len);
        cp_out_str(&out, text);
        if (out.len >= MOST_BATCH_BYTES - 2048)
            put_batch(w, NO_M, w->begin_ns, &out);
    }
    put_batch(w, NO_M, w->begin_ns, &out);
    cp_out_release(&out);
}

static void put_frequency(struct writer *w)
{
    struct cp_out out = { .fd = -1 };

    cp_out_char(&out, EV_FREQUENCY);
    cp_varint_put(&out, 1000000000);
    put_batch(w, NO_M, w->begin_ns, &out);
    cp_out_release(&out);
}

static void end_generation(struct writer *w,
                           const struct cp_trace_stacks *stacks)
{
    for (size_t i = 0; i < w->threads.n; i++)
        if (w->threads.entries[i].tid)
            end_batch(w, w->threads.entries[i].thread);
    put_batch(w, NO_M, w->begin_ns, &w->samples);
    put_stacks(w, stacks);
    put_strings(w);
    put_frequency(w);
    w->n_wanted = 0;
}

static void begin_generation(struct writer *w)
{
    w->generation++;
    w->generation_bytes = 0;
    w->begin_ns = w->now_ns;
    if (!begin_strings(w))
        fail(w);
    for (size_t i = 0; i < w->threads.n && w->out->err.status == CP_OK; i++)
        if (w->threads.entries[i].tid)
            put_status(w, w->threads.entries[i].thread, w->begin_ns);
}

static bool is_full(const void *writer)
{
    const struct writer *w = writer;

    return w->generation_bytes >= GENERATION_BYTES ||
           w->now_ns >= w->begin_ns + GENERATION_NS;
}

static const uint32_t *wanted(void *writer, bool is_last, size_t *out_n)
{
    const struct writer *w = writer;

    *out_n = is_last || is_full(w) ? w->n_wanted : 0;
    return w->wanted;
}

static void flush(void *writer, const struct cp_trace_stacks *stacks,
                  bool is_last)
{
    struct writer *w = writer;

    if (!is_last && !is_full(w))
        return;
    end_generation(w, stacks);
    if (!is_last)
        begin_generation(w);
}

/* ---- begin and end ---- */

static void free_writer(void *writer)
{
    struct writer *w = writer;

    if (!w)
        return;
    for (size_t i = 0; i < w->threads.n; i++) {
        struct thread *t = w->threads.entries[i].thread;

        cp_out_release(&t->batch);
    }
    cp_tid_release(&w->threads);
    cp_free(w->procs);
    cp_free(w->free_procs);
    cp_free(w->used);
    cp_free(w->wanted);
    cp_out_release(&w->samples);
    cp_arena_release(&w->arena);
    cp_free(w);
}

static void *open_writer(const struct cp_trace_head *head, struct cp_out *out,
                         struct cp_error *err)
{
    static const char magic[16] = "go 1.22 trace";
    struct writer *w = cp_alloc(1, sizeof(*w), err);

    if (!w)
        return NULL;
    w->out = out;
    w->threads.size = sizeof(struct thread);
    w->samples.fd = -1;
    w->generation = 1;
    w->begin_ns = w->now_ns = head->begin_ns;
    w->n_stacks = head->n_stacks;
    w->used = cp_alloc(head->n_stacks, sizeof(*w->used), err);
    if (!w->used || !begin_strings(w)) {
        free_writer(w);
        (void)cp_error_nomem(err);
        return NULL;
    }
    cp_out_bytes(out, magic, sizeof(magic));
    return w;
}

const struct cp_trace_format cp_trace_go = {
    .name = "go",
    .content_type = "application/octet-stream",
    .file_name = "trace",
    .open = open_writer,
    .step = step,
    .is_full = is_full,
    .wanted = wanted,
    .flush = flush,
    .free = free_writer,
};
