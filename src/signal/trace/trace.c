/* trace.c - appends events to the buffers of the calling thread. */
#include "signal/trace/trace.h"

#include <sys/syscall.h>

#include "signal/tables/calls.h"
#include "signal/tables/capture.h"
#include "signal/unwinder/syscall.h"

#define END_SLOTS                                                              \
    (1 + (sizeof(struct cp_trace_end) + sizeof(struct cp_trace_event) - 1) /   \
             sizeof(struct cp_trace_event))
#define SCAN_INTERVAL 256 /* events of an unregistered thread between scans */

_Static_assert(sizeof(struct cp_trace_event) == 32,
               "two events fill a cache line");
_Static_assert(sizeof(struct cp_trace_buffer) == 4096, "a buffer is a page");
_Static_assert(CP_CALLS <= CP_TRACE_CALLS, "each call has a stack");

struct cp_trace cp_trace;
static _Thread_local uint32_t n_unregistered;

/*
 * Finds the record of the calling thread if a scan of /proc has registered the
 * thread and cp_signal_self is not set yet.
 */
static struct cp_signal_thread *find_self(void)
{
    int32_t tid;

    if (n_unregistered++ % SCAN_INTERVAL != 0)
        return NULL;
    tid = (int32_t)CP_SYSCALL(SYS_gettid, 0);
    for (uint32_t i = 0; cp_signal_thread_at(i); i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(i);

        if (atomic_load_explicit(&t->tid, memory_order_relaxed) == tid) {
            cp_signal_self = t;
            return t;
        }
    }
    return NULL;
}

static struct cp_signal_thread *self(void)
{
    struct cp_signal_thread *t = cp_signal_self;

    return __builtin_expect(t != NULL, 1) ? t : find_self();
}

static void count_lost(void)
{
    atomic_fetch_add_explicit(&cp_trace.n_lost, 1, memory_order_relaxed);
}

/* Claims a free buffer in one word of the bitmap. */
static struct cp_trace_buffer *claim_in(uint32_t word)
{
    uint64_t bits = atomic_load(&cp_trace.free[word]);

    while (bits) {
        uint64_t bit = bits & -bits;

        if (atomic_compare_exchange_weak(&cp_trace.free[word], &bits,
                                         bits & ~bit))
            return &cp_trace
                        .buffers[word * 64 + (uint32_t)__builtin_ctzll(bit)];
    }
    return NULL;
}

/* Claims a free buffer for the thread. Returns NULL if the pool is empty. */
static struct cp_trace_buffer *claim(const struct cp_signal_thread *t,
                                     uint32_t session)
{
    uint32_t n_words =
        atomic_load_explicit(&cp_trace.n_words, memory_order_acquire);
    struct cp_trace_buffer *p = NULL;

    for (uint32_t i = 0; i < n_words && !p; i++)
        p = claim_in((t->number + i) % n_words);
    if (!p)
        return NULL;
    CP_ASSERT(atomic_load(&p->state) == CP_TRACE_FREE);
    p->session = session;
    p->tid = atomic_load_explicit(&t->tid, memory_order_relaxed);
    p->order = atomic_fetch_add(&cp_trace.order, 1);
    p->n_read = 0;
    atomic_store_explicit(&p->n, 0, memory_order_relaxed);
    atomic_store_explicit(&p->state, CP_TRACE_OWNED, memory_order_release);
    return p;
}

void cp_trace_free_buffer(struct cp_trace_buffer *buffer)
{
    uint32_t i = (uint32_t)(buffer - cp_trace.buffers);

    CP_ASSERT(i < CP_TRACE_MAX_BUFFERS);
    CP_ASSERT(!(atomic_load(&cp_trace.free[i / 64]) >> (i % 64) & 1));
    atomic_store(&buffer->state, CP_TRACE_FREE);
    atomic_fetch_or(&cp_trace.free[i / 64], (uint64_t)1 << (i % 64));
}

