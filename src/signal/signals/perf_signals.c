/* perf_signals.c - see perf_signals.h. */
#include "signal/signals/perf_signals.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#include "signal/signals/handler.h"
#include "signal/signals/mask.h"
#include "signal/signals/perf_event.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/syscall.h"

#define TRAP_MASK ((uint64_t)1 << (SIGTRAP - 1))
#define MASK_BYTES 8

#define POLL_NS 100000
#define MAX_NAPS 5000 /* whoever opens needs microseconds, if it can run */

static _Atomic bool are_allowed, were_allowed;
static _Atomic uint32_t n_opening, n_forks;

bool cp_perf_signals_is_from_library(const siginfo_t *info)
{
    uint64_t word;

    if (cp_handler_state.cookie == 0)
        return false;
    if (info->si_code == SI_TIMER)
        word = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    else if (!cp_signal_perf_payload(info, &word))
        return false;
    return word >> 32 == cp_handler_state.cookie;
}

void cp_perf_signals_allow(void)
{
    atomic_store(&were_allowed, true);
    atomic_store(&are_allowed, true);
}

/* Whoever forbids it looks for the event after that; we look the other way. */
static bool may_be(const struct cp_signal_thread *t)
{
    return atomic_load(&are_allowed) && !atomic_load(&t->perf.is_paused);
}

static bool open_event(struct cp_signal_thread *t, int32_t tid,
                       uint64_t period_ns)
{
    uint64_t word =
        (uint64_t)(uintptr_t)cp_signal_payload(CP_SIGNAL_CPU, t->number);
    void *event = NULL;
    bool is_open =
        may_be(t) && cp_signal_perf_open(tid, period_ns, word, &event) == 0;

    cp_signal_perf_close(atomic_exchange(&t->perf.event, event));
    if (!may_be(t))
        cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
    return is_open;
}

/*
 * Whoever forks, or forbids events, says so and then waits for those who are
 * at it; we look the other way.
 */
enum cp_perf_open_result cp_perf_signals_open(struct cp_signal_thread *t,
                                              int32_t tid, uint64_t period_ns)
{
    enum cp_perf_open_result begun = CP_PERF_OPEN_RETRY;

    atomic_fetch_add(&n_opening, 1);
    if (atomic_load(&n_forks) == 0)
        begun = open_event(t, tid, period_ns) ? CP_PERF_OPEN_OK
                                              : CP_PERF_OPEN_REFUSED;
    atomic_fetch_sub(&n_opening, 1);
    return begun;
}

/* Not for ever: it may be one that we do not let run. */
static void await_openers(void)
{
    const struct timespec nap = { 0, POLL_NS };

    for (int i = 0; i < MAX_NAPS && atomic_load(&n_opening); i++)
        (void)CP_SYSCALL(SYS_nanosleep, (long)&nap, 0);
}

void cp_perf_signals_before_fork(void)
{
    atomic_fetch_add(&n_forks, 1);
    await_openers();
}

void cp_perf_signals_after_fork(bool is_child)
{
    if (is_child) {
        atomic_store(&n_opening, 0);
        atomic_store(&n_forks, 0);
    } else {
        atomic_fetch_sub(&n_forks, 1);
    }
}

/* Not cp_signal_self: who blocks all signals may never have met its record. */
static struct cp_signal_thread *find_self(void)
{
    int32_t tid = (int32_t)CP_SYSCALL(SYS_gettid, 0);
    struct cp_signal_thread *t;

    for (uint32_t i = 0; (t = cp_signal_thread_at(i)); i++)
        if (atomic_load(&t->tid) == tid)
            return t;
    return NULL;
}

static void drop_waiting(void)
{
    const struct timespec at_once = { 0, 0 };
    uint64_t waiting = 0, mask = TRAP_MASK;
    siginfo_t info;

    (void)CP_SYSCALL(SYS_rt_sigpending, (long)&waiting, MASK_BYTES);
    if (!(waiting & TRAP_MASK) ||
        CP_SYSCALL(SYS_rt_sigtimedwait, (long)&mask, (long)&info,
                   (long)&at_once, MASK_BYTES) != SIGTRAP ||
        cp_perf_signals_is_from_library(&info))
        return;
    (void)CP_SYSCALL(SYS_rt_tgsigqueueinfo, CP_SYSCALL(SYS_getpid, 0),
                     CP_SYSCALL(SYS_gettid, 0), SIGTRAP, (long)&info);
}

/* SIGTRAP is blocked meanwhile, so that none comes in between. */
struct cp_signal_thread *cp_perf_signals_pause(void)
{
    struct cp_signal_thread *t;
    uint64_t mask = TRAP_MASK, before = 0;
    void *event = NULL;

    if (!atomic_load(&were_allowed))
        return NULL;
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, (long)&mask, (long)&before,
                     MASK_BYTES);
    t = find_self();
    if (t) {
        atomic_store(&t->perf.is_paused, true);
        event = atomic_exchange(&t->perf.event, NULL);
        cp_signal_perf_close(event);
    }
    drop_waiting();
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0,
                     MASK_BYTES);
    return t;
}

void cp_perf_signals_resume(struct cp_signal_thread *t)
{
    uint64_t period, before;

    if (!t)
        return;
    atomic_store(&t->perf.is_paused, false);
    period = atomic_load(&t->perf.period_ns);
    if (period == 0 || atomic_load(&t->cpu.period_ns) == 0)
        return;
    before = cp_signal_mask_block();
    t->perf.has_fired = true;
    (void)cp_perf_signals_open(t, 0, period);
    if (atomic_load(&t->cpu.period_ns) == 0) /* it was stopped meanwhile */
        cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
    cp_signal_mask_restore(before);
}

void cp_perf_signals_close_all(void)
{
    struct cp_signal_thread *t;

    atomic_store(&are_allowed, false);
    await_openers();
    for (uint32_t i = 0; (t = cp_signal_thread_at(i)); i++)
        cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
}

void cp_perf_signals_disable(void)
{
    cp_perf_signals_close_all();
    atomic_store(&were_allowed, false);
}
