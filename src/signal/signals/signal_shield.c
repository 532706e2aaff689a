/* signal_shield.c - discards late signals of the library, forwards others. */
#include "signal/signals/signal_shield.h"

#include <sys/syscall.h>

#include "signal/signals/handler.h"
#include "signal/signals/perf_signals.h"
#include "signal/unwinder/syscall.h"

#define MASK_BYTES 8
#define RESTORER 0x04000000u /* SA_RESTORER, which libc sets */

#define SIGNALS 65 /* signals are 1 to 64 */

/* The program's action, by signal. */
static struct {
    _Atomic uintptr_t handler;
    _Atomic unsigned flags;
} program[SIGNALS];

void cp_signal_shield_wrap(int sig, const struct sigaction *act,
                           struct sigaction *out)
{
    unsigned flags = (unsigned)act->sa_flags;

    CP_ASSERT(sig > 0 && sig < SIGNALS);
    atomic_store(&program[sig].flags, flags);
    atomic_store(&program[sig].handler, (uintptr_t)act->sa_sigaction);
    *out = *act;
    out->sa_sigaction = cp_signal_shield_handle;
    out->sa_flags = (int)((flags | SA_SIGINFO) & ~(unsigned)SA_RESETHAND);
}

void cp_signal_shield_unwrap(int sig, struct sigaction *act)
{
    if (!(act->sa_flags & SA_SIGINFO) ||
        act->sa_sigaction != cp_signal_shield_handle)
        return;
    act->sa_sigaction =
        (void (*)(int, siginfo_t *, void *))atomic_load(&program[sig].handler);
    act->sa_flags = (int)(((unsigned)act->sa_flags & RESTORER) |
                          atomic_load(&program[sig].flags));
}

/*
 * Installs a handler in place of the shield; `blocked` is added to its mask.
 * Uses the system call and the kernel's struct sigaction.
 */
static void replace(int sig, uintptr_t handler, unsigned flags,
                    uint64_t blocked)
{
    uint64_t now[4] = { 0 }; /* handler, flags, restorer, mask */

    if (CP_SYSCALL(SYS_rt_sigaction, sig, 0, (long)now, MASK_BYTES) != 0 ||
        now[0] != (uintptr_t)cp_signal_shield_handle)
        return;
    now[0] = handler;
    now[1] = (now[1] & RESTORER) | flags;
    now[3] |= blocked;
    (void)CP_SYSCALL(SYS_rt_sigaction, sig, (long)now, 0, MASK_BYTES);
}

void cp_signal_shield_restore(int sig)
{
    replace(sig, atomic_load(&program[sig].handler),
            atomic_load(&program[sig].flags), 0);
}

/*
 * SA_RESETHAND: the program's action becomes the default, which ends the
 * process. For SIGTRAP, cp_signal_handle_trap does that and takes samples
 * again; it must run with all signals blocked.
 */
static void reset(int sig)
{
    if (sig == SIGTRAP)
        replace(sig, (uintptr_t)cp_signal_handle_trap,
                SA_SIGINFO | SA_ONSTACK | SA_RESTART, UINT64_MAX);
    else
        atomic_store(&program[sig].handler, (uintptr_t)SIG_DFL);
}

void cp_signal_shield_handle(int sig, siginfo_t *info, void *context)
{
    uintptr_t handler = atomic_load(&program[sig].handler);

    CP_ASSERT(sig > 0 && sig < SIGNALS);
    if (sig == SIGTRAP ? cp_perf_signals_is_from_library(info)
                       : cp_signal_is_from_timer(info))
        return;
    if (handler == (uintptr_t)SIG_DFL) {
        cp_signal_raise_default(sig);
        return;
    }
    if (atomic_load(&program[sig].flags) & (unsigned)SA_RESETHAND)
        reset(sig);
    ((void (*)(int, siginfo_t *, void *))handler)(sig, info, context);
}
