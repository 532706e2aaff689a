/*
 * wall.c - the wall-clock sampler.
 *
 * The visitor visits all threads in turn. In one tick it makes a bounded number
 * of visits and requests. A tick covers all threads if they are few; with
 * thousands of busy ones each is visited less often, and its samples represent
 * more time.
 *
 * A visit finds the thread asleep or running, and attributes the time since the
 * last visit to that state. The stack of a sleeping thread is read from outside
 * (sleeping_stack.h), and so is the stack of a thread inside a hooked call,
 * which runs in the kernel or has been woken and waits for a processor. Other
 * running time is summed in the thread's record, and the thread attributes the
 * sum to its stack when it replies to a request (thread_request.h), at the next
 * scheduler tick that interrupts it.
 */
#include "runtime/profiles/wall.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "base/alloc.h"
#include "profile/model/profile.h"
#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/profiles/timed_kind.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/threads/internal_thread.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/threads.h"
#include "runtime/threads/wait_switches.h"
#include "signal/signals/handler.h"
#include "signal/tables/readers.h"
#include "signal/tables/thread.h"

#define VISITS_PER_TICK 512
#define REQUESTS_PER_TICK 16
#define HAS_REPLIED                                                            \
    1 /* bit of a thread's flags: it does not block the signal */
#define MAX_NO_REPLY_NS 200000000u /* running time without a reply */

enum state {
    STATE_NONE,
    STATE_RUNNING = CP_STATE_RUNNING,
    STATE_SLEEPING,
    STATE_NO_REPLY
};

static const char *const state_names[] = {
    [STATE_NONE] = "",
    [STATE_RUNNING] = "running",
    [STATE_SLEEPING] = "sleeping",
    [STATE_NO_REPLY] = "not answering",
};

/* The rate of the visitor, and whether it should run. */
static struct {
    _Atomic int hz;
    _Atomic uint32_t generation; /* odd while a visitor should run */
    struct visitor *piggyback;   /* on the refresh thread, or NULL */
    _Atomic bool is_piggyback_busy;
} wall;

/* State of the thread that visits. */
struct visitor {
    uint32_t generation; /* ends when wall.generation differs */
    uint32_t next;  /* number of the next record to visit, modulo their count */
    int n_requests; /* in this tick; at most REQUESTS_PER_TICK */
    struct cp_sleeping_stack walker; /* memory for walks */
};

/* Adds samples to a stack that the table has already. */
static void add_to_slot(struct cp_signal_slot *slot, uint64_t count,
                        uint64_t value)
{
    atomic_fetch_add(&slot->count, count);
    atomic_fetch_add(&slot->value, value);
}

/* Adds a sample; returns its slot, or NULL if the table is full or gone. */
static struct cp_signal_slot *record(const uintptr_t *frames, size_t n,
                                     struct cp_signal_thread *t,
                                     enum state state, uint64_t value)
{
    struct cp_signal_samples *table = atomic_load(&cp_handler_state.wall);
    struct cp_signal_tag tag = { atomic_load(&t->labels), state };
    struct cp_signal_slot *slot =
        table ? cp_signal_add(table, frames, n, tag, 1, value) : NULL;

    if (table && !slot)
        atomic_fetch_add(&cp_handler_state.n_full, 1);
    return slot;
}

/* Whether the slot belongs to the current table. */
static bool is_slot(const struct cp_signal_slot *slot)
{
    const struct cp_signal_samples *table = atomic_load(&cp_handler_state.wall);

    return table && slot && cp_signal_has_slot(table, slot);
}

/*
 * Attributes running time without a reply: to the last known stack of the
 * thread, else to its start function, else to the frame "no reply".
 */
static void flush_running(struct cp_signal_thread *t)
{
    const uintptr_t no_reply = CP_FRAME_NO_REPLY;
    struct cp_signal_slot *slot = atomic_load(&t->wall.running_slot);
    uint64_t count = atomic_exchange(&t->wall.count, 0);
    uint64_t value = atomic_exchange(&t->wall.value_ns, 0);

    if (value && is_slot(slot))
        add_to_slot(slot, count, value);
    else if (value && t->runtime.start_pc)
        (void)record(&t->runtime.start_pc, 1, t, STATE_RUNNING, value);
    else if (value)
        (void)record(&no_reply, 1, t, STATE_NO_REPLY, value);
}

/*
 * Attributes running time to "no reply": the thread blocks the signal, or never
 * runs when the scheduler tick comes.
 */
static void flush_no_reply(struct cp_signal_thread *t)
{
    const uintptr_t no_reply = CP_FRAME_NO_REPLY;
    uint64_t value = atomic_exchange(&t->wall.value_ns, 0);

    atomic_store(&t->wall.count, 0);
    if (value)
        (void)record(&no_reply, 1, t, STATE_NO_REPLY, value);
}

