/* perf_sampler.c - checks the conditions for events, and owns SIGTRAP. */
#include "runtime/threads/perf_sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "base/out.h"
#include "runtime/os/clock.h"
#include "runtime/os/proc_file.h"
#include "runtime/os/sandbox.h"
#include "runtime/threads/sigaltstack_sharing.h"
#include "signal/signals/handler.h"
#include "signal/signals/mask.h"
#include "signal/signals/perf_event.h"
#include "signal/signals/perf_signals.h"
#include "signal/unwinder/syscall.h"

/* Period of a trial event: longer than the trial, so no signal comes. */
#define TRIAL_PERIOD_NS ((uint64_t)3600 * CP_NS_PER_S)
#define SIGNAL_DELAY_NS 10000000 /* maximum delay of an event's signal */
#define STATUS_BYTES ((size_t)64 << 10)

static struct {
    const char *forbidden;   /* reason for users; NULL means allowed */
    bool ignores_filter;     /* CPPROF=perf:1 */
    bool is_in_use;          /* threads are sampled by events */
    _Atomic bool is_handled; /* the library has installed its handler */
    _Atomic long pid;        /* process that owns the events */
    char disabled_reason[128];
} events = { .disabled_reason = "not tried" };

static bool disable(const char *reason)
{
    (void)snprintf(events.disabled_reason, sizeof(events.disabled_reason), "%s",
                   reason);
    return false;
}

void cp_perf_sampler_forbid(const char *reason)
{
    events.forbidden = reason;
}

void cp_perf_sampler_allow_filtered(void)
{
    events.ignores_filter = true;
}

const char *cp_perf_sampler_forbidden_reason(void)
{
    if (events.forbidden)
        return events.forbidden;
    if (!events.ignores_filter && cp_sandbox_is_filtered())
        return "a seccomp filter is installed and may kill the program; "
               "CPPROF=perf:1 tries anyway";
    return NULL;
}

bool cp_perf_sampler_is_forbidden(void)
{
    return events.forbidden ||
           (!events.ignores_filter && cp_sandbox_was_filtered());
}

const char *cp_perf_sampler_disabled_reason(void)
{
    return events.disabled_reason;
}

uint64_t cp_perf_sampler_tick_ns(void)
{
    struct timespec t;

    if (clock_getres(CLOCK_MONOTONIC_COARSE, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * CP_NS_PER_S + (uint64_t)t.tv_nsec;
}

/*
 * Linux 5.13 has added the events. Before 5.18 an event kills a thread that
 * blocks SIGTRAP.
 */
static bool is_kernel_supported(void)
{
    struct utsname name;
    unsigned major = 0, minor = 0;

    return uname(&name) == 0 &&
           sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 18));
}

static bool is_traced(void)
{
    struct cp_out text = { .fd = -1 };
    const char *line;
    bool is = false;

    if (cp_proc_file_read("/proc/self/status", STATUS_BYTES, &text, NULL) ==
        CP_OK) {
        cp_out_char(&text, '\0');
        line = cp_out_finish(&text, NULL) == CP_OK
                   ? strstr(text.buf, "\nTracerPid:")
                   : NULL;
        is = line && atoi(line + sizeof("\nTracerPid:") - 1) != 0;
    }
    cp_out_release(&text);
    return is;
}

/* Reads the kernel's action: the sigaction hook would return SIG_DFL. */
static bool is_handler(void (*handler)(int, siginfo_t *, void *))
{
    uintptr_t now[4] = { 0 }; /* kernel's struct: handler first */

    return CP_SYSCALL(SYS_rt_sigaction, SIGTRAP, 0, (long)now, 8) == 0 &&
           now[0] == (uintptr_t)handler;
}

static bool is_installed(void)
{
    return is_handler(cp_signal_handle_trap);
}

bool cp_perf_sampler_owns_sigtrap(void)
{
    return atomic_load(&events.is_handled) &&
           (is_installed() || is_handler(cp_signal_shield_handle));
}

bool cp_perf_sampler_is_lost(void)
{
    if (!events.is_in_use ||
        (is_installed() && !is_traced() && !cp_perf_sampler_is_forbidden()))
        return false;
    events.is_in_use = false;
    return true;
}

/* False in a child of vfork, which shares the memory of its parent. */
static bool is_own_process(void)
{
    return atomic_load(&events.pid) == CP_SYSCALL(SYS_getpid, 0);
}