/*
 * Returns a buffer of the thread with room for this event, or NULL if the pool
 * is empty. The last slots of a buffer are reserved for CP_TRACE_END, which
 * must not be lost.
 */
static struct cp_trace_buffer *buffer_for(struct cp_signal_thread *t, int which,
                                          uint32_t session,
                                          const struct cp_trace_event *e)
{
    struct cp_trace_buffer *p = t->trace.buffers[which], *next;
    uint32_t limit = CP_TRACE_BUFFER_EVENTS;

    if (e->kind != CP_TRACE_END)
        limit -= (uint32_t)END_SLOTS;
    if (p && p->session == session &&
        atomic_load_explicit(&p->n, memory_order_relaxed) + cp_trace_slots(e) <=
            limit)
        return p;
    next = claim(t, session);
    if (!next && p && p->session == session)
        return NULL; /* keep it; the pool may have a buffer later */
    if (p)
        atomic_store_explicit(&p->state, CP_TRACE_DONE, memory_order_release);
    t->trace.buffers[which] = next;
    return next;
}

static void append(struct cp_signal_thread *t, int which,
                   const struct cp_trace_event *e, const void *more)
{
    uint32_t session = atomic_load(&cp_trace.session), at;
    struct cp_trace_buffer *p;

    if (!(session & 1))
        return;
    p = buffer_for(t, which, session, e);
    if (!p) {
        count_lost();
        return;
    }
    at = atomic_load_explicit(&p->n, memory_order_relaxed);
    CP_ASSERT(at + cp_trace_slots(e) <= CP_TRACE_BUFFER_EVENTS);
    CP_ASSERT(atomic_load(&p->state) == CP_TRACE_OWNED);
    CP_ASSERT(more || e->more == 0);
    p->events[at] = *e;
    if (e->more)
        __builtin_memcpy(&p->events[at + 1], more, e->more);
    atomic_store_explicit(&p->n, at + cp_trace_slots(e), memory_order_release);
}

/*
 * Appends an event from a hook. trace.session is set during the call. A hook in
 * a signal handler that interrupts this one sees it and drops its event.
 */
static void append_from_hook(struct cp_signal_thread *t,
                             const struct cp_trace_event *e, const void *more)
{
    uint32_t session = atomic_load(&cp_trace.session);

    if (t->trace.session == session) {
        count_lost();
        return;
    }
    t->trace.session = session;
    atomic_signal_fence(memory_order_seq_cst);
    append(t, 0, e, more);
    atomic_signal_fence(memory_order_seq_cst);
    t->trace.session = 0;
}

static uint32_t stack_index(const struct cp_signal_slot *slot)
{
    return slot ? (uint32_t)(slot - cp_trace.stacks.slots) + 1 : 0;
}

static uint32_t capture_stack(uintptr_t caller, uint32_t call)
{
    return stack_index(cp_signal_capture(&cp_trace.stacks, caller, call, 1, 0));
}

uint32_t cp_trace_stack(const uintptr_t *frames, size_t n, uint32_t call)
{
    struct cp_signal_tag tag = { .state = call };

    return stack_index(cp_signal_add(&cp_trace.stacks, frames, n, tag, 1, 0));
}

/*
 * Publishes a wait in the record. `here` is NULL if waits.stack has the stack.
 */
static void publish_wait(struct cp_signal_thread *t, unsigned call,
                         uint64_t begin_ns, const struct cp_signal_regs *here)
{
    uintptr_t regs[4] = { 0 };

    if (here) {
        regs[0] = here->pc;
        regs[1] = here->sp;
        regs[2] = here->fp;
        regs[3] = here->aux;
    }
    for (int i = 0; i < 4; i++)
        atomic_store_explicit(&t->waits.regs[i], regs[i], memory_order_relaxed);
    atomic_store_explicit(&t->waits.call, call, memory_order_relaxed);
    atomic_store_explicit(&t->waits.since_ns, begin_ns, memory_order_release);
}

