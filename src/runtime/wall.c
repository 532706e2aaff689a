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
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "profile/build.h"
#include "runtime/clock.h"
#include "runtime/own_thread.h"
#include "runtime/recorder.h"
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

struct window {
    struct window *next;
    struct cp_recorder_mark mark;
    int hz;
    int64_t begin_ns, time_ns;
};

/* Under cp_sampler_lock, but for what the own thread has for itself. */
static struct {
    struct cp_recorder recorder;
    struct window *windows;
    int default_hz;
    _Atomic int hz;
    _Atomic uint32_t round; /* odd: the thread of that round is to run */
} wall = { .recorder = { .live = &cp_signal_sampler.wall },
           .default_hz = CP_WALL_DEFAULT_HZ };

/* What the own thread works with. */
struct visitor {
    uint32_t round;
    uint32_t next; /* number of the record to look at */
    int n_signals; /* in this tick */
    pid_t pid;
    char *copy; /* of a stack */
    uintptr_t frames[CP_WALK_MOST];
};

void cp_wall_set_default_hz(int hz)
{
    wall.default_hz = hz;
}

/*
 * Asks a thread for its own stack. The signal looks like a timer's: if the
 * thread calls exec before it is delivered, the kernel throws those away,
 * whereas any other would kill the new program.
 */
static void ask(struct visitor *v, struct cp_signal_thread *t, int32_t tid,
                uint64_t value, enum state state)
{
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = cp_signal_word(CP_SIGNAL_WALL, t->number);
    atomic_store(&t->wall_state, state);
    atomic_store(&t->wall_value, value);
    t->wall_asked = atomic_load(&t->wall_answers) + 1;
    v->n_signals++;
    (void)CP_SYSCALL(SYS_rt_tgsigqueueinfo, v->pid, tid, cp_sampler_signal(),
                     (long)&info);
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

    return table ? cp_signal_add(table, frames, n, tag, 1, value) : NULL;
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
    size_t n;

    if (still_sleeps(t, clock)) {
        add_again(atomic_load(&t->wall_slot), value);
        return true;
    }
    still = cp_still_walk(tid, v->copy, v->frames, &n);
    t->flags &= ~(uint32_t)WAS_ASKED;
    t->wall_clock = clock;
    if (still == CP_STILL_WALKED) {
        atomic_store(&t->wall_slot,
                     record(v->frames, n, t, STATE_SLEEPING, value));
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

static bool sleep_in(uint32_t round)
{
    int hz = atomic_load(&wall.hz);
    struct timespec tick = { 0, NS_PER_S / (hz > 1 ? hz : 2) };

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
    cp_free(v->copy);
    cp_free(v);
}

static void end_round(void)
{
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
    enum cp_status status = CP_ENOMEM;

    if (!v)
        return CP_ENOMEM;
    v->copy = cp_alloc(1, CP_STILL_BYTES, err);
    v->pid = getpid();
    cp_threads_each(forget_visits, NULL);
    v->round = atomic_fetch_add(&wall.round, 1) + 1;
    if (v->copy)
        status = cp_own_thread_start("cpprof-wall", run, v, err);
    if (status != CP_OK) {
        end_round();
        cp_free(v->copy);
        cp_free(v);
    }
    return status;
}

static void set_rate(void)
{
    int hz = 0;

    for (struct window *w = wall.windows; w; w = w->next)
        if (w->hz > hz)
            hz = w->hz;
    atomic_store(&wall.hz, hz);
}

static enum cp_status open_window(struct window *w, struct cp_error *err)
{
    enum cp_status status = cp_sampler_open(err);

    if (status != CP_OK)
        return status;
    status = cp_recorder_open(&wall.recorder, &w->mark, err);
    if (status == CP_OK && wall.recorder.n_windows == 1) {
        status = start_round(err);
        if (status != CP_OK)
            cp_recorder_close(&wall.recorder, &w->mark);
    }
    if (status != CP_OK) {
        cp_sampler_close();
        return status;
    }
    w->begin_ns = cp_clock_ns(CLOCK_MONOTONIC);
    w->time_ns = cp_clock_ns(CLOCK_REALTIME);
    w->next = wall.windows;
    wall.windows = w;
    set_rate();
    return CP_OK;
}

static enum cp_status begin(const struct cp_kind_request *request,
                            void **out_window, struct cp_error *err)
{
    int hz = request->hz > 0 ? request->hz : wall.default_hz;
    enum cp_status status;
    struct window *w;

    if (hz > CP_WALL_MOST_HZ)
        return cp_error_set(err, CP_EUSAGE, "more than %d Hz", CP_WALL_MOST_HZ);
    w = cp_alloc(1, sizeof(*w), err);
    if (!w)
        return CP_ENOMEM;
    w->hz = hz;
    cp_lock_take(&cp_sampler_lock);
    status = open_window(w, err);
    cp_lock_give(&cp_sampler_lock);
    if (status != CP_OK)
        cp_free(w);
    else
        *out_window = w;
    return status;
}

static enum cp_status write_window(const struct window *w, struct cp_builder *b,
                                   struct cp_error *err)
{
    enum cp_status status = cp_builder_init(b, err);

    if (status != CP_OK)
        return status;
    b->profile->time_ns = w->time_ns;
    b->profile->duration_ns = cp_clock_ns(CLOCK_MONOTONIC) - w->begin_ns;
    if (cp_builder_type(b, "samples", "count", err) != CP_OK ||
        cp_builder_type(b, "wall", "nanoseconds", err) != CP_OK ||
        cp_builder_period(b, "wall", "nanoseconds", NS_PER_S / w->hz, err) !=
            CP_OK)
        return CP_ENOMEM;
    return cp_recorder_write(&w->mark, state_names, b, err);
}

/* Called with the lock held. */
static void close_window(struct window *w)
{
    struct window **at = &wall.windows;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    set_rate();
    if (wall.recorder.n_windows == 1)
        end_round();
    cp_recorder_close(&wall.recorder, &w->mark);
    cp_sampler_close();
    cp_free(w);
}

static enum cp_status finish(void *window, struct cp_profile **out,
                             struct cp_error *err)
{
    struct cp_builder b = { 0 };
    enum cp_status status;

    cp_lock_take(&cp_sampler_lock);
    status = write_window(window, &b, err);
    close_window(window);
    cp_lock_give(&cp_sampler_lock);
    if (status == CP_OK)
        *out = cp_builder_take(&b);
    cp_builder_release(&b);
    return status;
}

static void cancel(void *window)
{
    cp_lock_take(&cp_sampler_lock);
    close_window(window);
    cp_lock_give(&cp_sampler_lock);
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
    return cp_recorder_bytes(&wall.recorder);
}

void cp_wall_after_fork(void)
{
    wall.windows = NULL;
    atomic_store(&wall.hz, 0);
    atomic_store(&wall.round, 0);
    cp_recorder_forget(&wall.recorder);
}