/* Whether the thread has used no CPU time since it was found asleep. */
static bool has_not_run(struct cp_signal_thread *t, uint64_t clock)
{
    return is_slot(t->wall.sleeping_slot) && clock == t->wall.sleeping_cpu_ns;
}

/* Whether the thread can reply. A thread that has replied before can. */
static bool can_reply(struct cp_signal_thread *t, int32_t tid)
{
    if (atomic_load(&t->wall.running_slot))
        t->wall.has_replied = true;
    return t->wall.has_replied ||
           !cp_thread_blocks_signal(tid, cp_signal_owner_signal());
}

/*
 * Attributes `value` ns of a running thread. Returns false if this tick has no
 * request left: the next visit attributes the time.
 */
static bool sample_running(struct visitor *v, struct cp_signal_thread *t,
                           int32_t tid, uint64_t value)
{
    uint64_t pending = atomic_load(&t->wall.value_ns);

    if (pending == 0 && v->n_requests >= REQUESTS_PER_TICK)
        return false;
    atomic_fetch_add(&t->wall.count, 1);
    atomic_fetch_add(&t->wall.value_ns, value);
    if (pending + value > MAX_NO_REPLY_NS)
        flush_no_reply(t);
    if (pending > 0 && pending + value <= MAX_NO_REPLY_NS)
        return true; /* a request is pending */
    v->n_requests++;
    if (!can_reply(t, tid) || !cp_threads_request(t, tid, CP_REQUEST_WALL))
        flush_no_reply(t);
    return true;
}

/* Attributes `value` ns of the thread; returns false to try again later. */
static bool sample(struct visitor *v, struct cp_signal_thread *t, int32_t tid,
                   uint64_t value)
{
    uint64_t clock = (uint64_t)cp_clock_ns(cp_timer_clock(tid));
    uint64_t call_ns = atomic_load(&t->waits.since_ns); /* before the walk */
    enum cp_sleep_result result;

    if (has_not_run(t, clock)) {
        add_to_slot(t->wall.sleeping_slot, 1, value);
        return true;
    }
    result = cp_sleeping_stack_walk(&v->walker, tid);
    if (result == CP_SLEEP_EXITED)
        return false;
    if (result == CP_SLEEP_RUNNING && call_ns &&
        call_ns == atomic_load(&t->waits.since_ns) &&
        cp_sleeping_stack_walk_saved(&v->walker, t)) {
        (void)record(v->walker.frames, v->walker.n, t, STATE_RUNNING, value);
        return true;
    }
    if (result == CP_SLEEP_RUNNING)
        return sample_running(v, t, tid, value);
    if (result == CP_SLEEP_PARTIAL)
        cp_sleeping_stack_complete(&v->walker, t);
    t->wall.sleeping_cpu_ns = clock;
    t->wall.sleeping_slot =
        record(v->walker.frames, v->walker.n, t, STATE_SLEEPING, value);
    return true;
}

static void visit(struct visitor *v, struct cp_signal_thread *t, int32_t tid)
{
    int64_t now = cp_clock_ns(CLOCK_MONOTONIC);
    uint64_t since = t->wall.accounted_ns;

    /* The first visit only sets the start time. */
    if (!since || sample(v, t, tid, (uint64_t)now - since))
        t->wall.accounted_ns = (uint64_t)now;
}

/* One tick: visits the next VISITS_PER_TICK threads at most. */
static void visit_threads(struct visitor *v)
{
    uint32_t n_records = cp_threads_count_records(), n = 0;

    v->n_requests = 0;
    for (uint32_t i = 0; i < n_records && n < VISITS_PER_TICK; i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(v->next++ % n_records);
        int32_t tid = atomic_load(&t->tid);

        struct cp_reader_slot *slot;

        if (tid == 0 && atomic_load(&t->wall.value_ns) == 0)
            continue;
        slot = cp_readers_enter(t->number); /* keeps the table mapped */
        if (slot && tid == 0)
            flush_running(t); /* the thread ended before it replied */
        else if (slot && atomic_load(&wall.generation) == v->generation)
            visit(v, t, tid);
        if (slot)
            cp_readers_exit(slot);
        n++;
    }
}

static int64_t tick_ns(void)
{
    int hz = atomic_load(&wall.hz);

    return CP_NS_PER_S / (hz > 1 ? hz : 2);
}

/* Returns false if the generation has changed: the visitor must end. */
static bool sleep_one_tick(uint32_t generation)
{
    struct timespec tick = { 0, tick_ns() };

    (void)CP_SYSCALL(SYS_futex, (long)&wall.generation, FUTEX_WAIT_PRIVATE,
                     generation, (long)&tick);
    return atomic_load(&wall.generation) == generation;
}