struct cp_trace_wait cp_trace_wait_begin(unsigned call, uint64_t lock,
                                         uint64_t begin_ns,
                                         const struct cp_signal_regs *here,
                                         uintptr_t caller)
{
    struct cp_trace_wait wait = { .lock = lock };
    struct cp_signal_thread *t = cp_signal_is_internal ? NULL : self();

    if (!t)
        return wait;
    wait.session = atomic_load(&cp_trace.session);
    if (!(wait.session & 1)) {
        wait.session = 0;
        return wait;
    }
    if (!cp_call_is_io(call))
        wait.stack = capture_stack(caller, call);
    if (lock)
        atomic_fetch_add(&cp_trace.waiters[cp_trace_bucket(lock)], 1);
    atomic_store_explicit(&t->waits.stack, wait.stack, memory_order_relaxed);
    publish_wait(t, call, begin_ns, here);
    return wait;
}

bool cp_trace_wait_publish(unsigned call, uint64_t begin_ns,
                           const struct cp_signal_regs *here)
{
    struct cp_signal_thread *t = cp_signal_is_internal ? NULL : cp_signal_self;

    if (!t)
        return false;
    atomic_store_explicit(&t->waits.stack, 0, memory_order_relaxed);
    publish_wait(t, call, begin_ns, here);
    return true;
}

void cp_trace_wait_unpublish(void)
{
    if (cp_signal_self)
        atomic_store_explicit(&cp_signal_self->waits.since_ns, 0,
                              memory_order_release);
}

void cp_trace_wait_abort(const struct cp_trace_wait *wait)
{
    struct cp_signal_thread *t = cp_signal_self;

    if (!wait->session || !t)
        return;
    atomic_store_explicit(&t->waits.since_ns, 0, memory_order_release);
    if (wait->lock && wait->session == atomic_load(&cp_trace.session))
        atomic_fetch_sub(&cp_trace.waiters[cp_trace_bucket(wait->lock)], 1);
}

void cp_trace_wait_end(const struct cp_trace_wait *wait,
                       const struct cp_trace_event *e, uintptr_t caller)
{
    struct cp_signal_thread *t = cp_signal_self;
    struct cp_trace_event event = *e;

    if (!wait->session || !t)
        return;
    if (wait->session == atomic_load(&cp_trace.session)) {
        event.kind = CP_TRACE_WAIT;
        event.stack = wait->stack;
        if (!event.stack)
            event.stack = event.time_ns - event.begin_ns >= CP_WAIT_IO_MIN_NS
                              ? capture_stack(caller, event.call)
                              : cp_trace.bare[event.call % CP_TRACE_CALLS];
        append_from_hook(t, &event, NULL);
    }
    cp_trace_wait_abort(wait);
}

void cp_trace_write(struct cp_trace_event e, const void *more, uintptr_t caller)
{
    struct cp_signal_thread *t;

    if (cp_signal_is_internal || !cp_trace_is_on())
        return;
    t = self();
    if (!t)
        return;
    if (caller)
        e.stack = capture_stack(caller, 0);
    append_from_hook(t, &e, more);
}

void cp_trace_sample(struct cp_signal_thread *t, const uintptr_t *frames,
                     size_t n, uint64_t time_ns)
{
    struct cp_trace_event e = { .time_ns = time_ns, .kind = CP_TRACE_SAMPLE };

    e.stack = cp_trace_stack(frames, n, 0);
    append(t, 1, &e, NULL);
}

void cp_trace_release_buffers(struct cp_signal_thread *t)
{
    for (int i = 0; i < 2; i++) {
        if (!t->trace.buffers[i])
            continue;
        atomic_store_explicit(&t->trace.buffers[i]->state, CP_TRACE_DONE,
                              memory_order_release);
        t->trace.buffers[i] = NULL;
    }
}
