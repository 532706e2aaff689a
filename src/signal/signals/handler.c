/* handler.c - see handler.h. */
#include "signal/signals/handler.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "signal/signals/perf_event.h"
#include "signal/signals/perf_signals.h"
#include "signal/tables/readers.h"
#include "signal/tables/samples.h"
#include "signal/tables/thread.h"
#include "signal/trace/trace.h"
#include "signal/unwinder/arch.h"
#include "signal/unwinder/regs.h"
#include "signal/unwinder/stack_reader.h"
#include "signal/unwinder/syscall.h"
#include "signal/unwinder/walk.h"
#include "signal/waits/waits.h"

#define TIMEOUT_NS 40000000u /* some ticks */
#define LAG_MAX_NS 100000
#define LAG_SLOW 32

struct cp_handler_state cp_handler_state;

struct sample {
    struct cp_signal_thread *thread;
    _Atomic(struct cp_signal_samples *) *table;
    uint64_t count, value;
    uint32_t state;
};

static void want_look(void)
{
    uint32_t nothing = CP_REFRESH_NONE;

    if (cp_handler_state.refresh_futex &&
        atomic_compare_exchange_strong(&cp_handler_state.refresh_request,
                                       &nothing, CP_REFRESH_REQUESTED))
        (void)CP_SYSCALL(SYS_futex, (long)cp_handler_state.refresh_futex,
                         FUTEX_WAKE_PRIVATE, 1);
}

/*
 * Walks and records. The table is looked up only once the place is taken:
 * whoever switches a table off waits for all places to be left.
 */
static struct cp_signal_slot *take(const struct sample *sample,
                                   const ucontext_t *context)
{
    struct cp_signal_thread *t = sample->thread;
    struct cp_reader_slot *place = cp_readers_enter(t->number);
    struct cp_signal_walk walk;
    struct cp_signal_regs regs;
    struct cp_signal_samples *table;
    struct cp_signal_slot *slot = NULL;

    if (!place) {
        atomic_fetch_add(&cp_handler_state.n_no_reader_slot, sample->count);
        return NULL;
    }
    table = atomic_load(sample->table);
    if (table) {
        struct cp_signal_tag tag = { atomic_load(&t->labels), sample->state };
        size_t n;

        cp_arch_regs(&regs, context);
        walk.table = cp_unwind_table();
        walk.reader =
            (struct cp_stack_reader){ .stack_low = atomic_load(&t->stack_low),
                                      .stack_high =
                                          atomic_load(&t->stack_high) };
        n = cp_signal_walk(&walk, regs, place->frames);
        slot = cp_signal_add(table, place->frames, n, tag, sample->count,
                             sample->value);
        atomic_fetch_add(&cp_handler_state.n_samples, sample->count);
        if (!slot)
            atomic_fetch_add(&cp_handler_state.n_full, sample->count);
        if (cp_trace_is_on() && sample->table == &cp_handler_state.cpu)
            cp_trace_sample(t, place->frames, n, cp_waits_now_ns());
        if (walk.end != CP_WALK_WHOLE)
            atomic_fetch_add(&cp_handler_state.n_truncated, sample->count);
        if (walk.hit_unmapped_pc)
            want_look();
    } else {
        atomic_fetch_add(&cp_handler_state.n_late, sample->count);
    }
    cp_readers_exit(place);
    return slot;
}

static void take_cpu(struct cp_signal_thread *t, uint64_t count,
                     const ucontext_t *context)
{
    struct sample sample = { .thread = t,
                             .table = &cp_handler_state.cpu,
                             .count = count };

    sample.value = count * atomic_load(&t->cpu.period_ns);
    if (sample.value == 0)
        return; /* nothing is due, or the profile is over */
    atomic_store(&t->cpu.slot, take(&sample, context));
    atomic_fetch_add(&t->cpu.count, count);
}

