/*
 * wall.c - the wall-clock sampler.
 *
 * A round visits all threads; a tick is a part of a round with a bounded number
 * of visits and requests. With few threads a tick is a round; with thousands of
 * busy ones each is visited less often, and its samples weigh more.
 *
 * A visit finds the thread asleep or running, and attributes the time since the
 * last visit to that state. The stack of a sleeping thread is read from outside
 * (sleeping_stack.h), and so is that of a thread inside a hooked call, which
 * runs in the kernel or has been woken and waits for a processor. Other running
 * time is added up in the thread's record, and the thread attributes the sum to
 * its stack when it replies to a request (thread_request.h), at the next tick
 * of the kernel's clock that meets it.
 */
#include "runtime/profiles/wall.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profile/model/profile.h"
#include "runtime/kind/kind.h"
#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/profiles/timed_kind.h"
#include "runtime/stacks/sample_recorder.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/stacks/sleeping_stack.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/threads/own_thread.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/threads.h"
#include "runtime/threads/wait_switches.h"
#include "signal/signals/handler.h"
#include "signal/tables/readers.h"
#include "signal/tables/samples.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/syscall.h"

#define VISITS_PER_TICK 512
#define REQUESTS_PER_TICK 16
#define MAX_NO_REPLY_NS 200000000u /* of running time without a reply */

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

/* The pace of the own thread, and whether it is to run at all. */
static struct {
    _Atomic int hz;
    _Atomic uint32_t round; /* odd: the thread of that round is to run */
    struct visitor *guest;  /* of the sampler's thread; NULL: never */
    _Atomic bool is_guest_busy;
} wall;

/* What the own thread works with. */
struct visitor {
    uint32_t round;
    uint32_t next;  /* number of the record to look at */
    int n_requests; /* in this tick */
    struct cp_sleeping_stack look;
};

/* Adds to a slot that is there. */
static void add_again(struct cp_signal_slot *slot, uint64_t count,
                      uint64_t value)
{
    atomic_fetch_add(&slot->count, count);
    atomic_fetch_add(&slot->value, value);
}

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

static bool is_slot(const struct cp_signal_slot *slot)
{
    const struct cp_signal_samples *table = atomic_load(&cp_handler_state.wall);

    return table && slot && cp_signal_has_slot(table, slot);
}

/*
 * Attributes running time for which no reply came: to the last stack of the
 * thread that is known, else to a frame that says so.
 */
static void flush_running(struct cp_signal_thread *t)
{
    const uintptr_t silent = CP_FRAME_NO_REPLY;
    struct cp_signal_slot *slot = atomic_load(&t->wall.running_slot);
    uint64_t count = atomic_exchange(&t->wall.count, 0);
    uint64_t value = atomic_exchange(&t->wall.value_ns, 0);

    if (value && is_slot(slot))
        add_again(slot, count, value);
    else if (value && t->runtime.start_pc)
        (void)record(&t->runtime.start_pc, 1, t, STATE_RUNNING, value);
    else if (value)
        (void)record(&silent, 1, t, STATE_NO_REPLY, value);
}

/* It blocks the signal, or gets no processor time when the clock ticks. */
static void flush_no_reply(struct cp_signal_thread *t)
{
    const uintptr_t silent = CP_FRAME_NO_REPLY;
    uint64_t value = atomic_exchange(&t->wall.value_ns, 0);

    atomic_store(&t->wall.count, 0);
    if (value)
        (void)record(&silent, 1, t, STATE_NO_REPLY, value);
}

/* Is it still where it was found asleep? */
static bool still_sleeps(struct cp_signal_thread *t, uint64_t clock)
{
    return is_slot(t->wall.sleeping_slot) && clock == t->wall.sleeping_cpu_ns;
}

/* May the thread be requested? One that has replied does not block us. */
static bool is_open(struct cp_signal_thread *t, int32_t tid)
{
    if (atomic_load(&t->wall.running_slot))
        t->wall.has_replied = true;
    return t->wall.has_replied ||
           !cp_thread_blocks_signal(tid, cp_signal_owner_signal());
}

/* Accounts for `value` ns of a running thread; false: not now. */
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
        return true; /* the request is under way */
    v->n_requests++;
    if (!is_open(t, tid) || !cp_threads_request(t, tid, CP_REQUEST_WALL))
        flush_no_reply(t);
    return true;
}

/* Accounts for `value` ns of the thread; false: not now. */
static bool sample(struct visitor *v, struct cp_signal_thread *t, int32_t tid,
                   uint64_t value)
{
    uint64_t clock = (uint64_t)cp_clock_ns(cp_timer_clock(tid));
    uint64_t call_ns = atomic_load(&t->waits.since_ns); /* now, not later */
    enum cp_sleep_result still;

    if (still_sleeps(t, clock)) {
        add_again(t->wall.sleeping_slot, 1, value);
        return true;
    }
    still = cp_sleeping_stack_walk(&v->look, tid);
    if (still == CP_SLEEP_EXITED)
        return false;
    if (still == CP_SLEEP_RUNNING && call_ns &&
        call_ns == atomic_load(&t->waits.since_ns) &&
        cp_sleeping_stack_walk_saved(&v->look, t)) {
        (void)record(v->look.frames, v->look.n, t, STATE_RUNNING, value);
        return true;
    }
    if (still == CP_SLEEP_RUNNING)
        return sample_running(v, t, tid, value);
    if (still == CP_SLEEP_PARTIAL)
        cp_sleeping_stack_complete(&v->look, t);
    t->wall.sleeping_cpu_ns = clock;
    t->wall.sleeping_slot =
        record(v->look.frames, v->look.n, t, STATE_SLEEPING, value);
    return true;
}

