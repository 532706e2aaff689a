/* perf_signals.c - opening, pausing and closing of the threads' perf events. */
#include "signal/signals/perf_signals.h"

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
#define MAX_POLLS 5000 /* half a second; opening takes microseconds */

static _Atomic bool are_allowed, have_been_allowed;
static _Atomic uint32_t n_opening; /* threads inside cp_perf_signals_open */
static _Atomic uint32_t n_forks;   /* forks in progress */

bool cp_perf_signals_is_from_library(const siginfo_t *info)
{
    uint64_t payload;

    if (cp_handler_state.cookie == 0)
        return false;
    if (info->si_code == SI_TIMER)
        payload = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    else if (!cp_signal_perf_payload(info, &payload))
        return false;
    return payload >> 32 == cp_handler_state.cookie;
}

void cp_perf_signals_allow(void)
{
    atomic_store(&have_been_allowed, true);
    atomic_store(&are_allowed, true);
}

/* See Ordering in perf_signals.h. */
static bool is_allowed(const struct cp_signal_thread *t)
{
    return atomic_load(&are_allowed) && !atomic_load(&t->perf.is_paused);
}

static bool open_event(struct cp_signal_thread *t, int32_t tid,
                       uint64_t period_ns)
{
    uint64_t payload =
        (uint64_t)(uintptr_t)cp_signal_payload(CP_SIGNAL_CPU, t->number);
    void *event = NULL;
    bool is_open = is_allowed(t) &&
                   cp_signal_perf_open(tid, period_ns, payload, &event) == 0;

    CP_ASSERT(is_open == (event != NULL));
    cp_signal_perf_close(atomic_exchange(&t->perf.event, event));
    if (!is_allowed(t))
        cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
    return is_open;
}

/*
 * A thread that forks increments n_forks first and then waits until n_opening
 * is 0. This thread increments n_opening first and then loads n_forks. So one
 * of the two sees the other.
 */
enum cp_perf_open_result cp_perf_signals_open(struct cp_signal_thread *t,
                                              int32_t tid, uint64_t period_ns)
{
    enum cp_perf_open_result result = CP_PERF_OPEN_RETRY;

    atomic_fetch_add(&n_opening, 1);
    if (atomic_load(&n_forks) == 0)
        result = open_event(t, tid, period_ns) ? CP_PERF_OPEN_OK
                                               : CP_PERF_OPEN_REFUSED;
    CP_ASSERT(atomic_load(&n_opening) > 0);
    atomic_fetch_sub(&n_opening, 1);
    return result;
}

/*
 * Waits until no thread is opening an event. The wait is limited to half a
 * second, because this handler may have interrupted the opening thread.
 */
static void await_openers(void)
{
    const struct timespec pause = { 0, POLL_NS };

    for (int i = 0; i < MAX_POLLS && atomic_load(&n_opening); i++)
        (void)CP_SYSCALL(SYS_nanosleep, (long)&pause, 0);
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
        CP_ASSERT(atomic_load(&n_forks) > 0);
        atomic_fetch_sub(&n_forks, 1);
    }
}

/*
 * Searches by tid: cp_signal_self is not set in a thread that a scan found and
 * that blocks all signals.
 */
static struct cp_signal_thread *find_self(void)
{
    int32_t tid = (int32_t)CP_SYSCALL(SYS_gettid, 0);
    struct cp_signal_thread *t;

    for (uint32_t i = 0; (t = cp_signal_thread_at(i)); i++)
        if (atomic_load(&t->tid) == tid)
            return t;
    return NULL;
}

/*
 * Discards a pending SIGTRAP of the library. A SIGTRAP from any other source is
 * queued again.
 */
static void discard_pending(void)
{
    const struct timespec no_wait = { 0, 0 };
    uint64_t pending = 0, mask = TRAP_MASK;
    siginfo_t info;

    (void)CP_SYSCALL(SYS_rt_sigpending, (long)&pending, MASK_BYTES);
    if (!(pending & TRAP_MASK) ||
        CP_SYSCALL(SYS_rt_sigtimedwait, (long)&mask, (long)&info,
                   (long)&no_wait, MASK_BYTES) != SIGTRAP ||
        cp_perf_signals_is_from_library(&info))
        return;
    (void)CP_SYSCALL(SYS_rt_tgsigqueueinfo, CP_SYSCALL(SYS_getpid, 0),
                     CP_SYSCALL(SYS_gettid, 0), SIGTRAP, (long)&info);
}

/*
 * Blocks SIGTRAP during the call, so that none is delivered between the steps.
 */
struct cp_signal_thread *cp_perf_signals_pause(void)
{
    struct cp_signal_thread *t;
    uint64_t mask = TRAP_MASK, before = 0;
    void *event = NULL;

    if (!atomic_load(&have_been_allowed))
        return NULL;
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, (long)&mask, (long)&before,
                     MASK_BYTES);
    t = find_self();
    if (t) {
        atomic_store(&t->perf.is_paused, true);
        event = atomic_exchange(&t->perf.event, NULL);
        cp_signal_perf_close(event);
    }
    discard_pending();
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
    if (atomic_load(&t->cpu.period_ns) == 0) /* the profile has ended */
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
    atomic_store(&have_been_allowed, false);
}
