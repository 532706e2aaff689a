/* thread_timer.c - starts and stops timers and events; adds missed periods. */
#include "runtime/threads/thread_timer.h"

#include "runtime/os/clock.h"
#include "runtime/os/timer.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/sampling_phase.h"
#include "signal/signals/handler.h"
#include "signal/signals/perf_event.h"
#include "signal/signals/perf_signals.h"
#include "signal/tables/readers.h"
#include "signal/tables/thread.h"

#define STEP_NS 700000     /* between two events; an event costs 3 us */
#define MAX_STEPS 16       /* beyond that a tick is accurate enough */
#define MIN_EVENT_NS 30000 /* an event must not fire during its setup */
#define SETUP_WEIGHT 32    /* a new value counts 1/32 in the mean */

static struct {
    uint64_t period_ns; /* 0 means no timers */
    int sig;
    bool has_events;     /* events sample new threads at least */
    bool is_events_only; /* events sample all threads: period below a tick */
    uint64_t stopped_ns; /* CPU time that stopped timers have seen */
    int64_t setup_ns;    /* mean time to set up the event of a new thread */
} timers;

void cp_thread_timer_setup(uint64_t period_ns, int sig)
{
    timers.period_ns = period_ns;
    timers.sig = sig;
    cp_sampling_phase_begin(period_ns);
    if (period_ns == 0)
        return;
    timers.has_events = cp_perf_sampler_try_start();
    timers.is_events_only =
        timers.has_events && period_ns < cp_perf_sampler_tick_ns();
}

bool cp_thread_timer_uses_only_events(void)
{
    return timers.is_events_only;
}

/* Periods without a signal, and the stack to which they are attributed. */
struct missed {
    uint64_t n, period_ns;
    struct cp_signal_slot *slot; /* last stack of the thread, or NULL */
    uintptr_t start;             /* start function of the thread, or 0 */
    uint32_t labels, number;
};

/* The reader slot keeps the table mapped. */
static void add_missed(const struct missed *m)
{
    struct cp_signal_tag tag = { m->labels, 0 };
    struct cp_reader_slot *reader = m->n ? cp_readers_enter(m->number) : NULL;
    struct cp_signal_samples *table;
    uint64_t ns = m->n * m->period_ns;

    if (!reader)
        return;
    table = atomic_load(&cp_handler_state.cpu);
    if (table && m->slot && cp_signal_has_slot(table, m->slot)) {
        atomic_fetch_add(&m->slot->count, m->n);
        atomic_fetch_add(&m->slot->value, ns);
    } else if (table && m->start) {
        (void)cp_signal_add(table, &m->start, 1, tag, m->n, ns);
    } else if (table) {
        cp_signal_add_lost(table, m->n, ns);
    }
    cp_readers_exit(reader);
}

/*
 * The kernel checks the timer of a thread only at its tick, so the time since
 * the last tick is missing when the thread exits. Adds it to the last stack of
 * the thread, or to its start function if there was none.
 */
static void add_due(struct cp_signal_thread *t, uint64_t clock_ns)
{
    struct missed missed = { .n = cp_signal_periods_due(t, clock_ns),
                             .period_ns = atomic_load(&t->cpu.period_ns),
                             .slot = atomic_load(&t->cpu.slot),
                             .start = t->runtime.start_pc,
                             .labels = atomic_load(&t->labels),
                             .number = t->number };

    add_missed(&missed);
    atomic_fetch_add(&t->cpu.count, missed.n);
}

static uint64_t clock_of(const struct cp_signal_thread *t)
{
    return (uint64_t)cp_clock_ns(cp_timer_clock(atomic_load(&t->tid)));
}

/*
 * The clock of an exited thread reads 0; its samples then give the time that
 * its timer has seen.
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
    return timers.stopped_ns;
}

/*
 * Deletes the timer and the event, then reads the clock, so that the time for
 * the deletion is included. A late signal finds cpu_period_ns 0.
 */