static void visit(struct visitor *v, struct cp_signal_thread *t, int32_t tid)
{
    int64_t now = cp_clock_ns(CLOCK_MONOTONIC);
    uint64_t since = t->wall.accounted_ns;

    /* The first time nothing is known of what it did. */
    if (!since || sample(v, t, tid, (uint64_t)now - since))
        t->wall.accounted_ns = (uint64_t)now;
}

static void go_round(struct visitor *v)
{
    uint32_t n_records = cp_threads_count_records(), n = 0;

    v->n_requests = 0;
    for (uint32_t i = 0; i < n_records && n < VISITS_PER_TICK; i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(v->next++ % n_records);
        int32_t tid = atomic_load(&t->tid);

        struct cp_reader_slot *place;

        if (tid == 0 && atomic_load(&t->wall.value_ns) == 0)
            continue;
        place = cp_readers_enter(t->number); /* the table stays meanwhile */
        if (place && tid == 0)
            flush_running(t); /* the thread ended before it replied */
        else if (place && atomic_load(&wall.round) == v->round)
            visit(v, t, tid);
        if (place)
            cp_readers_exit(place);
        n++;
    }
}

static int64_t tick_ns(void)
{
    int hz = atomic_load(&wall.hz);

    return CP_NS_PER_S / (hz > 1 ? hz : 2);
}

static bool sleep_in(uint32_t round)
{
    struct timespec tick = { 0, tick_ns() };

    (void)CP_SYSCALL(SYS_futex, (long)&wall.round, FUTEX_WAIT_PRIVATE, round,
                     (long)&tick);
    return atomic_load(&wall.round) == round;
}

static void run(void *arg)
{
    struct visitor *v = arg;

    do
        go_round(v);
    while (sleep_in(v->round));
    cp_free(v);
}

/* On the sampler's thread, of which a new one may be there before an old. */
static int64_t guest_turn(void)
{
    uint32_t round = atomic_load(&wall.round);

    if (round % 2 && !atomic_exchange(&wall.is_guest_busy, true)) {
        wall.guest->round = round;
        go_round(wall.guest);
        atomic_store(&wall.is_guest_busy, false);
    }
    return tick_ns();
}

/* The program may have no more threads (haproxy): the sampler's is there. */
static void be_guest(struct visitor *v)
{
    if (wall.guest)
        cp_free(v);
    else
        wall.guest = v;
    cp_refresh_set_piggyback_task(guest_turn);
}

static void end_round(void)
{
    cp_refresh_set_piggyback_task(NULL);
    atomic_fetch_add(&wall.round, 1);
    (void)CP_SYSCALL(SYS_futex, (long)&wall.round, FUTEX_WAKE_PRIVATE, 1);
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

static enum cp_status start_round(struct cp_error *err)
{
    struct visitor *v = cp_alloc(1, sizeof(*v), err);

    if (!v)
        return CP_ENOMEM;
    cp_threads_each(reset_visits, NULL);
    v->round = atomic_fetch_add(&wall.round, 1) + 1;
    if (cp_own_thread_start("cpprof-wall", run, v, NULL) != CP_OK)
        be_guest(v);
    return CP_OK;
}

/* The first recording starts the thread, the last one ends it. */
static enum cp_status set_rate(int hz, struct cp_error *err)
{
    int before = atomic_exchange(&wall.hz, hz);
    enum cp_status status = CP_OK;

    if ((hz == 0) != (before == 0))
        cp_wait_switches_set_wall(hz != 0);
    if (hz == 0)
        end_round();
    else if (before == 0)
        status = start_round(err);
    if (status != CP_OK)
        atomic_store(&wall.hz, 0);
    return status;
}

static struct cp_timed_kind probe = {
    .recorder = { .live = &cp_handler_state.wall },
    .default_hz = CP_WALL_DEFAULT_HZ,
    .max_hz = CP_WALL_MAX_HZ,
    .type = "wall",
    .states = state_names,
    .set_rate = set_rate,
};

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    return cp_timed_kind_begin(&probe, request, out_window, err);
}

static void flush(void *context, struct cp_signal_thread *t)
{
    struct cp_reader_slot *place = cp_readers_enter(t->number);

    (void)context;
    if (place) {
        flush_running(t);
        cp_readers_exit(place);
    }
}

static enum cp_status finish(void *recording, struct cp_profile **out,
                             struct cp_error *err)
{
    cp_threads_each(flush, NULL);
    return cp_timed_kind_finish(&probe, recording, out, err);
}

static void cancel(void *recording)
{
    cp_timed_kind_cancel(&probe, recording);
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
    return cp_sample_recorder_bytes(&probe.recorder);
}

void cp_wall_after_fork(void)
{
    atomic_store(&wall.hz, 0);
    atomic_store(&wall.round, 0);
    atomic_store(&wall.is_guest_busy, false);
    cp_timed_kind_reset_after_fork(&probe);
}
