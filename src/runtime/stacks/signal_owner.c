/*
 * signal_owner.c - installs the sampling handler and hides it from the program.
 *
 * Installed actions are read and changed by the system call: the library's own
 * hook of sigaction() would return the action that the program has set.
 */
#include "runtime/stacks/signal_owner.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/os/timer.h"
#include "runtime/stacks/refresh_thread.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/sigaltstack_sharing.h"
#include "runtime/threads/threads.h"
#include "signal/signals/handler.h"
#include "signal/signals/mask.h"
#include "signal/signals/perf_signals.h"

#define MAX_SIGNAL 64

/* The kernel's struct sigaction, which differs from libc's. */
struct kernel_action {
    uint64_t handler, flags, restorer, mask;
};

static struct {
    int configured;         /* signal number; 0 selects a free one */
    _Atomic int signal;     /* signal in use; 0 means none */
    _Atomic uint64_t owned; /* bit sig - 1: used now or before */
    _Atomic pid_t pid;      /* process that has installed the handler */
} owner;

void cp_signal_owner_configure(int sig)
{
    CP_ASSERT(sig >= 0 && sig <= MAX_SIGNAL);
    owner.configured = sig;
}

int cp_signal_owner_signal(void)
{
    return atomic_load(&owner.signal);
}

static bool read_action(int sig, struct kernel_action *out)
{
    *out = (struct kernel_action){ 0 };
    return CP_SYSCALL(SYS_rt_sigaction, sig, 0, (long)out, sizeof(out->mask)) ==
           0;
}

static void write_action(int sig, const struct kernel_action *action)
{
    (void)CP_SYSCALL(SYS_rt_sigaction, sig, (long)action, 0,
                     sizeof(action->mask));
}

static bool is_handler(int sig, void (*handler)(int, siginfo_t *, void *))
{
    struct kernel_action now;

    return read_action(sig, &now) && now.handler == (uintptr_t)handler;
}

static bool is_installed(int sig)
{
    return is_handler(sig, cp_signal_handle);
}

static bool is_plain(const struct sigaction *act, void (*handler)(int))
{
    return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == handler;
}

/* Whether the program leaves the signal at its default. */
static bool is_free(int sig)
{
    struct sigaction now;

    return sigaction(sig, NULL, &now) == 0 && is_plain(&now, SIG_DFL);
}

int cp_signal_owner_choose(void)
{
    int sig = cp_signal_owner_signal();

    if (sig)
        return sig;
    if (owner.configured)
        return owner.configured;
    if (is_free(SIGPROF))
        return SIGPROF;
    for (sig = SIGRTMAX - 1; sig > SIGRTMIN; sig--)
        if (is_free(sig))
            return sig;
    /* The program uses every real-time signal (Go): share and forward one. */
    return SIGRTMAX - 1;
}

static enum cp_status install(int sig, struct cp_error *err)
{
    struct sigaction action = { .sa_sigaction = cp_signal_handle,
                                .sa_flags = SA_SIGINFO | SA_RESTART |
                                            cp_sigaltstack_onstack_flag() };

    CP_ASSERT(sig > 0 && sig <= MAX_SIGNAL);
    cp_signal_mask_fill(&action.sa_mask);
    if (sigaction(sig, NULL, &cp_handler_state.previous) != 0 ||
        sigaction(sig, &action, NULL) != 0)
        return cp_error_set(err, CP_EIO, "signal %d: %s", sig, strerror(errno));
    atomic_store(&owner.signal, sig);
    atomic_store(&owner.pid, getpid());
    atomic_fetch_or(&owner.owned, (uint64_t)1 << (sig - 1));
    cp_threads_set_signal(sig);
    return CP_OK;
}

enum cp_status cp_signal_owner_ensure(struct cp_error *err)
{
    int sig = cp_signal_owner_signal();

    CP_ASSERT(cp_lock_is_held(&cp_refresh_lock));
    if (sig && is_installed(sig))
        return CP_OK;
    if (!cp_handler_state.cookie)
        cp_handler_state.cookie = (uint32_t)cp_timer_random(UINT32_MAX - 1);
    atomic_store(&owner.signal, 0);
    return install(cp_signal_owner_choose(), err);
}

bool cp_signal_owner_has_owned(int sig)
{
    return sig > 0 && sig <= MAX_SIGNAL &&
           atomic_load_explicit(&owner.owned, memory_order_relaxed) >>
                   (sig - 1) &
               1;
}

