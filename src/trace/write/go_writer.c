/*
 * go_writer.c - writes Go's execution trace: threads as goroutines.
 *
 *   event  type, time since the previous event, arguments
 *
 * Each generation of the file (go_file.h) starts with the state of each thread.
 * A thread is a goroutine on its own M with its own P; a blocked M keeps its P.
 * Events of a P or goroutine carry sequence numbers, by which the reader orders
 * them across batches.
 */

#include <string.h>

#include "base/alloc.h"
#include "trace/go_file.h"
#include "trace/stacks.h"
#include "trace/step.h"
#include "trace/tid_table.h"
#include "trace/varint.h"

#define GENERATION_BYTES ((size_t)4 << 20)
#define GENERATION_NS 2000000000 /* limits the loss if the program dies */

enum {
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

/* States of a goroutine, as in GoStatus. */
enum state { ABSENT, RUNNABLE, RUNNING, IN_SYSCALL, WAITING };

/* States of a P, as in ProcStatus. */
enum { PROC_RUNNING = 1, PROC_IDLE = 2, PROC_IN_SYSCALL = 3 };

struct proc {
    uint64_t seq;
    uint64_t generation; /* generation that has its status */
};

struct thread {
    int32_t tid;
    uint32_t proc;
    enum state state;
    uint64_t seq;
    bool has_proc; /* its M holds the P */
    uint64_t last_ns;
    struct cp_out batch;
    uint64_t base_ns; /* begin of the batch */
    char name[64];
    bool is_named; /* whether this generation has its name */
};

struct writer {
    struct cp_go_file file;
    struct cp_tid_table threads;
    struct proc *procs;
    size_t n_procs, cap_procs;
    uint32_t *free_procs;
    size_t n_free_procs, cap_free_procs;
    uint64_t now_ns;
    bool has_ended; /* a thread has ended, so an id may be reused */
};

/* ---- batches ---- */

static void end_batch(struct writer *w, struct thread *t)
{
    cp_go_file_batch(&w->file, (uint64_t)t->tid, t->base_ns, &t->batch);
}

/* Writes an event on the thread's M; the caller appends further arguments. */
static struct cp_out *event(struct writer *w, struct thread *t, int type,
                            uint64_t time_ns)
{
    if (t->batch.len >= CP_GO_BATCH_BYTES)
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

/* ---- threads ---- */

static struct thread *find(const struct writer *w, int32_t tid)
{
    return cp_tid_find(&w->threads, tid);
}

/* Allocates a free P; UINT32_MAX if memory is exhausted. */
static uint32_t alloc_proc(struct writer *w)
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
        cp_go_file_fail(&w->file);
        return NULL;
    }
    batch = t->batch; /* keeps its memory */
    batch.fd = -1;
    *t = (struct thread){ .tid = tid, .batch = batch, .proc = alloc_proc(w) };
    if (t->proc != UINT32_MAX)
        return t;
    cp_tid_remove(&w->threads, tid);
    cp_go_file_fail(&w->file);
    return NULL;
}

static void remove_thread(struct writer *w, struct thread *t)
{
    end_batch(w, t);
    w->has_ended = true;
    w->free_procs[w->n_free_procs++] = t->proc;
    cp_tid_remove(&w->threads, t->tid);
}

/* ---- states ---- */

static uint64_t next_proc_seq(struct writer *w, const struct thread *t)
{
    return ++w->procs[t->proc].seq;
}

/* Writes the state of a P, once in each generation. */
static void put_proc_status(struct writer *w, struct thread *t, int status,
                            uint64_t time_ns)
{
    struct proc *p = &w->procs[t->proc];
    struct cp_out *out = event(w, t, EV_PROC_STATUS, time_ns);

    cp_varint_put(out, t->proc);
    cp_varint_put(out, (uint64_t)status);
    p->seq = 0;
    p->generation = w->file.generation;
}

/* Writes that the M acquires its P. */
static void start_proc(struct writer *w, struct thread *t, uint64_t time_ns)
{
    struct cp_out *out;

    if (w->procs[t->proc].generation != w->file.generation)
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
    cp_varint_put(out, has_m ? (uint64_t)t->tid : CP_GO_NO_M);
    cp_varint_put(out, (uint64_t)t->state);
    t->seq = 0;
}

static void put_label(struct writer *w, struct thread *t, uint64_t time_ns)
{
    struct cp_str name = { t->name, (uint32_t)strlen(t->name) };

    if (t->is_named || t->state != RUNNING || !t->name[0])
        return;
    cp_varint_put(event(w, t, EV_GO_LABEL, time_ns),
                  cp_go_file_string(&w->file, name));
    t->is_named = true;
}

/* Writes the state of the thread at the begin of a generation. */
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

/*
 * Writes a creation. The creator is `other`, or the recorder if the creator is
 * unknown.
 */
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
    cp_varint_put(out, cp_go_file_stack(&w->file, s->start));
    cp_varint_put(out, cp_go_file_stack(&w->file, s->stack));
    t->state = RUNNABLE;
    t->last_ns = maker->last_ns;
}

static void begin(struct writer *w, struct thread *t, uint64_t time_ns)
{
    start_proc(w, t, time_ns);
    start_go(w, t, time_ns);
}

