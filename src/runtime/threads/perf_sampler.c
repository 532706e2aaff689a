/* perf_sampler.c - see perf_sampler.h. */
#include "runtime/threads/perf_sampler.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/error.h"
#include "base/out.h"
#include "runtime/os/clock.h"
#include "runtime/os/proc_file.h"
#include "runtime/os/sandbox.h"
#include "runtime/threads/sigaltstack_sharing.h"
#include "signal/signals/handler.h"
#include "signal/signals/mask.h"
#include "signal/signals/perf_event.h"
#include "signal/signals/perf_signals.h"
#include "signal/signals/signal_shield.h"
#include "signal/unwinder/syscall.h"

/* Period of a trial event: longer than the trial, so no signal comes. */
#define LONG_NS ((uint64_t)3600 * CP_NS_PER_S)
#define GRACE_NS 10000000 /* a signal may come when its event is ended */
#define STATUS_BYTES ((size_t)64 << 10)

static struct {
    const char *forbidden;   /* why, or NULL */
    bool ignores_filter;     /* the user asked for events */
    bool is_relied_on;       /* threads are sampled by events */
    _Atomic bool is_handled; /* we have taken SIGTRAP */
    _Atomic long pid;        /* whose events they are */
    char why_not[128];
} events = { .why_not = "not tried" };

static bool refuse(const char *why)
{
    (void)snprintf(events.why_not, sizeof(events.why_not), "%s", why);
    return false;
}

void cp_perf_sampler_forbid(const char *why)
{
    events.forbidden = why;
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
        return "a seccomp filter is installed, which may end the program for "
               "it; CPPROF=perf:1 tries";
    return NULL;
}

bool cp_perf_sampler_is_forbidden(void)
{
    return events.forbidden ||
           (!events.ignores_filter && cp_sandbox_was_filtered());
}

const char *cp_perf_sampler_disabled_reason(void)
{
    return events.why_not;
}

