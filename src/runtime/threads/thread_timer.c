/* thread_timer.c - see thread_timer.h. */
#include "runtime/threads/thread_timer.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/sampling_phase.h"
#include "signal/signals/handler.h"
#include "signal/signals/perf_event.h"
#include "signal/signals/perf_signals.h"
#include "signal/tables/readers.h"
#include "signal/tables/samples.h"
#include "signal/tables/thread.h"

#define STEP_NS 700000   /* costs 3 us */
#define MAX_STEPS 16     /* after that a tick is soon enough */
#define SOONEST_NS 30000 /* an event must not come while it is set up */
#define SETUP_SLOW 32

static struct {
    uint64_t period_ns; /* 0: no timers */
    int sig;
    bool has_events;  /* the kernel's are used, for young threads at least */
    bool is_fast;     /* and for all, because the period is below a tick */
    uint64_t past_ns; /* of CPU time that timers saw which are gone */
    int64_t setup_ns; /* what it takes to begin a new thread's event, about */
} timers;

void cp_thread_timer_setup(uint64_t period_ns, int sig)
{
    timers.period_ns = period_ns;
    timers.sig = sig;
    cp_sampling_phase_begin(period_ns);
    if (period_ns == 0)
        return;
    timers.has_events = cp_perf_sampler_try_start();
    timers.is_fast = timers.has_events && period_ns < cp_perf_sampler_tick_ns();
}

bool cp_thread_timer_uses_only_events(void)
{
    return timers.is_fast;
}

/* Periods for which no signal came, and what is known of where they went. */
struct rest {
    uint64_t n, period_ns;
    struct cp_signal_slot *slot; /* a stack that was seen, or NULL */
    uintptr_t start;             /* the function that it began in, or 0 */
    uint32_t labels, number;
};

static void add_rest(const struct rest *r)
{
    struct cp_signal_tag tag = { r->labels, 0 };
    struct cp_reader_slot *place = r->n ? cp_readers_enter(r->number) : NULL;
    struct cp_signal_samples *table;
    uint64_t ns = r->n * r->period_ns;

    if (!place) /* as long as we have one, the table stays */
        return;
    table = atomic_load(&cp_handler_state.cpu);
    if (table && r->slot && cp_signal_has_slot(table, r->slot)) {
        atomic_fetch_add(&r->slot->count, r->n);
        atomic_fetch_add(&r->slot->value, ns);
    } else if (table && r->start) {
        (void)cp_signal_add(table, &r->start, 1, tag, r->n, ns);
    } else if (table) {
        cp_signal_add_lost(table, r->n, ns);
    }
    cp_readers_exit(place);
}

/*
 * The kernel looks at the timers of a thread only when its clock ticks while
 * the thread runs, so what a thread has used since the last tick is missing
 * when it ends. Adds it, to the stack that was seen last or, if there was none,
 * to the function the thread began in.
 */
static void add_due(struct cp_signal_thread *t, uint64_t clock_ns)
{
    struct rest rest = { .n = cp_signal_periods_due(t, clock_ns),
                         .period_ns = atomic_load(&t->cpu.period_ns),
                         .slot = atomic_load(&t->cpu.slot),
                         .start = t->runtime.start_pc,
                         .labels = atomic_load(&t->labels),
                         .number = t->number };

    add_rest(&rest);
    atomic_fetch_add(&t->cpu.count, rest.n);
}

static uint64_t clock_of(const struct cp_signal_thread *t)
{
    return (uint64_t)cp_clock_ns(cp_timer_clock(atomic_load(&t->tid)));
}

/*
 * The clock of a thread that is gone stands at 0, where it may have stood when
 * it was first seen: what it had is in samples.
 */
static uint64_t seen_ns(const struct cp_signal_thread *t, uint64_t clock_ns)
{
    uint64_t period = atomic_load(&t->cpu.period_ns);

    if (period == 0)
        return 0;
    return clock_ns > t->cpu.from_ns ? clock_ns - t->cpu.from_ns
                                     : atomic_load(&t->cpu.count) * period;
}

uint64_t cp_thread_timer_seen_ns(const struct cp_signal_thread *t)
{
    return seen_ns(t, clock_of(t));
}

uint64_t cp_thread_timer_stopped_ns(void)
{
    return timers.past_ns;
}

/*
 * A signal that was under way has been answered when the timer is gone. Ending
 * them takes time as well, so the clock is read last.
 */
static uint64_t stop(struct cp_signal_thread *t)
{
    uint64_t clock_ns;

    if (t->cpu.timer_id != CP_NO_TIMER)
        cp_timer_delete(t->cpu.timer_id);
    t->cpu.timer_id = CP_NO_TIMER;
    cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
    clock_ns = clock_of(t);
    add_due(t, clock_ns);
    timers.past_ns += seen_ns(t, clock_ns);
    atomic_store(&t->cpu.period_ns, 0);
    return clock_ns;
}

void cp_thread_timer_stop(struct cp_signal_thread *t)
{
    if (atomic_load(&t->cpu.period_ns))
        (void)stop(t);
    cp_sampling_phase_release(t, 0);
}