static uint64_t stop(struct cp_signal_thread *t)
{
    uint64_t clock_ns;

    CP_ASSERT(atomic_load(&t->cpu.period_ns) != 0);
    CP_ASSERT(t->cpu.timer_id >= CP_NO_TIMER);
    if (t->cpu.timer_id != CP_NO_TIMER)
        cp_timer_delete(t->cpu.timer_id);
    t->cpu.timer_id = CP_NO_TIMER;
    cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
    clock_ns = clock_of(t);
    add_due(t, clock_ns);
    timers.stopped_ns += seen_ns(t, clock_ns);
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
 * Starts an event for the end of the next period, and for each later one if
 * only events sample. The kernel skips an event that is due while the thread is
 * in the kernel, and fires it one event period later. So the time is divided
 * into steps: the last step counts, and a skipped one is soon repeated.
 */
static bool start_event(struct cp_signal_thread *t, uint64_t clock_ns)
{
    uint64_t next_ns =
        t->cpu.first_ns + atomic_load(&t->cpu.count) * timers.period_ns;
    int64_t left = (int64_t)(next_ns - clock_ns) -
                   atomic_load(&cp_handler_state.perf_lag_ns);
    int64_t n = timers.is_events_only || left > MAX_STEPS * STEP_NS
                    ? 1
                    : left / STEP_NS;

    CP_ASSERT(timers.has_events && timers.period_ns > 0);
    if (left < MIN_EVENT_NS)
        left = MIN_EVENT_NS;
    t->perf.retry_ns = n > 1 ? left / n : 0;
    t->perf.has_fired = false;
    atomic_store(&t->perf.period_ns,
                 timers.is_events_only ? timers.period_ns : 0);
    return cp_perf_signals_open(t, atomic_load(&t->tid),
                                (uint64_t)(n > 1 ? left / n : left)) ==
           CP_PERF_OPEN_OK;
}

/* CPU time until period number `first` ends, ns; at least 1. */
static uint64_t first_in(const struct cp_signal_thread *t, uint64_t first)
{
    uint64_t due_ns = t->cpu.first_ns + first * timers.period_ns;
    uint64_t clock_ns = clock_of(t);

    return due_ns > clock_ns ? due_ns - clock_ns : 1;
}

/*
 * Starts the timer at the end of period number `first`. Beside events of a
 * higher rate it fires at every tick, as a fallback.
 */
static void start_timer(struct cp_signal_thread *t, uint64_t first)
{
    bool is_fallback = timers.is_events_only && atomic_load(&t->perf.event);
    uint64_t step = is_fallback ? cp_perf_sampler_tick_ns() : timers.period_ns;

    CP_ASSERT(t->cpu.timer_id == CP_NO_TIMER && step > 0);
    t->cpu.timer_id =
        cp_timer_create(atomic_load(&t->tid), timers.sig,
                        cp_signal_payload(CP_SIGNAL_CPU, t->number));
    if (t->cpu.timer_id != CP_NO_TIMER)
        cp_timer_set(t->cpu.timer_id, first_in(t, first), step);
}

/*
 * Adds the periods that are due already: a signal now would sample this
 * function. For a new thread the setup time of its event is included, because
 * the library spends it.
 */
static void add_first(struct cp_signal_thread *t, uint64_t clock_ns,
                      bool is_new)
{
    if (is_new && timers.has_events)
        clock_ns += (uint64_t)timers.setup_ns;
    add_due(t, clock_ns);
}

/* Updates the mean; leaves out values of interrupted setups. */
static void update_setup_ns(int64_t took_ns)
{
    if (took_ns < 4 * timers.setup_ns + MIN_EVENT_NS)
        timers.setup_ns += (took_ns - timers.setup_ns) / SETUP_WEIGHT;
}

/*
 * Starts sampling; the thread's clock read from_ns at the start. The event of a
 * new thread may be skipped (start_event), so the timer is its fallback.
 */
static void start_from(struct cp_signal_thread *t, uint64_t from_ns,
                       bool is_new)
{
    uint64_t clock_ns = clock_of(t), n;
    bool has_event;

    CP_ASSERT(timers.period_ns > 0 && atomic_load(&t->cpu.period_ns) == 0);
    atomic_store(&t->cpu.period_ns, timers.period_ns);
    atomic_store(&t->cpu.count, 0);
    atomic_store(&t->cpu.slot, NULL);
    atomic_store(&t->perf.period_ns, 0);
    t->cpu.from_ns = from_ns;
    t->cpu.first_ns = from_ns + (is_new ? cp_sampling_phase_acquire(t)
                                        : cp_timer_phase(timers.period_ns));
    add_first(t, clock_ns, is_new);
    n = atomic_load(&t->cpu.count);
    has_event = timers.has_events &&
                (timers.is_events_only || (is_new && n == 0)) &&
                start_event(t, clock_ns);
    t->perf.has_backup_timer = has_event && !timers.is_events_only;
    start_timer(t, n + (has_event && timers.is_events_only));
    if (is_new && has_event)
        update_setup_ns((int64_t)(clock_of(t) - clock_ns));
}

void cp_thread_timer_start(struct cp_signal_thread *t)
{
    cp_thread_timer_stop(t); /* may have a different period */
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
