/* handler.c - takes samples and replies to requests, in signal handlers. */
#include "signal/signals/handler.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "signal/signals/perf_event.h"
#include "signal/signals/perf_signals.h"
#include "signal/tables/readers.h"
#include "signal/unwinder/syscall.h"
#include "signal/waits/waits.h"

/*
 * CPU time without a perf event after which the timer records the thread
 * wherever it is.
 */
#define KERNEL_TIME_TIMEOUT_NS 40000000u
#define MAX_LAG_NS 100000
#define NUMBER_MASK (((uint32_t)1 << CP_SIGNAL_NUMBER_BITS) - 1)
#define LAG_WEIGHT 32 /* events in the moving average of the lag */

struct cp_handler_state cp_handler_state;

struct sample {
    struct cp_signal_thread *thread;
    _Atomic(struct cp_signal_samples *) *table;
    uint64_t count, value;
    uint32_t state;
};

/* Wakes the refresh thread, unless a handler did so since its last refresh. */
static void request_refresh(void)
{
    uint32_t none = CP_REFRESH_NONE;

    if (cp_handler_state.refresh_futex &&
        atomic_compare_exchange_strong(&cp_handler_state.refresh_request, &none,
                                       CP_REFRESH_REQUESTED))
        (void)CP_SYSCALL(SYS_futex, (long)cp_handler_state.refresh_futex,
                         FUTEX_WAKE_PRIVATE, 1);
}

/*
 * Walks the interrupted stack and adds it to a table. The pointer to the table
 * is loaded inside the reader slot: a thread that switches a profile off stores
 * NULL and waits for a grace period.
 */
static struct cp_signal_slot *record(const struct sample *sample,
                                     const ucontext_t *context)
{
    struct cp_signal_thread *t = sample->thread;
    struct cp_reader_slot *reader = cp_readers_enter(t->number);
    struct cp_signal_walk walk;
    struct cp_signal_regs regs;
    struct cp_signal_samples *table;
    struct cp_signal_slot *slot = NULL;

    CP_ASSERT(cp_signal_self == t);
    if (!reader) {
        atomic_fetch_add(&cp_handler_state.n_no_reader_slot, sample->count);
        return NULL;
    }
    table = atomic_load(sample->table);
    if (table) {
        struct cp_signal_tag tag = { atomic_load(&t->labels), sample->state };
        size_t n;

        cp_arch_regs(&regs, context);
        walk.table = cp_unwind_table_current();
        walk.reader =
            (struct cp_stack_reader){ .stack_low = atomic_load(&t->stack_low),
                                      .stack_high =
                                          atomic_load(&t->stack_high) };
        n = cp_signal_walk(&walk, regs, reader->frames);
        CP_ASSERT(n <= CP_WALK_MAX);
        slot = cp_signal_add(table, reader->frames, n, tag, sample->count,
                             sample->value);
        atomic_fetch_add(&cp_handler_state.n_samples, sample->count);
        if (!slot)
            atomic_fetch_add(&cp_handler_state.n_full, sample->count);
        if (cp_trace_is_on() && sample->table == &cp_handler_state.cpu)
            cp_trace_sample(t, reader->frames, n, cp_waits_now_ns());
        if (walk.end != CP_WALK_WHOLE)
            atomic_fetch_add(&cp_handler_state.n_truncated, sample->count);
        if (walk.hit_unmapped_pc)
            request_refresh();
    } else {
        atomic_fetch_add(&cp_handler_state.n_late, sample->count);
    }
    cp_readers_exit(reader);
    return slot;
}

static void record_cpu(struct cp_signal_thread *t, uint64_t count,
                       const ucontext_t *context)
{
    struct sample sample = { .thread = t,
                             .table = &cp_handler_state.cpu,
                             .count = count };

    sample.value = count * atomic_load(&t->cpu.period_ns);
    if (sample.value == 0)
        return; /* no period is due, or the profile has ended */
    atomic_store(&t->cpu.slot, record(&sample, context));
    atomic_fetch_add(&t->cpu.count, count);
}