void cp_perf_sampler_release(void)
{
    struct sigaction ignored = { .sa_handler = SIG_IGN },
                     usual = { .sa_handler = SIG_DFL };
    struct timespec delay = { 0, SIGNAL_DELAY_NS };

    if (!atomic_load(&events.is_handled) || !is_installed() ||
        !is_own_process())
        return;
    atomic_store(&events.is_handled, false);
    cp_perf_signals_close_all();
    while (CP_SYSCALL(SYS_nanosleep, (long)&delay, (long)&delay) == -EINTR)
        ;
    (void)sigaction(SIGTRAP, &ignored, NULL); /* discards pending signals */
    (void)sigaction(SIGTRAP, &usual, NULL);
}

/* The kernel copies neither events nor pending signals. */
void cp_perf_sampler_reset_after_fork(void)
{
    const uintptr_t usual[4] = { (uintptr_t)SIG_DFL }; /* kernel's struct */

    events.is_in_use = false;
    if (atomic_load(&events.is_handled) && is_installed())
        (void)CP_SYSCALL(SYS_rt_sigaction, SIGTRAP, (long)usual, 0, 8);
    cp_signal_shield_restore(SIGTRAP);
    atomic_store(&events.is_handled, false);
}

static struct sigaction handler_action(void)
{
    struct sigaction action = { .sa_sigaction = cp_signal_handle_trap,
                                .sa_flags = SA_SIGINFO | SA_RESTART |
                                            cp_sigaltstack_onstack_flag() };

    cp_signal_mask_fill(&action.sa_mask);
    return action;
}

static bool is_plain(const struct sigaction *act, void (*handler)(int))
{
    return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == handler;
}

static bool install_handler(void)
{
    struct sigaction now, action = handler_action();

    if (is_installed())
        return true;
    if (sigaction(SIGTRAP, NULL, &now) != 0)
        return disable(strerror(errno));
    if (!is_plain(&now, SIG_DFL))
        return disable("the program handles SIGTRAP");
    if (sigaction(SIGTRAP, &action, NULL) != 0)
        return disable(strerror(errno));
    return true;
}

/* Reads the action that the program has set. */
static int read_program_action(cp_sigaction_fn *real, struct sigaction *out)
{
    if (is_installed()) {
        *out = (struct sigaction){ .sa_handler = SIG_DFL };
        return 0;
    }
    if (real(SIGTRAP, NULL, out) != 0)
        return -1;
    cp_signal_shield_unwrap(SIGTRAP, out);
    return 0;
}

static int write_program_action(cp_sigaction_fn *real,
                                const struct sigaction *act)
{
    struct sigaction wrapped = handler_action();

    if (!is_own_process())
        return real(SIGTRAP, act, NULL);
    if (is_plain(act, SIG_DFL))
        return is_installed() ? 0 : real(SIGTRAP, &wrapped, NULL);
    cp_perf_signals_close_all();
    if (is_plain(act, SIG_IGN))
        return real(SIGTRAP, act, NULL);
    cp_signal_shield_wrap(SIGTRAP, act, &wrapped);
    return real(SIGTRAP, &wrapped, NULL);
}

int cp_perf_sampler_sigaction(cp_sigaction_fn *real,
                              const struct sigaction *act,
                              struct sigaction *old)
{
    struct sigaction before;
    int failed = read_program_action(real, &before);

    if (!failed && act)
        failed = write_program_action(real, act);
    if (!failed && old)
        *old = before;
    return failed;
}

/* Opens and closes one event. */
static bool try_event(void)
{
    void *event = NULL;
    int result = cp_signal_perf_open(0, TRIAL_PERIOD_NS, 0, &event);

    if (result == 0)
        cp_signal_perf_close(event);
    else
        (void)snprintf(events.disabled_reason, sizeof(events.disabled_reason),
                       "perf_event_open: %s", strerror(-result));
    return result == 0;
}

bool cp_perf_sampler_try_start(void)
{
    const char *reason = cp_perf_sampler_forbidden_reason();

    events.is_in_use = false;
    if (reason)
        return disable(reason);
    if (!is_kernel_supported())
        return disable("needs Linux 5.18");
    if (is_traced())
        return disable("a debugger is attached");
    if (!try_event() || !install_handler())
        return false;
    atomic_store(&events.pid, CP_SYSCALL(SYS_getpid, 0));
    atomic_store(&events.is_handled, true);
    cp_perf_signals_allow();
    CP_ASSERT(is_own_process());
    events.disabled_reason[0] = '\0';
    events.is_in_use = true;
    return true;
}
