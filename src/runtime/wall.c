/*
 * wall.c - see wall.h.
 *
 * A round goes over all threads; a tick is a part of it, so long that neither
 * the visits nor the signals of one tick are many. With few threads a tick is
 * a round; with thousands of busy ones each is visited less often, and its
 * samples weigh more.
 */
#include "runtime/wall.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "base/alloc.h"
#include "runtime/clock.h"
#include "runtime/own_thread.h"
#include "runtime/probe.h"
#include "runtime/sampler.h"
#include "runtime/stack_writer.h"
#include "runtime/still.h"
#include "runtime/threads.h"
#include "runtime/timer.h"
#include "signal/handler.h"
#include "signal/readers.h"

#define NS_PER_S 1000000000
#define VISITS_PER_TICK 512
#define SIGNALS_PER_TICK 16
#define ANSWER_NS 100000
#define WAS_ASKED 1              /* a flag of a thread */
#define MOST_SILENT_NS 200000000 /* how long a thread may owe an answer */

enum state { STATE_NONE, STATE_RUNNING, STATE_SLEEPING, STATE_SILENT };

static const char *const state_names[] = {
    [STATE_NONE] = "",
    [STATE_RUNNING] = "running",
    [STATE_SLEEPING] = "sleeping",
    [STATE_SILENT] = "not answering",
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
    uint32_t next; /* number of the record to look at */
    int n_signals; /* in this tick */
    struct cp_still_look look;
};

/* Asks a thread for its own stack. */
static void ask(struct visitor *v, struct cp_signal_thread *t, int32_t tid,
                uint64_t value, enum state state)
{
    atomic_store(&t->wall_state, state);
    atomic_store(&t->wall_value, value);
    t->wall_asked = atomic_load(&t->wall_answers) + 1;
    v->n_signals++;
    atomic_store(&cp_signal_sampler.has_asked, true);
    cp_timer_send(tid, cp_sampler_signal(),
                  cp_signal_word(CP_SIGNAL_WALL, t->number));
}

/* Adds to a slot that is there. */
static void add_again(struct cp_signal_slot *slot, uint64_t value)
{
    atomic_fetch_add(&slot->count, 1);
    atomic_fetch_add(&slot->value, value);
}

static struct cp_signal_slot *record(const uintptr_t *frames, size_t n,
                                     struct cp_signal_thread *t,
                                     enum state state, uint64_t value)
{
    struct cp_signal_samples *table = atomic_load(&cp_signal_sampler.wall);
    struct cp_signal_tag tag = { atomic_load(&t->labels), state };
    struct cp_signal_slot *slot =
        table ? cp_signal_add(table, frames, n, tag, 1, value) : NULL;

    if (table && !slot)
        atomic_fetch_add(&cp_signal_sampler.n_full, 1);
    return slot;
}

/* It was asked and has not answered: its signals are blocked, for one. */
static bool owes_answer(struct cp_signal_thread *t, int64_t now)
{
    const uintptr_t silent = CP_FRAME_SILENT;
    uint64_t value;

    if (t->wall_asked == atomic_load(&t->wall_answers))
        return false;
    if (now - (int64_t)t->wall_visit_ns < MOST_SILENT_NS)
        return true;
    /* A late answer shall stand for no time. */
    value =
        (uint64_t)now - t->wall_visit_ns + atomic_exchange(&t->wall_value, 0);
    (void)record(&silent, 1, t, STATE_SILENT, value);
    t->wall_visit_ns = (uint64_t)now;
    return true;
}

/*
 * Is it still where it was found asleep? Answering a signal has taken a little
 * time, which is no sign of life.
 */
static bool still_sleeps(struct cp_signal_thread *t, uint64_t clock)
{
    const struct cp_signal_samples *table =
        atomic_load(&cp_signal_sampler.wall);
    const struct cp_signal_slot *slot = atomic_load(&t->wall_slot);
    uint64_t slack = t->flags & WAS_ASKED ? ANSWER_NS : 0;

    if (!table || !slot || !cp_signal_has_slot(table, slot) ||
        slot->tag.state != STATE_SLEEPING || clock - t->wall_clock > slack)
        return false;
    t->wall_clock = clock;
    t->flags &= ~(uint32_t)WAS_ASKED;
    return true;
}

