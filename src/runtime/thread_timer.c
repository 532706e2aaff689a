/* thread_timer.c - see thread_timer.h. */
#include "runtime/thread_timer.h"

#include "runtime/clock.h"
#include "runtime/perf_sampler.h"
#include "runtime/timer.h"
#include "signal/handler.h"
#include "signal/perf_event.h"
#include "signal/readers.h"
#include "signal/traps.h"

static struct {
    uint64_t period_ns; /* 0: no timers */
    int sig;
    bool has_events;  /* the kernel's are used, for young threads at least */
    bool is_fast;     /* and for all, because the period is below a tick */
    uint64_t past_ns; /* of CPU time that timers saw which are gone */
} timers;

void cp_thread_timer_setup(uint64_t period_ns, int sig)
{
    timers.period_ns = period_ns;
    timers.sig = sig;
    if (period_ns == 0)
        return;
    timers.has_events = cp_perf_sampler_begin();
    timers.is_fast = timers.has_events && period_ns < cp_perf_sampler_tick_ns();
}

bool cp_thread_timer_is_fast(void)
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
    struct cp_signal_place *place = r->n ? cp_signal_enter(r->number) : NULL;
    struct cp_signal_samples *table;
    uint64_t ns = r->n * r->period_ns;

    if (!place) /* as long as we have one, the table stays */
        return;
    table = atomic_load(&cp_signal_sampler.cpu);
    if (table && r->slot && cp_signal_has_slot(table, r->slot)) {
        atomic_fetch_add(&r->slot->count, r->n);
        atomic_fetch_add(&r->slot->value, ns);
    } else if (table && r->start) {
        (void)cp_signal_add(table, &r->start, 1, tag, r->n, ns);
    } else if (table) {
        cp_signal_lose(table, r->n, ns);
    }
    cp_signal_leave(place);
}

/*
 * The kernel looks at the timers of a thread only when its clock ticks while
 * the thread runs, so what a thread has used since the last tick is missing
 * when it ends. Adds it, to the stack that was seen last or, if there was none,
 * to the function the thread began in.
 */
static void add_due(struct cp_signal_thread *t, uint64_t clock_ns)
{
    struct rest rest = { .n = cp_signal_due(t, clock_ns),
                         .period_ns = atomic_load(&t->cpu_period_ns),
                         .slot = atomic_load(&t->cpu_slot),
                         .start = t->start,
                         .labels = atomic_load(&t->labels),
                         .number = t->number };

    add_rest(&rest);
    atomic_fetch_add(&t->cpu_count, rest.n);
}

static uint64_t clock_of(const struct cp_signal_thread *t)
{
    return (uint64_t)cp_clock_ns(cp_timer_clock(atomic_load(&t->tid)));
}

/* The clock of a thread that is gone stands at 0: what it had is in samples. */
uint64_t cp_thread_timer_seen_ns(const struct cp_signal_thread *t)
{
    uint64_t period = atomic_load(&t->cpu_period_ns), clock_ns = clock_of(t);

    if (period == 0)
        return 0;
    return clock_ns >= t->cpu_from_ns ? clock_ns - t->cpu_from_ns
                                      : atomic_load(&t->cpu_count) * period;
}

uint64_t cp_thread_timer_past_ns(void)
{
    return timers.past_ns;
}

/*
 * A signal that was under way has been answered when the timer is gone. Ending
 * them takes time as well, so the clock is read last.
 */
void cp_thread_timer_stop(struct cp_signal_thread *t)
{
    if (atomic_load(&t->cpu_period_ns) == 0)
        return;
    if (t->timer_id != CP_NO_TIMER)
        cp_timer_delete(t->timer_id);
    t->timer_id = CP_NO_TIMER;
    cp_signal_perf_close(atomic_exchange(&t->perf, NULL));
    add_due(t, clock_of(t));
    timers.past_ns += cp_thread_timer_seen_ns(t);
    atomic_store(&t->cpu_period_ns, 0);
}

/* An event when the first period is over, and perhaps one after each. */
static bool start_event(struct cp_signal_thread *t, uint64_t clock_ns)
{
    int64_t left = (int64_t)(t->cpu_first_ns - clock_ns) -
                   atomic_load(&cp_signal_sampler.perf_lag_ns);

    t->perf_is_in_step = false;
    atomic_store(&t->perf_period_ns, timers.is_fast ? timers.period_ns : 0);
    return cp_traps_begin(t, atomic_load(&t->tid),
                          left > 0 ? (uint64_t)left : 1) == CP_TRAPS_BEGUN;
}

/*
 * Signals at the first_th period and all that follow; beside events of a higher
 * rate at every tick.
 */
static void start_timer(struct cp_signal_thread *t, uint64_t first)
{
    bool is_beside = timers.is_fast && atomic_load(&t->perf);
    uint64_t step = is_beside ? cp_perf_sampler_tick_ns() : timers.period_ns;

    t->timer_id = cp_timer_create(atomic_load(&t->tid), timers.sig,
                                  cp_signal_word(CP_SIGNAL_CPU, t->number));
    if (t->timer_id != CP_NO_TIMER)
        cp_timer_set(t->timer_id, t->cpu_first_ns + first * timers.period_ns,
                     step);
}

/*
 * Samples the thread from when its clock was from_ns on. What is due already
 * is added at once: a signal now would find us in the stack. If the kernel has
 * no timer for it, it is asked from time to time.
 */
static void start_from(struct cp_signal_thread *t, uint64_t from_ns,
                       bool is_new)
{
    uint64_t clock_ns = clock_of(t), n;
    bool has_event;

    atomic_store(&t->cpu_period_ns, timers.period_ns);
    atomic_store(&t->cpu_count, 0);
    atomic_store(&t->cpu_asked, 0);
    atomic_store(&t->cpu_slot, NULL);
    atomic_store(&t->perf_period_ns, 0);
    t->cpu_from_ns = from_ns;
    t->cpu_first_ns = from_ns + cp_timer_phase(timers.period_ns);
    add_due(t, clock_ns);
    n = atomic_load(&t->cpu_count);
    has_event = timers.has_events && (timers.is_fast || (is_new && n == 0)) &&
                start_event(t, clock_ns);
    start_timer(t, n + has_event);
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

bool cp_thread_timer_ask(struct cp_signal_thread *t)
{
    uint64_t n;

    if (t->timer_id != CP_NO_TIMER || atomic_load(&t->perf) ||
        atomic_load(&t->cpu_period_ns) == 0)
        return false;
    n = cp_signal_due(t, clock_of(t));
    if (n == 0)
        return true;
    atomic_store(&t->cpu_asked, n);
    atomic_store(&cp_signal_sampler.has_asked, true);
    cp_timer_send(atomic_load(&t->tid), timers.sig,
                  cp_signal_word(CP_SIGNAL_ASK, t->number));
    return true;
}

void cp_thread_timer_forget(struct cp_signal_thread *t)
{
    t->timer_id = CP_NO_TIMER;
    atomic_store(&t->perf, NULL);
    atomic_store(&t->cpu_period_ns, 0);
}