/*
 * Writes a thread that existed before the trace. The reader accepts a status
 * event for it only in the first generation and once per id; later it needs a
 * creation.
 */
static void known(struct writer *w, const struct cp_step *s)
{
    struct thread *t;

    if (w->file.generation > 1 || w->has_ended) {
        create(w, s);
        t = find(w, s->tid);
        if (t)
            begin(w, t, s->time_ns);
        return;
    }
    t = add(w, s->tid);
    if (!t)
        return;
    t->state = RUNNING;
    put_proc_status(w, t, PROC_RUNNING, s->time_ns);
    t->has_proc = true;
    put_go_status(w, t, s->time_ns);
}

static void end(struct writer *w, struct thread *t, const struct cp_step *s)
{
    (void)event(w, t, EV_GO_DESTROY, s->time_ns);
    (void)event(w, t, EV_PROC_STOP, s->time_ns);
    remove_thread(w, t);
}

static void stop_running(struct writer *w, struct thread *t,
                         const struct cp_step *s)
{
    bool is_block = s->kind == CP_STEP_BLOCK;
    struct cp_out *out =
        event(w, t, is_block ? EV_GO_BLOCK : EV_GO_STOP, s->time_ns);

    cp_varint_put(out, cp_go_file_string(&w->file, s->text));
    cp_varint_put(out, cp_go_file_stack(&w->file, s->stack));
    t->state = is_block ? WAITING : RUNNABLE;
}

static void unblock(struct writer *w, struct thread *t, const struct cp_step *s)
{
    struct thread *waker = s->other ? find(w, s->other) : NULL;
    struct cp_out *out;

    if (!waker || waker->last_ns > s->latest_ns)
        waker = t; /* the waker's events up to then are already written */
    out = event(w, waker, EV_GO_UNBLOCK, s->time_ns);
    cp_varint_put(out, (uint64_t)t->tid);
    cp_varint_put(out, ++t->seq);
    cp_varint_put(out, cp_go_file_stack(&w->file, s->stack));
    t->state = RUNNABLE;
    if (t->last_ns < s->time_ns && t->batch.len == 0)
        t->last_ns = s->time_ns;
}

static void begin_call(struct writer *w, struct thread *t,
                       const struct cp_step *s)
{
    struct cp_out *out = event(w, t, EV_GO_SYSCALL_BEGIN, s->time_ns);

    cp_varint_put(out, next_proc_seq(w, t));
    cp_varint_put(out, cp_go_file_stack(&w->file, s->stack));
    t->state = IN_SYSCALL;
}

static void log_message(struct writer *w, struct thread *t,
                        const struct cp_step *s)
{
    struct cp_out *out;

    if (s->kind == CP_STEP_LOG) {
        out = event(w, t, EV_USER_LOG, s->time_ns);
        cp_varint_put(out, 0);
        cp_varint_put(out, cp_go_file_string(&w->file, s->text));
        cp_varint_put(out, cp_go_file_string(&w->file, s->more));
    } else {
        out = event(w, t,
                    s->kind == CP_STEP_REGION_BEGIN ? EV_USER_REGION_BEGIN
                                                    : EV_USER_REGION_END,
                    s->time_ns);
        cp_varint_put(out, 0);
        cp_varint_put(out, cp_go_file_string(&w->file, s->text));
    }
    cp_varint_put(out, cp_go_file_stack(&w->file, s->stack));
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
        begin(w, t, s->time_ns);
        break;
    case CP_STEP_END:
        end(w, t, s);
        break;
    case CP_STEP_BLOCK:
    case CP_STEP_STOP:
        stop_running(w, t, s);
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
        cp_go_file_sample(&w->file, s->time_ns, t->tid, t->proc, s->stack);
        break;
    default:
        log_message(w, t, s);
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

static void end_generation(struct writer *w,
                           const struct cp_trace_stacks *stacks)
{
    for (size_t i = 0; i < w->threads.n; i++)
        if (w->threads.entries[i].tid)
            end_batch(w, w->threads.entries[i].thread);
    cp_go_file_end(&w->file, stacks);
}

static void begin_generation(struct writer *w)
{
    cp_go_file_begin(&w->file, w->now_ns);
    for (size_t i = 0; i < w->threads.n && w->file.out->err.status == CP_OK;
         i++)
        if (w->threads.entries[i].tid)
            put_status(w, w->threads.entries[i].thread, w->now_ns);
}

static bool is_full(const void *writer)
{
    const struct writer *w = writer;

    return w->file.generation_bytes >= GENERATION_BYTES ||
           w->now_ns >= w->file.begin_ns + GENERATION_NS;
}

static const uint32_t *wanted(void *writer, bool is_last, size_t *out_n)
{
    const struct writer *w = writer;

    *out_n = is_last || is_full(w) ? w->file.n_wanted : 0;
    return w->file.wanted;
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
    cp_go_file_release(&w->file);
    cp_free(w);
}

static void *open_writer(const struct cp_trace_head *head, struct cp_out *out,
                         struct cp_error *err)
{
    struct writer *w = cp_alloc(1, sizeof(*w), err);

    if (!w)
        return NULL;
    w->threads.size = sizeof(struct thread);
    w->now_ns = head->begin_ns;
    if (cp_go_file_init(&w->file, out, head, err) != CP_OK) {
        free_writer(w);
        return NULL;
    }
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