uint64_t cp_perf_sampler_tick_ns(void)
{
    struct timespec t;

    if (clock_getres(CLOCK_MONOTONIC_COARSE, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * CP_NS_PER_S + (uint64_t)t.tv_nsec;
}

/*
 * Before 5.18 a thread that blocks SIGTRAP would have been killed by an event,
 * before 5.13 there was no such event.
 */
static bool has_kernel(void)
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

/* Asks the kernel: our own hook of sigaction would say that it is free. */
static bool is_handler(void (*handler)(int, siginfo_t *, void *))
{
    uintptr_t now[4] = { 0 }; /* the kernel's struct: the handler is first */

    return CP_SYSCALL(SYS_rt_sigaction, SIGTRAP, 0, (long)now, 8) == 0 &&
           now[0] == (uintptr_t)handler;
}

static bool is_ours(void)
{
    return is_handler(cp_signal_handle_trap);
}

bool cp_perf_sampler_owns_sigtrap(void)
{
    return atomic_load(&events.is_handled) &&
           (is_ours() || is_handler(cp_signal_shield_handle));
}

bool cp_perf_sampler_is_lost(void)
{
    if (!events.is_relied_on ||
        (is_ours() && !is_traced() && !cp_perf_sampler_is_forbidden()))
        return false;
    events.is_relied_on = false;
    return true;
}

/* The memory of a child of vfork is its parent's. */
static bool is_our_process(void)
{
    return atomic_load(&events.pid) == CP_SYSCALL(SYS_getpid, 0);
}

void cp_perf_sampler_release(void)
{
    struct sigaction ignored = { .sa_handler = SIG_IGN },
                     usual = { .sa_handler = SIG_DFL };
    struct timespec grace = { 0, GRACE_NS };

    if (!atomic_load(&events.is_handled) || !is_ours() || !is_our_process())
        return;
    atomic_store(&events.is_handled, false);
    cp_perf_signals_close_all();
    while (CP_SYSCALL(SYS_nanosleep, (long)&grace, (long)&grace) == -EINTR)
        ;
    (void)sigaction(SIGTRAP, &ignored, NULL); /* drops what is on its way */
    (void)sigaction(SIGTRAP, &usual, NULL);
}

/* A child has no events, and none of their signals. */
void cp_perf_sampler_reset_after_fork(void)
{
    const uintptr_t usual[4] = { (uintptr_t)SIG_DFL }; /* the kernel's struct */

    events.is_relied_on = false;
    if (atomic_load(&events.is_handled) && is_ours())
        (void)CP_SYSCALL(SYS_rt_sigaction, SIGTRAP, (long)usual, 0, 8);
    cp_signal_shield_restore(SIGTRAP);
    atomic_store(&events.is_handled, false);
}

static struct sigaction our_action(void)
{
    struct sigaction ours = { .sa_sigaction = cp_signal_handle_trap,
                              .sa_flags = SA_SIGINFO | SA_RESTART |
                                          cp_sigaltstack_onstack_flag() };

    cp_signal_mask_fill(&ours.sa_mask);
    return ours;
}

static bool is_plain(const struct sigaction *act, void (*handler)(int))
{
    return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == handler;
}

static bool handle_traps(void)
{
    struct sigaction now, ours = our_action();

    if (is_ours())
        return true;
    if (sigaction(SIGTRAP, NULL, &now) != 0)
        return refuse(strerror(errno));
    if (!is_plain(&now, SIG_DFL))
        return refuse("the program handles SIGTRAP");
    if (sigaction(SIGTRAP, &ours, NULL) != 0)
        return refuse(strerror(errno));
    return true;
}

/* What the program believes that it has set. */
static int ask(cp_sigaction_fn *next, struct sigaction *out)
{
    if (is_ours()) {
        *out = (struct sigaction){ .sa_handler = SIG_DFL };
        return 0;
    }
    if (next(SIGTRAP, NULL, out) != 0)
        return -1;
    cp_signal_shield_unwrap(SIGTRAP, out);
    return 0;
}

static int set(cp_sigaction_fn *next, const struct sigaction *act)
{
    struct sigaction wrapped = our_action();

    if (!is_our_process())
        return next(SIGTRAP, act, NULL);
    if (is_plain(act, SIG_DFL))
        return is_ours() ? 0 : next(SIGTRAP, &wrapped, NULL);
    cp_perf_signals_close_all();
    if (is_plain(act, SIG_IGN))
        return next(SIGTRAP, act, NULL);
    cp_signal_shield_wrap(SIGTRAP, act, &wrapped);
    return next(SIGTRAP, &wrapped, NULL);
}

int cp_perf_sampler_sigaction(cp_sigaction_fn *next,
                              const struct sigaction *act,
                              struct sigaction *old)
{
    struct sigaction before;
    int failed = ask(next, &before);

    if (!failed && act)
        failed = set(next, act);
    if (!failed && old)
        *old = before;
    return failed;
}

static bool is_allowed(void)
{
    void *event = NULL;
    int result = cp_signal_perf_open(0, LONG_NS, 0, &event);

    if (result == 0)
        cp_signal_perf_close(event);
    else
        (void)snprintf(events.why_not, sizeof(events.why_not),
                       "perf_event_open: %s", strerror(-result));
    return result == 0;
}

bool cp_perf_sampler_try_start(void)
{
    const char *refusal = cp_perf_sampler_forbidden_reason();

    events.is_relied_on = false;
    if (refusal)
        return refuse(refusal);
    if (!has_kernel())
        return refuse("needs Linux 5.18");
    if (is_traced())
        return refuse("a debugger is attached");
    if (!is_allowed() || !handle_traps())
        return false;
    atomic_store(&events.pid, CP_SYSCALL(SYS_getpid, 0));
    atomic_store(&events.is_handled, true);
    cp_perf_signals_allow();
    events.why_not[0] = '\0';
    events.is_relied_on = true;
    return true;
}