/* Reads the action that the program has set. */
static int read_program_action(cp_sigaction_fn *real, int sig,
                               struct sigaction *out)
{
    if (is_installed(sig)) {
        *out = cp_handler_state.previous;
        return 0;
    }
    if (real(sig, NULL, out) != 0)
        return -1;
    cp_signal_shield_unwrap(sig, out);
    return 0;
}

/*
 * Sets an action of the program. SIG_DFL is only recorded: the handler stays
 * and emulates the default. SIG_IGN goes to the kernel, which then discards
 * pending signals. A handler is wrapped by the shield; the refresh thread,
 * woken here, moves sampling to a different signal, and the shield drops
 * samples until then. A child of vfork shares this memory but not the kernel's
 * actions, so its call goes to the kernel unchanged.
 */
static int write_program_action(cp_sigaction_fn *real, int sig,
                                const struct sigaction *act)
{
    struct sigaction wrapped;
    int failed;

    if ((!is_installed(sig) && !is_handler(sig, cp_signal_shield_handle)) ||
        act->sa_sigaction == cp_signal_handle || is_plain(act, SIG_IGN) ||
        atomic_load(&owner.pid) != CP_SYSCALL(SYS_getpid, 0)) {
        failed = real(sig, act, NULL);
    } else if (is_installed(sig) && is_plain(act, SIG_DFL)) {
        cp_handler_state.previous = *act;
        return 0;
    } else {
        cp_signal_shield_wrap(sig, act, &wrapped);
        failed = real(sig, &wrapped, NULL);
    }
    cp_refresh_wake();
    return failed;
}

int cp_signal_owner_sigaction(cp_sigaction_fn *real, int sig,
                              const struct sigaction *act,
                              struct sigaction *old)
{
    struct sigaction before;
    int failed = read_program_action(real, sig, &before);

    if (!failed && act)
        failed = write_program_action(real, sig, act);
    if (!failed && old)
        *old = before;
    return failed;
}

static void clear_onstack(int sig)
{
    struct kernel_action now;

    if (!read_action(sig, &now))
        return;
    now.flags &= ~(uint64_t)SA_ONSTACK;
    write_action(sig, &now);
}

void cp_signal_owner_clear_onstack(void)
{
    int sig = cp_signal_owner_signal();

    if (sig && is_installed(sig))
        clear_onstack(sig);
    if (is_handler(SIGTRAP, cp_signal_handle_trap))
        clear_onstack(SIGTRAP);
}

/* Adds `blocked` to the mask of the handler of `sig`, or removes it. */
static void set_mask_bit(int sig, int blocked, bool is_set)
{
    uint64_t bit = (uint64_t)1 << (blocked - 1);
    struct kernel_action now;

    if (!read_action(sig, &now) || !!(now.mask & bit) == is_set)
        return;
    now.mask ^= bit;
    write_action(sig, &now);
}

void cp_signal_owner_update_mask(int sig)
{
    int own = cp_signal_owner_signal();
    bool is_blocked;

    CP_ASSERT(sig > 0 && sig <= MAX_SIGNAL);
    if (!own)
        return;
    is_blocked = !cp_signal_mask_is_ignored(sig);
    if (is_installed(own))
        set_mask_bit(own, sig, is_blocked);
    if (is_handler(SIGTRAP, cp_signal_handle_trap))
        set_mask_bit(SIGTRAP, sig, is_blocked);
}

/*
 * Signals of the library may still be pending, and the default action would
 * kill the program. The kernel discards them when the action becomes SIG_IGN.
 */
static void restore_program_action(void)
{
    struct sigaction ignored = { .sa_handler = SIG_IGN };
    int sig = cp_signal_owner_signal();

    if (!sig || !is_installed(sig))
        return;
    (void)sigaction(sig, &ignored, NULL);
    (void)sigaction(sig, &cp_handler_state.previous, NULL);
    atomic_store(&owner.signal, 0);
}

void cp_signal_owner_release(void)
{
    restore_program_action();
    cp_perf_sampler_release();
}

void cp_signal_owner_seal(void)
{
    cp_signal_owner_release();
    atomic_store(&owner.owned, 0);
    cp_perf_signals_disable();
}

void cp_signal_owner_reset_after_fork(void)
{
    atomic_store(&owner.pid, getpid());
    for (int sig = 1; sig <= MAX_SIGNAL; sig++)
        if (cp_signal_owner_has_owned(sig))
            cp_signal_shield_restore(sig);
}