static uint64_t thread_clock(void)
{
    struct timespec now = { 0, 0 };

    (void)CP_SYSCALL(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What is due by the thread's clock. */
static uint64_t due_now(const struct cp_signal_thread *t)
{
    return cp_signal_periods_due(t, thread_clock());
}

/* How late the first event of a thread is; less than 0: early. */
static int64_t lateness(const struct cp_signal_thread *t)
{
    return (int64_t)(thread_clock() - t->cpu.first_ns);
}

/*
 * The first event of a thread comes so much later than it was asked for as it
 * takes to set it up, tens of microseconds, which is a part of a short thread's
 * life. So it is asked for earlier, until they are as late as they are early in
 * the mean. One that comes early is as good, unless it is much too early:
 * events count the time that a virtual machine was not given, the thread's
 * clock does not. Returns how long it must still wait; 0: it is due.
 */
static uint64_t early_by(const struct cp_signal_thread *t, int64_t late)
{
    int64_t lag = atomic_load(&cp_handler_state.perf_lag_ns);

    if (late < -LAG_MAX_NS)
        return (uint64_t)(-late - lag);
    if (late < LAG_MAX_NS && atomic_load(&t->cpu.count) == 0) {
        lag += late / LAG_SLOW;
        lag = lag < 0 ? 0 : lag > LAG_MAX_NS ? LAG_MAX_NS : lag;
        atomic_store(&cp_handler_state.perf_lag_ns, lag);
    }
    return 0;
}

/*
 * How many periods a signal of the thread's timer stands for: none if it was
 * behind an event that has come. Beside events of a higher rate, for what they
 * could not see: time in the kernel. So it waits for a tick that meets the
 * thread in a system call; but not for ever, because page faults are none.
 */
static uint64_t periods_of(const struct cp_signal_thread *t,
                           const siginfo_t *info, const ucontext_t *context)
{
    uint64_t n;

    if (t->perf.has_backup_timer)
        return due_now(t);
    if (atomic_load(&t->perf.period_ns) == 0)
        return 1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0);
    n = due_now(t);
    if (atomic_load(&t->perf.event) &&
        n * atomic_load(&t->cpu.period_ns) < TIMEOUT_NS &&
        !cp_arch_is_at_syscall_exit(context, cp_stack_reader_is_readable))
        return 0;
    return n;
}

/* Attributes the running time that the wall-clock sampler has seen so far. */
static void take_wall(struct cp_signal_thread *t, const ucontext_t *context)
{
    struct sample sample = { .thread = t,
                             .table = &cp_handler_state.wall,
                             .count = atomic_exchange(&t->wall.count, 0),
                             .value = atomic_exchange(&t->wall.value_ns, 0),
                             .state = CP_STATE_RUNNING };

    if (sample.value)
        atomic_store(&t->wall.running_slot, take(&sample, context));
}

/* Each thread has a sample of its own in that table, by its number. */
static void take_stack(struct cp_signal_thread *t, const ucontext_t *context)
{
    struct sample sample = { .thread = t,
                             .table = &cp_handler_state.stacks,
                             .count = 1,
                             .state = t->number + 1 };

    atomic_store(&t->stack_list.slot, take(&sample, context));
    atomic_fetch_add(&t->stack_list.n_replies, 1);
}

/* Copies all registers, for the search for leaks (runtime/heap/leak.h). */
static void take_registers(struct cp_signal_thread *t,
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
    /* The kernel's struct: handler, flags, restorer, mask. */
    const long to_default[4] = { 0 };
    uint64_t mask = (uint64_t)1 << (sig - 1);
    long pid = CP_SYSCALL(SYS_getpid, 0);

    (void)CP_SYSCALL(SYS_rt_sigaction, sig, (long)to_default, 0, 8);
    (void)CP_SYSCALL(SYS_kill, pid, sig);
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&mask, 0, 8);
}

/* A signal that is not ours, with the fate that it would have had. */
static void pass_on(const struct sigaction *old, int sig, siginfo_t *info,
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
 * The first signal of a thread that the runtime found by looking around. The
 * record may have been given to another since the signal was sent.
 */
static bool meet(struct cp_signal_thread *t)
{
    if (cp_signal_self || CP_SYSCALL(SYS_gettid, 0) != atomic_load(&t->tid))
        return false;
    cp_signal_self = t;
    return true;
}

/* The thread that a word of ours is for, if that is the current one. */
static struct cp_signal_thread *thread_of(uint64_t word)
{
    struct cp_signal_thread *t =
        cp_signal_thread_at((uint32_t)word & 0x0fffffff);

    return t && (cp_signal_self == t || meet(t)) ? t : NULL;
}

static void reply(struct cp_signal_thread *t, const ucontext_t *context)
{
    uint32_t requests = atomic_exchange(&t->requests.pending, 0);

    if (requests & CP_REQUEST_WALL)
        take_wall(t, context);
    if (requests & CP_REQUEST_STACK)
        take_stack(t, context);
    if (requests & CP_REQUEST_REGISTERS)
        take_registers(t, context);
}

void cp_signal_handle(int sig, siginfo_t *info, void *context)
{
    uint64_t word = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    struct cp_signal_thread *t;

    if (!cp_signal_is_from_timer(info)) {
        pass_on(&cp_handler_state.previous, sig, info, context);
        return;
    }
    t = thread_of(word);
    if (!t)
        return;
    switch ((enum cp_signal_source)(word >> 28 & 0xf)) {
    case CP_SIGNAL_CPU:
        take_cpu(t, periods_of(t, info, context), context);
        break;
    case CP_SIGNAL_REQUEST:
        reply(t, context);
        break;
    }
}

/* Of a thread's events; it counts even if it is a little early. */
static bool is_first(const struct cp_signal_thread *t)
{
    return !t->perf.has_fired && atomic_load(&t->cpu.count) == 0;
}

/*
 * The first event comes at a random time; the next ones, if there are to be
 * any, in step. Somebody may be ending the profile meanwhile.
 */
static void go_on(struct cp_signal_thread *t, uint64_t wait_ns)
{
    uint64_t period = wait_ns ? wait_ns : atomic_load(&t->perf.period_ns);

    if (!t->perf.has_fired && period == 0) {
        cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
        t->perf.has_fired = true;
    } else if (!t->perf.has_fired &&
               cp_perf_signals_open(t, 0, period) != CP_PERF_OPEN_RETRY) {
        t->perf.has_fired = wait_ns == 0;
    } /* or the same one comes again */
    if (atomic_load(&t->cpu.period_ns) == 0)
        cp_signal_perf_close(atomic_exchange(&t->perf.event, NULL));
}

void cp_signal_handle_trap(int sig, siginfo_t *info, void *context)
{
    struct cp_signal_thread *t;
    uint64_t word, wait_ns = 0;

    if (!cp_perf_signals_is_from_library(info) ||
        !cp_signal_perf_payload(info, &word)) {
        const struct sigaction by_default = { .sa_handler = SIG_DFL };

        pass_on(&by_default, sig, info, context);
        return;
    }
    t = thread_of(word);
    if (!t || !atomic_load(&t->perf.event))
        return; /* who began it has not got so far, and it will come again */
    if (!t->perf.has_fired) {
        int64_t late = lateness(t);

        if (late < -t->perf.retry_ns / 2 && t->perf.retry_ns)
            return; /* it comes again in time */
        wait_ns = early_by(t, late);
    }
    if (atomic_load(&t->cpu.period_ns) && wait_ns == 0)
        take_cpu(t, is_first(t) || due_now(t) > 0, context);
    go_on(t, wait_ns);
}