/* Accounts for `value` ns of the thread; false: not now. */
static bool sample(struct visitor *v, struct cp_signal_thread *t, int32_t tid,
                   uint64_t value)
{
    uint64_t clock = (uint64_t)cp_clock_ns(cp_timer_clock(tid));
    enum cp_still still;

    if (still_sleeps(t, clock)) {
        add_again(atomic_load(&t->wall_slot), value);
        return true;
    }
    still = cp_still_walk(&v->look, tid);
    t->flags &= ~(uint32_t)WAS_ASKED;
    t->wall_clock = clock;
    if (still == CP_STILL_ASLEEP && v->look.n == 0)
        cp_still_say_asleep(&v->look, t);
    if (still == CP_STILL_WALKED || still == CP_STILL_ASLEEP) {
        atomic_store(&t->wall_slot, record(v->look.frames, v->look.n, t,
                                           STATE_SLEEPING, value));
        return true;
    }
    if (still == CP_STILL_GONE || v->n_signals >= SIGNALS_PER_TICK)
        return false;
    t->flags |= WAS_ASKED;
    ask(v, t, tid, value,
        still == CP_STILL_RUNNING ? STATE_RUNNING : STATE_SLEEPING);
    return true;
}

static void visit(struct visitor *v, struct cp_signal_thread *t, int32_t tid)
{
    int64_t now = cp_clock_ns(CLOCK_MONOTONIC);
    uint64_t since = t->wall_visit_ns;

    if (since && owes_answer(t, now))
        return;
    /* The first time nothing is known of what it did. */
    if (!since || sample(v, t, tid, (uint64_t)now - since))
        t->wall_visit_ns = (uint64_t)now;
}

static void go_round(struct visitor *v)
{
    uint32_t n_records = cp_threads_records(), n = 0;

    v->n_signals = 0;
    for (uint32_t i = 0; i < n_records && n < VISITS_PER_TICK; i++) {
        struct cp_signal_thread *t = cp_signal_thread_at(v->next++ % n_records);
        int32_t tid = atomic_load(&t->tid);

        struct cp_signal_place *place;

        if (tid == 0)
            continue;
        place = cp_signal_enter(t->number); /* the table stays meanwhile */
        if (place && atomic_load(&wall.round) == v->round)
            visit(v, t, tid);
        if (place)
            cp_signal_leave(place);
        n++;
    }
}

static int64_t tick_ns(void)
{
    int hz = atomic_load(&wall.hz);

    return NS_PER_S / (hz > 1 ? hz : 2);
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
    cp_sampler_set_guest(guest_turn);
}

static void end_round(void)
{
    cp_sampler_set_guest(NULL);
    atomic_fetch_add(&wall.round, 1);
    (void)CP_SYSCALL(SYS_futex, (long)&wall.round, FUTEX_WAKE_PRIVATE, 1);
}

static void forget_visits(void *context, struct cp_signal_thread *t)
{
    (void)context;
    atomic_store(&t->wall_slot, NULL);
    t->wall_visit_ns = 0;
}

static enum cp_status start_round(struct cp_error *err)
{
    struct visitor *v = cp_alloc(1, sizeof(*v), err);

    if (!v)
        return CP_ENOMEM;
    cp_threads_each(forget_visits, NULL);
    v->round = atomic_fetch_add(&wall.round, 1) + 1;
    if (cp_own_thread_start("cpprof-wall", run, v, NULL) != CP_OK)
        be_guest(v);
    return CP_OK;
}

/* The first window starts the thread, the last one ends it. */
static enum cp_status set_rate(int hz, struct cp_error *err)
{
    int before = atomic_exchange(&wall.hz, hz);
    enum cp_status status = CP_OK;

    if (hz == 0)
        end_round();
    else if (before == 0)
        status = start_round(err);
    if (status != CP_OK)
        atomic_store(&wall.hz, 0);
    return status;
}

static struct cp_probe probe = {
    .recorder = { .live = &cp_signal_sampler.wall },
    .default_hz = CP_WALL_DEFAULT_HZ,
    .most_hz = CP_WALL_MOST_HZ,
    .type = "wall",
    .states = state_names,
    .set_rate = set_rate,
};

void cp_wall_set_default_hz(int hz)
{
    probe.default_hz = hz;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    return cp_probe_begin(&probe, request, out_window, err);
}

static enum cp_status finish(void *window, struct cp_profile **out,
                             struct cp_error *err)
{
    return cp_probe_finish(&probe, window, out, err);
}

static void cancel(void *window)
{
    cp_probe_cancel(&probe, window);
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
    return cp_recorder_bytes(&probe.recorder);
}

void cp_wall_after_fork(void)
{
    atomic_store(&wall.hz, 0);
    atomic_store(&wall.round, 0);
    atomic_store(&wall.is_guest_busy, false);
    cp_probe_forget(&probe);
}
