/*
 * sampler.c - see sampler.h.
 *
 * The own thread looks five times a second whether objects have come or gone,
 * and at once when a sample meets code that it does not know; once a second for
 * threads and for generated code. When the last window closes it
 * ends, or slows down if hooks need the map; the handler stays, for signals
 * that are under way.
 *
 * Only that thread enters the loader, which has a lock: in the child of a fork
 * it may be held for ever, by a thread that exists in the parent alone. Others
 * wait for it for a while, and go on with the map that there is.
 */
#include "runtime/stacks/sampler.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/os/clock.h"
#include "runtime/os/lock.h"
#include "runtime/os/timer.h"
#include "runtime/stacks/unwind_publisher.h"
#include "runtime/symbolize/unloaded_modules.h"
#include "runtime/threads/hooks_bypassed.h"
#include "runtime/threads/main_thread_exit.h"
#include "runtime/threads/own_thread.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/sigaltstack_sharing.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/signals/mask.h"
#include "signal/signals/perf_signals.h"
#include "signal/signals/signal_shield.h"
#include "signal/tables/readers.h"
#include "signal/unwinder/syscall.h"

#define TICK_NS 200000000
#define SLOW_TICK_NS 250000000 /* while only hooks look at the map */
#define FAST_TICK_NS 50000000  /* while threads have to be found */
#define SCAN_NS 1000000000
#define TIMEOUT_NS 1000000000
#define REFRESH_TIMEOUT_AFTER_FAILURE_NS 10000000 /* once it was in vain */
#define MAX_KEEPERS 2

struct cp_lock cp_sampler_lock;

static struct {
    struct cp_sampler_options options;
    _Atomic size_t n_windows;
    _Atomic bool is_watching; /* for hooks; the thread does not end */
    _Atomic int signal;
    _Atomic uint64_t once_ours; /* a bit for each signal that has been */
    _Atomic pid_t pid;          /* the process that it is of */
    _Atomic uint32_t round;     /* odd: the thread of that round is to run */
    _Atomic uint32_t n_asked;   /* looks at it all; the thread sleeps on it */
    _Atomic uint32_t n_served;  /* of those, or of ones that were asked later */
    _Atomic int n_keepers;      /* threads that are there */
    bool was_in_vain;
    _Atomic(cp_sampler_guest *) guest;
} sampler;

void cp_sampler_configure(const struct cp_sampler_options *options)
{
    sampler.options = *options;
    cp_unwind_publisher_configure(options->table_bytes);
}

int cp_sampler_signal(void)
{
    return atomic_load(&sampler.signal);
}