void cp_thread_timer_stop_at_exit(struct cp_signal_thread *t)
{
    uint64_t period = atomic_load(&t->cpu.period_ns), clock_ns, next_ns;

    if (period == 0)
        return;
    clock_ns = stop(t);
    next_ns = t->cpu.first_ns + atomic_load(&t->cpu.count) * period;
    cp_sampling_phase_release(t, clock_ns > t->cpu.from_ns && clock_ns < next_ns
                                     ? next_ns - clock_ns
                                     : 0);
}

/*
 * An event when the next period is over, and perhaps one after each. The first
 * does not come if it is due while the thread is in the kernel, be it for a
 * switch to another one, but when as much time has passed again. So it is asked
 * for in steps, of which the last one counts, and one more comes soon after.
 */
static bool start_event(struct cp_signal_thread *t, uint64_t clock_ns)
{
    uint64_t next_ns =
        t->cpu.first_ns + atomic_load(&t->cpu.count) * timers.period_ns;
    int64_t left = (int64_t)(next_ns - clock_ns) -
                   atomic_load(&cp_handler_state.perf_lag_ns);
    int64_t n =
        timers.is_fast || left > MAX_STEPS * STEP_NS ? 1 : left / STEP_NS;

    if (left < SOONEST_NS)
        left = SOONEST_NS;
    t->perf.retry_ns = n > 1 ? left / n : 0;
    t->perf.has_fired = false;
    atomic_store(&t->perf.period_ns, timers.is_fast ? timers.period_ns : 0);
    return cp_perf_signals_open(t, atomic_load(&t->tid),
                                (uint64_t)(n > 1 ? left / n : left)) ==
           CP_PERF_OPEN_OK;
}

/* CPU time until the first_th period is over, ns; never 0. */
static uint64_t first_in(const struct cp_signal_thread *t, uint64_t first)
{
    uint64_t due_ns = t->cpu.first_ns + first * timers.period_ns;
    uint64_t clock_ns = clock_of(t);

    return due_ns > clock_ns ? due_ns - clock_ns : 1;
}

/*
 * Signals at the first_th period and all that follow; beside events of a higher
 * rate at every tick.
 */
static void start_timer(struct cp_signal_thread *t, uint64_t first)
{
    bool is_beside = timers.is_fast && atomic_load(&t->perf.event);
    uint64_t step = is_beside ? cp_perf_sampler_tick_ns() : timers.period_ns;

    t->cpu.timer_id =
        cp_timer_create(atomic_load(&t->tid), timers.sig,
                        cp_signal_payload(CP_SIGNAL_CPU, t->number));
    if (t->cpu.timer_id != CP_NO_TIMER)
        cp_timer_set(t->cpu.timer_id, first_in(t, first), step);
}

/*
 * What is due already is added at once: a signal now would find us in the
 * stack. The same goes for what is due before an event of a new thread is set
 * up: that is time of ours.
 */
static void add_first(struct cp_signal_thread *t, uint64_t clock_ns,
                      bool is_new)
{
    if (is_new && timers.has_events)
        clock_ns += (uint64_t)timers.setup_ns;
    add_due(t, clock_ns);
}

/* The mean, but for those that were interrupted. */
static void note_setup(int64_t took_ns)
{
    if (took_ns < 4 * timers.setup_ns + SOONEST_NS)
        timers.setup_ns += (took_ns - timers.setup_ns) / SETUP_SLOW;
}

/*
 * Samples the thread from when its clock was from_ns on. If the kernel has no
 * timer for it, its time is added without a stack when the profile ends. The
 * event of a new thread does not fire if it is due while the thread is in the
 * kernel; the timer is its fallback.
 */
static void start_from(struct cp_signal_thread *t, uint64_t from_ns,
                       bool is_new)
{
    uint64_t clock_ns = clock_of(t), n;
    bool has_event;

    atomic_store(&t->cpu.period_ns, timers.period_ns);
    atomic_store(&t->cpu.count, 0);
    atomic_store(&t->cpu.slot, NULL);
    atomic_store(&t->perf.period_ns, 0);
    t->cpu.from_ns = from_ns;
    t->cpu.first_ns = from_ns + (is_new ? cp_sampling_phase_acquire(t)
                                        : cp_timer_phase(timers.period_ns));
    add_first(t, clock_ns, is_new);
    n = atomic_load(&t->cpu.count);
    has_event = timers.has_events && (timers.is_fast || (is_new && n == 0)) &&
                start_event(t, clock_ns);
    t->perf.has_backup_timer = has_event && !timers.is_fast;
    start_timer(t, n + (has_event && timers.is_fast));
    if (is_new && has_event)
        note_setup((int64_t)(clock_of(t) - clock_ns));
}

void cp_thread_timer_start(struct cp_signal_thread *t)
{
    cp_thread_timer_stop(t); /* it may have had another period */
    start_from(t, clock_of(t), false);
}

void cp_thread_timer_start_new(struct cp_signal_thread *t)
{
    start_from(t, 0, true);
}

void cp_thread_timer_reset_after_fork(struct cp_signal_thread *t)
{
    t->cpu.timer_id = CP_NO_TIMER;
    atomic_store(&t->perf.event, NULL);
    atomic_store(&t->cpu.period_ns, 0);
}