static void run(void *arg)
{
    struct visitor *v = arg;

    do
        visit_threads(v);
    while (sleep_one_tick(v->generation));
    cp_free(v);
}

/*
 * A tick on the refresh thread. When that is replaced, the old and the new one
 * may both run for a moment; is_piggyback_busy excludes one of them.
 */
static int64_t run_piggyback(void)
{
    uint32_t generation = atomic_load(&wall.generation);

    if (generation % 2 && !atomic_exchange(&wall.is_piggyback_busy, true)) {
        wall.piggyback->generation = generation;
        visit_threads(wall.piggyback);
        atomic_store(&wall.is_piggyback_busy, false);
    }
    return tick_ns();
}

/*
 * Uses the refresh thread if no thread can be created: the program may have
 * lowered RLIMIT_NPROC, as haproxy does.
 */
static void start_piggyback(struct visitor *v)
{
    if (wall.piggyback)
        cp_free(v);
    else
        wall.piggyback = v;
    cp_refresh_set_piggyback_task(run_piggyback);
}

static void end_generation(void)
{
    CP_ASSERT(atomic_load(&wall.generation) % 2 == 1);
    cp_refresh_set_piggyback_task(NULL);
    atomic_fetch_add(&wall.generation, 1);
    (void)CP_SYSCALL(SYS_futex, (long)&wall.generation, FUTEX_WAKE_PRIVATE, 1);
}

static void reset_visits(void *context, struct cp_signal_thread *t)
{
    (void)context;
    atomic_store(&t->wall.running_slot, NULL);
    t->wall.sleeping_slot = NULL;
    atomic_store(&t->wall.value_ns, 0);
    atomic_store(&t->wall.count, 0);
    t->wall.accounted_ns = 0;
    t->wall.has_replied = false;
}

/* Starts a visitor with a new, odd generation. */
static enum cp_status start_generation(struct cp_error *err)
{
    struct visitor *v = cp_alloc(1, sizeof(*v), err);

    if (!v)
        return CP_ENOMEM;
    CP_ASSERT(atomic_load(&wall.generation) % 2 == 0);
    cp_threads_each(reset_visits, NULL);
    v->generation = atomic_fetch_add(&wall.generation, 1) + 1;
    if (cp_internal_thread_start("cpprof-wall", run, v, NULL) != CP_OK)
        start_piggyback(v);
    return CP_OK;
}

/* The first recording starts the visitor, the last one ends it. */
static enum cp_status set_rate(int hz, struct cp_error *err)
{
    int before = atomic_exchange(&wall.hz, hz);
    enum cp_status status = CP_OK;

    if ((hz == 0) != (before == 0))
        cp_wait_switches_set_wall(hz != 0);
    if (hz == 0)
        end_generation();
    else if (before == 0)
        status = start_generation(err);
    if (status != CP_OK)
        atomic_store(&wall.hz, 0);
    return status;
}

static struct cp_timed_kind timed = {
    .recorder = { .live = &cp_handler_state.wall },
    .default_hz = CP_WALL_DEFAULT_HZ,
    .max_hz = CP_WALL_MAX_HZ,
    .type = "wall",
    .states = state_names,
    .set_rate = set_rate,
};

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_recording, struct cp_error *err)
{
    return cp_timed_kind_begin(&timed, request, out_recording, err);
}

/* Attributes the time of a pending request before the recording ends. */
static void flush(void *context, struct cp_signal_thread *t)
{
    struct cp_reader_slot *slot = cp_readers_enter(t->number);

    (void)context;
    if (slot) {
        flush_running(t);
        cp_readers_exit(slot);
    }
}

static enum cp_status finish(void *recording, struct cp_profile **out,
                             struct cp_error *err)
{
    cp_threads_each(flush, NULL);
    return cp_timed_kind_finish(&timed, recording, out, err);
}

static void cancel(void *recording)
{
    cp_timed_kind_cancel(&timed, recording);
}

const struct cp_kind cp_wall_kind = {
    .name = "wall",
    .summary = "Wall-clock profile: where all threads are, running or not. "
               "Sleeping threads are not woken.",
    .default_seconds = 10,
    .text = CP_KIND_TEXT_NONE,
    .has_fractions = true,
    .begin = begin,
    .finish = finish,
    .cancel = cancel,
};

size_t cp_wall_bytes(void)
{
    return cp_sample_recorder_bytes(&timed.recorder);
}

void cp_wall_reset_after_fork(void)
{
    atomic_store(&wall.hz, 0);
    atomic_store(&wall.generation, 0);
    atomic_store(&wall.is_piggyback_busy, false);
    cp_timed_kind_reset_after_fork(&timed);
}