static uint64_t thread_clock_ns(void)
{
    struct timespec now = { 0, 0 };

    (void)CP_SYSCALL(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Periods that are over by the thread's clock and not recorded yet. */
static uint64_t periods_due_now(const struct cp_signal_thread *t)
{
    return cp_signal_periods_due(t, thread_clock_ns());
}

/*
 * Returns the delay of the thread's first event in ns; negative if it is early.
 */
static int64_t lateness_ns(const struct cp_signal_thread *t)
{
    return (int64_t)(thread_clock_ns() - t->cpu.first_ns);
}

/*
 * Returns the time in ns until the first event of a thread is due, or 0 if it
 * is due now. Opening an event takes tens of microseconds, so the first event
 * fires late by that much, which matters for short threads. perf_lag_ns is the
 * mean delay; the runtime programs first events earlier by it. So some events
 * fire slightly early and count as due. An event that fires much too early is
 * repeated: events count time that the hypervisor stole, but the thread's clock
 * does not.
 */
static uint64_t remaining_ns(const struct cp_signal_thread *t, int64_t late)
{
    int64_t lag = atomic_load(&cp_handler_state.perf_lag_ns);

    if (late < -MAX_LAG_NS)
        return (uint64_t)(-late - lag);
    if (late < MAX_LAG_NS && atomic_load(&t->cpu.count) == 0) {
        lag += late / LAG_WEIGHT;
        lag = lag < 0 ? 0 : lag > MAX_LAG_NS ? MAX_LAG_NS : lag;
        CP_ASSERT(lag >= 0 && lag <= MAX_LAG_NS);
        atomic_store(&cp_handler_state.perf_lag_ns, lag);
    }
    return 0;
}

/*
 * Returns the number of periods that a timer signal stands for.
 * - A backup timer counts only the periods that its event has not recorded.
 * - A timer without events counts itself and its overruns.
 * - A timer beside periodic events counts time in the kernel, where events do
 *   not fire. It waits for a tick inside a system call, at most
 *   KERNEL_TIME_TIMEOUT_NS, because a page fault is not a system call.
 */
static uint64_t periods_of_signal(const struct cp_signal_thread *t,
                                  const siginfo_t *info,
                                  const ucontext_t *context)
{
    uint64_t n;

    if (t->perf.has_backup_timer)
        return periods_due_now(t);
    if (atomic_load(&t->perf.period_ns) == 0)
        return 1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0);
    n = periods_due_now(t);
    if (atomic_load(&t->perf.event) &&
        n * atomic_load(&t->cpu.period_ns) < KERNEL_TIME_TIMEOUT_NS &&
        !cp_arch_is_at_syscall_exit(context, cp_stack_reader_is_readable))
        return 0;
    return n;
}

/* Attributes the running time that the wall-clock sampler has measured. */
static void reply_wall(struct cp_signal_thread *t, const ucontext_t *context)
{
    struct sample sample = { .thread = t,
                             .table = &cp_handler_state.wall,
                             .count = atomic_exchange(&t->wall.count, 0),
                             .value = atomic_exchange(&t->wall.value_ns, 0),
                             .state = CP_STATE_RUNNING };

    if (sample.value)
        atomic_store(&t->wall.running_slot, record(&sample, context));
}

/* The state tag makes a separate sample for each thread. */
static void reply_stack(struct cp_signal_thread *t, const ucontext_t *context)
{
    struct sample sample = { .thread = t,
                             .table = &cp_handler_state.stacks,
                             .count = 1,
                             .state = t->number + 1 };

    atomic_store(&t->stack_list.slot, record(&sample, context));
    atomic_fetch_add(&t->stack_list.n_replies, 1);
}

/* Copies all registers, for the leak search (runtime/heap/leak.h). */
static void reply_registers(struct cp_signal_thread *t,
                            const ucontext_t *context)
{
    const uintptr_t *words = (const void *)&context->uc_mcontext;
    struct cp_signal_regs regs;

    cp_arch_regs(&regs, context);
    for (size_t i = 0; i < CP_SIGNAL_REGISTERS_MAX; i++)
        t->registers.values[i] = words[i];
    t->registers.sp = regs.sp;
    atomic_fetch_add_explicit(&t->registers.n_replies, 1, memory_order_release);
}

void cp_signal_raise_default(int sig)
{
    /* The kernel's struct sigaction: handler, flags, restorer, mask. */
    const long to_default[4] = { 0 };
    uint64_t mask = (uint64_t)1 << (sig - 1);
    long pid = CP_SYSCALL(SYS_getpid, 0);

    (void)CP_SYSCALL(SYS_rt_sigaction, sig, (long)to_default, 0, 8);
    (void)CP_SYSCALL(SYS_kill, pid, sig);
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&mask, 0, 8);
}