static bool is_free(int sig)
{
    struct sigaction now;

    return sigaction(sig, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
           now.sa_handler == SIG_DFL;
}

/* Asks the kernel: our own hook of sigaction tells what the program has set. */
static bool is_handler(int sig, void (*handler)(int, siginfo_t *, void *))
{
    uintptr_t now[4] = { 0 }; /* the kernel's struct: the handler is first */

    return CP_SYSCALL(SYS_rt_sigaction, sig, 0, (long)now, 8) == 0 &&
           now[0] == (uintptr_t)handler;
}

static bool is_ours(int sig)
{
    return is_handler(sig, cp_signal_handle);
}

int cp_sampler_choice(void)
{
    int sig = cp_sampler_signal();

    if (sig)
        return sig;
    if (sampler.options.signal)
        return sampler.options.signal;
    if (is_free(SIGPROF))
        return SIGPROF;
    for (sig = SIGRTMAX - 1; sig > SIGRTMIN; sig--)
        if (is_free(sig))
            return sig;
    return SIGRTMAX - 1; /* who has all of them (Go) is told of its own */
}

static enum cp_status install(int sig, struct cp_error *err)
{
    struct sigaction ours = { .sa_sigaction = cp_signal_handle,
                              .sa_flags = SA_SIGINFO | SA_RESTART |
                                          cp_sigaltstack_flag() };

    cp_signal_mask_fill(&ours.sa_mask);
    if (sigaction(sig, NULL, &cp_handler_state.previous) != 0 ||
        sigaction(sig, &ours, NULL) != 0)
        return cp_error_set(err, CP_EIO, "signal %d: %s", sig, strerror(errno));
    atomic_store(&sampler.signal, sig);
    atomic_store(&sampler.pid, getpid());
    atomic_fetch_or(&sampler.once_ours, (uint64_t)1 << (sig - 1));
    cp_threads_set_signal(sig);
    return CP_OK;
}

/*
 * The program may have put a handler of its own over ours since; then the
 * signal is left to it and we look for another.
 */
static enum cp_status have_handler(struct cp_error *err)
{
    int sig = cp_sampler_signal();

    if (sig && is_ours(sig))
        return CP_OK;
    cp_handler_state.refresh_futex = &sampler.n_asked;
    if (!cp_handler_state.cookie)
        cp_handler_state.cookie = (uint32_t)cp_timer_random(UINT32_MAX - 1);
    atomic_store(&sampler.signal, 0);
    return install(cp_sampler_choice(), err);
}

static long sleep_on(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
    const struct timespec span = cp_clock_span(ns);

    return CP_SYSCALL(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value,
                      (long)&span);
}

static void wake(_Atomic uint32_t *word)
{
    (void)CP_SYSCALL(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

/* Has the sampler's thread look at it all; says which of these that is. */
static uint32_t ask(void)
{
    uint32_t asked = atomic_fetch_add(&sampler.n_asked, 1) + 1;

    wake(&sampler.n_asked);
    return asked;
}

bool cp_sampler_knows(int sig)
{
    return sig > 0 && sig <= 64 &&
           atomic_load_explicit(&sampler.once_ours, memory_order_relaxed) >>
                   (sig - 1) &
               1;
}

static bool is_plain(const struct sigaction *act, void (*handler)(int))
{
    return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == handler;
}

/* What the program believes that it has set. */
static int ask_action(cp_sigaction_fn *next, int sig, struct sigaction *out)
{
    if (is_ours(sig)) {
        *out = cp_handler_state.previous;
        return 0;
    }
    if (next(sig, NULL, out) != 0)
        return -1;
    cp_signal_shield_unwrap(sig, out);
    return 0;
}

/*
 * Ours stays where the program wants the default. Else the thread that keeps up
 * finds another signal; until then samples are dropped on the way. The memory
 * of a child of vfork is its parent's.
 */
static int set_action(cp_sigaction_fn *next, int sig,
                      const struct sigaction *act)
{
    struct sigaction wrapped;
    int failed;

    if ((!is_ours(sig) && !is_handler(sig, cp_signal_shield_handle)) ||
        act->sa_sigaction == cp_signal_handle || is_plain(act, SIG_IGN) ||
        atomic_load(&sampler.pid) != CP_SYSCALL(SYS_getpid, 0)) {
        failed = next(sig, act, NULL);
    } else if (is_ours(sig) && is_plain(act, SIG_DFL)) {
        cp_handler_state.previous = *act;
        return 0;
    } else {
        cp_signal_shield_wrap(sig, act, &wrapped);
        failed = next(sig, &wrapped, NULL);
    }
    (void)ask();
    return failed;
}

int cp_sampler_take_signal(cp_sigaction_fn *next, int sig,
                           const struct sigaction *act, struct sigaction *old)
{
    struct sigaction before;
    int failed = ask_action(next, sig, &before);

    if (!failed && act)
        failed = set_action(next, sig, act);
    if (!failed && old)
        *old = before;
    return failed;
}

/* By the kernel's struct: what is installed stays, but for that flag. */
static void leave_alt_stack(int sig)
{
    uint64_t now[4] = { 0 }; /* handler, flags, restorer, mask */

    if (CP_SYSCALL(SYS_rt_sigaction, sig, 0, (long)now, 8) != 0)
        return;
    now[1] &= ~(uint64_t)SA_ONSTACK;
    (void)CP_SYSCALL(SYS_rt_sigaction, sig, (long)now, 0, 8);
}

void cp_sampler_leave_alt_stack(void)
{
    int sig = cp_sampler_signal();

    if (sig && is_ours(sig))
        leave_alt_stack(sig);
    if (is_handler(SIGTRAP, cp_signal_handle_trap))
        leave_alt_stack(SIGTRAP);
}

/* The same, but for that signal in the mask. */
static void set_blocked(int ours, int sig, bool is_blocked)
{
    uint64_t now[4] = { 0 }, bit = (uint64_t)1 << (sig - 1);

    if (CP_SYSCALL(SYS_rt_sigaction, ours, 0, (long)now, 8) != 0 ||
        !!(now[3] & bit) == is_blocked)
        return;
    now[3] ^= bit;
    (void)CP_SYSCALL(SYS_rt_sigaction, ours, (long)now, 0, 8);
}

void cp_sampler_note_action(int sig)
{
    int ours = cp_sampler_signal();
    bool is_blocked;

    if (!ours)
        return;
    is_blocked = !cp_signal_mask_is_ignored(sig);
    if (is_ours(ours))
        set_blocked(ours, sig, is_blocked);
    if (is_handler(SIGTRAP, cp_signal_handle_trap))
        set_blocked(SIGTRAP, sig, is_blocked);
}

/*
 * Once a second: threads that we do not know, a handler that is not ours. Who
 * has the lock may wait for this thread, and has seen to the handler.
 */
static void look_around(uint32_t round)
{
    if (atomic_load(&sampler.n_windows) == 0)
        return;
    (void)cp_threads_scan(NULL);
    cp_threads_check_events();
    if (!cp_lock_try(&cp_sampler_lock))
        return;
    if (atomic_load(&sampler.round) == round &&
        atomic_load(&sampler.n_windows) > 0)
        (void)have_handler(NULL);
    cp_lock_release(&cp_sampler_lock);
}

/* Was it that what a handler wanted? From now on it is the other. */
static bool serve_want(enum cp_refresh_request from, enum cp_refresh_request to)
{
    uint32_t now = from;

    return atomic_compare_exchange_strong(&cp_handler_state.refresh_request,
                                          &now, to);
}

/* Finds new threads where no hook reports them; returns the time to sleep. */
static int64_t look_at_threads(bool is_idle)
{
    bool has_maker = cp_own_thread_has_maker() && !cp_hooks_are_bypassed();

    if (is_idle)
        return SLOW_TICK_NS;
    if (!has_maker)
        (void)cp_threads_scan(NULL); /* nobody tells us of them */
    return has_maker ? TICK_NS : FAST_TICK_NS;
}

/* Sleeps, with the guest's turns in between; false: it was woken. */
static bool sleep_out(uint32_t asked, int64_t ns)
{
    int64_t end = cp_clock_ns(CLOCK_MONOTONIC) + ns, left = ns;
    long result;

    do {
        cp_sampler_guest *guest = atomic_load(&sampler.guest);
        int64_t span = guest ? guest() : left;

        result = sleep_on(&sampler.n_asked, asked, span < left ? span : left);
        left = end - cp_clock_ns(CLOCK_MONOTONIC);
    } while (result == -ETIMEDOUT && left > 0);
    return result != 0;
}

/* Sleeps, unless more was asked for; what handlers want is looked at next. */
static void rest(uint32_t asked, int64_t ns)
{
    bool is_over = sleep_out(asked, ns);

    if (!serve_want(CP_REFRESH_REQUESTED, CP_REFRESH_SERVED) && is_over)
        (void)serve_want(CP_REFRESH_SERVED, CP_REFRESH_NONE);
}

/* Also says how much is asked for: who ends the round asks after that. */
static bool is_wanted(uint32_t round, uint32_t *asked)
{
    *asked = atomic_load(&sampler.n_asked);
    return atomic_load(&sampler.round) == round;
}

static void refresh(uint32_t round, uint32_t asked, int64_t *since_scan)
{
    bool is_idle = atomic_load(&sampler.n_windows) == 0;
    bool is_scan =
        *since_scan >= SCAN_NS || asked != atomic_load(&sampler.n_served);
    int64_t span;

    cp_main_thread_exit_detect();
    (void)cp_unwind_publisher_look(is_scan, NULL);
    atomic_store(&sampler.n_served, asked);
    wake(&sampler.n_served);
    if (is_scan)
        look_around(round);
    span = look_at_threads(is_idle);
    *since_scan = is_scan ? span : *since_scan + span;
    rest(asked, span);
}

static void keep_up(void *arg)
{
    uint32_t round = (uint32_t)(uintptr_t)arg, asked;
    int64_t since_scan = SCAN_NS;

    while (is_wanted(round, &asked)) {
        if (cp_own_thread_is_pausing())
            return; /* it is called again, so it stays counted */
        refresh(round, asked, &since_scan);
    }
    atomic_fetch_sub(&sampler.n_keepers, 1);
}

static enum cp_status start_keeper(struct cp_error *err)
{
    uint32_t round = atomic_fetch_add(&sampler.round, 1) + 1;
    enum cp_status status;

    if (atomic_fetch_add(&sampler.n_keepers, 1) >= MAX_KEEPERS) {
        atomic_fetch_sub(&sampler.n_keepers, 1);
        return CP_OK; /* they do not come back from the loader */
    }
    status = cp_own_thread_start("cpprof-sampler", keep_up,
                                 (void *)(uintptr_t)round, err);
    if (status != CP_OK) {
        atomic_fetch_sub(&sampler.n_keepers, 1);
        atomic_fetch_add(&sampler.round, 1);
    }
    return status;
}

/* Waits for a look that began after it was asked for. */
static void await_look(uint32_t asked)
{
    int64_t end =
        cp_clock_ns(CLOCK_MONOTONIC) +
        (sampler.was_in_vain ? REFRESH_TIMEOUT_AFTER_FAILURE_NS : TIMEOUT_NS);
    uint32_t served;

    while ((int32_t)((served = atomic_load(&sampler.n_served)) - asked) < 0) {
        int64_t left = end - cp_clock_ns(CLOCK_MONOTONIC);

        if (left <= 0) {
            sampler.was_in_vain = true;
            return;
        }
        (void)sleep_on(&sampler.n_served, served, left);
    }
    sampler.was_in_vain = false;
}

/* The thread is there and, if waits, has had a look. */
static enum cp_status have_refresh_thread(bool waits, struct cp_error *err)
{
    bool is_there = sampler.is_watching || atomic_load(&sampler.n_windows) > 0;
    uint32_t asked = ask();
    enum cp_status status = is_there ? CP_OK : start_keeper(err);

    if (status == CP_OK && waits)
        await_look(asked);
    return status;
}

static enum cp_status open_window(bool has_time, struct cp_error *err)
{
    enum cp_status status = have_handler(err);

    if (status == CP_OK)
        status = cp_threads_scan(err);
    if (status == CP_OK && (!has_time || atomic_load(&sampler.n_windows) == 0))
        status = have_refresh_thread(true, err);
    if (status == CP_OK)
        atomic_fetch_add(&sampler.n_windows, 1);
    return status;
}

enum cp_status cp_sampler_open(struct cp_error *err)
{
    return open_window(true, err);
}

enum cp_status cp_sampler_open_now(struct cp_error *err)
{
    return open_window(false, err);
}

static enum cp_status watch(bool waits, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    cp_lock_acquire(&cp_sampler_lock);
    if (!sampler.is_watching) {
        status = have_refresh_thread(waits, err);
        sampler.is_watching = status == CP_OK;
    }
    cp_lock_release(&cp_sampler_lock);
    return status;
}

enum cp_status cp_sampler_watch(struct cp_error *err)
{
    return watch(true, err);
}

enum cp_status cp_sampler_watch_soon(struct cp_error *err)
{
    return watch(false, err);
}

void cp_sampler_unwatch(void)
{
    cp_lock_acquire(&cp_sampler_lock);
    if (sampler.is_watching && atomic_load(&sampler.n_windows) == 0) {
        atomic_fetch_add(&sampler.round, 1);
        (void)ask();
    }
    sampler.is_watching = false;
    cp_lock_release(&cp_sampler_lock);
}

void cp_sampler_close(void)
{
    if (atomic_fetch_sub(&sampler.n_windows, 1) > 1)
        return;
    cp_threads_end_requests();
    if (sampler.is_watching)
        return;
    atomic_fetch_add(&sampler.round, 1);
    (void)ask();
}

void cp_sampler_wake(void)
{
    (void)ask();
}

void cp_sampler_set_guest(cp_sampler_guest *guest)
{
    atomic_store(&sampler.guest, guest);
    if (guest)
        (void)ask();
}

/*
 * Signals of ours may still be on their way, and at their default they would
 * end the program: the kernel drops them all when they are to be ignored.
 */
static void give_signal_back(void)
{
    struct sigaction ignored = { .sa_handler = SIG_IGN };
    int sig = cp_sampler_signal();

    if (!sig || !is_ours(sig))
        return;
    (void)sigaction(sig, &ignored, NULL);
    (void)sigaction(sig, &cp_handler_state.previous, NULL);
    atomic_store(&sampler.signal, 0);
}

/* Whether the threads that look after the map have ended, in a while. */
static bool await_keepers(void)
{
    const struct timespec nap = { 0, 1000000 };
    int left = 1000;

    while (atomic_load(&sampler.n_keepers) > 0 && left-- > 0)
        (void)nanosleep(&nap, NULL);
    return left > 0;
}

void cp_sampler_retire(void)
{
    cp_lock_acquire(&cp_sampler_lock);
    if (atomic_load(&sampler.n_windows) == 0 && !sampler.is_watching) {
        give_signal_back();
        cp_perf_sampler_retire();
        if (await_keepers())
            cp_unwind_publisher_free();
    }
    cp_lock_release(&cp_sampler_lock);
}

void cp_sampler_seal(void)
{
    give_signal_back();
    atomic_store(&sampler.once_ours, 0);
    cp_perf_sampler_retire();
    cp_perf_signals_disable();
}

bool cp_sampler_after_fork(void)
{
    bool was_watching = sampler.is_watching;

    cp_unwind_publisher_after_fork();
    atomic_store(&sampler.n_windows, 0);
    sampler.is_watching = false;
    sampler.was_in_vain = false;
    atomic_store(&sampler.pid, getpid());
    for (int sig = 1; sig <= 64; sig++)
        if (cp_sampler_knows(sig))
            cp_signal_shield_restore(sig);
    atomic_store(&sampler.round, 0);
    atomic_store(&sampler.n_asked, 0);
    atomic_store(&sampler.n_served, 0);
    atomic_store(&sampler.n_keepers, 0);
    atomic_store(&sampler.guest, NULL);
    cp_readers_reset_after_fork();
    cp_unloaded_modules_after_fork();
    cp_lock_reset(&cp_sampler_lock);
    return was_watching;
}