/* Applies the program's action to a signal that the library did not send. */
static void forward(const struct sigaction *old, int sig, siginfo_t *info,
                    void *context)
{
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(sig, info, context);
    } else if (old->sa_handler == SIG_DFL) {
        cp_signal_raise_default(sig);
    } else if (old->sa_handler != SIG_IGN) {
        old->sa_handler(sig);
    }
}

/*
 * Sets cp_signal_self at the first signal of a thread that a scan of /proc
 * found. The tid check rejects a late signal if a new thread has reused the
 * record.
 */
static bool register_self(struct cp_signal_thread *t)
{
    if (cp_signal_self || CP_SYSCALL(SYS_gettid, 0) != atomic_load(&t->tid))
        return false;
    cp_signal_self = t;
    return true;
}

/*
 * Returns the record that a payload names, or NULL if it is not the record of
 * the current thread.
 */
static struct cp_signal_thread *thread_of_payload(uint64_t payload)
{
    struct cp_signal_thread *t =
        cp_signal_thread_at((uint32_t)payload & NUMBER_MASK);

    CP_ASSERT(!t || t->number == ((uint32_t)payload & NUMBER_MASK));
    return t && (cp_signal_self == t || register_self(t)) ? t : NULL;
}

/* Serves all pending requests; one signal may stand for several. */
static void reply(struct cp_signal_thread *t, const ucontext_t *context)
{
    uint32_t requests = atomic_exchange(&t->requests.pending, 0);

    if (requests & CP_REQUEST_WALL)
        reply_wall(t, context);
    if (requests & CP_REQUEST_STACK)
        reply_stack(t, context);
    if (requests & CP_REQUEST_REGISTERS)
        reply_registers(t, context);
}

void cp_signal_handle(int sig, siginfo_t *info, void *context)
{
    uint64_t payload = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    struct cp_signal_thread *t;

    if (!cp_signal_is_from_timer(info)) {
        forward(&cp_handler_state.previous, sig, info, context);
        return;
    }
    t = thread_of_payload(payload);
    if (!t)
        return;
    switch ((enum cp_signal_source)(payload >> CP_SIGNAL_NUMBER_BITS & 0xf)) {
    case CP_SIGNAL_CPU:
        record_cpu(t, periods_of_signal(t, info, context), context);
        break;
    case CP_SIGNAL_REQUEST:
        reply(t, context);
        break;
    }
}

/* Whether this is the first event. It counts even if it is slightly early. */
static bool is_first(const struct cp_signal_thread *t)
{
    return !t->perf.has_fired && atomic_load(&t->cpu.count) == 0;
}

/*
 * Programs the next event. The first one fires after a random part of a period;
 * from then on they fire each perf.period_ns, or never if that is 0. wait_ns is
 * not 0 if the first one was too early and must fire again. The runtime may end
 * the profile during this call, so the function checks cpu.period_ns last and
 * closes the event if it is 0.
 */
static void rearm_event(struct cp_signal_thread *t, uint64_t wait_ns)
{
    uint64_t period = wait_ns ? wait_ns : atomic_load(&t->perf.period_ns);

    if (!t->perf.has_fired && period == 0) {
        cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
        t->perf.has_fired = true;
    } else if (!t->perf.has_fired &&
               cp_perf_signals_open(t, 0, period) != CP_PERF_OPEN_RETRY) {
        t->perf.has_fired = wait_ns == 0;
    } /* otherwise the same event fires again */
    if (atomic_load(&t->cpu.period_ns) == 0)
        cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
}

void cp_signal_handle_trap(int sig, siginfo_t *info, void *context)
{
    struct cp_signal_thread *t;
    uint64_t payload, wait_ns = 0;

    if (!cp_perf_signals_is_from_library(info) ||
        !cp_signal_perf_payload(info, &payload)) {
        const struct sigaction by_default = { .sa_handler = SIG_DFL };

        forward(&by_default, sig, info, context);
        return;
    }
    t = thread_of_payload(payload);
    if (!t || !atomic_load(&t->perf.event))
        return; /* not published by the runtime yet; it fires again */
    if (!t->perf.has_fired) {
        int64_t late = lateness_ns(t);

        if (late < -t->perf.retry_ns / 2 && t->perf.retry_ns)
            return; /* too early; the event fires again */
        wait_ns = remaining_ns(t, late);
    }
    if (atomic_load(&t->cpu.period_ns) && wait_ns == 0)
        record_cpu(t, is_first(t) || periods_due_now(t) > 0, context);
    rearm_event(t, wait_ns);
}
