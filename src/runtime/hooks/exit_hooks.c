/*
 * exit_hooks.c - hooks of _exit, kill and raise, and of signal dispositions.
 *
 * _exit and death by a signal run no atexit function: a shell ends by _exit,
 * Python after Ctrl-C by raising SIGINT. If a recording runs (record.h), the
 * hooks write its files first. During a recording the library handles SIGINT
 * and the other terminating signals whose disposition is SIG_DFL; the program
 * still sees SIG_DFL, and a handler that it sets replaces the library's.
 * Without a recording these tests cost one load.
 *
 * sigaction also hides the handlers of the sampler and of perf events from the
 * program.
 *
 * Sanitizers call these functions before this library is initialized, so
 * sanitizer builds have no such hooks.
 */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/hooks/real_function.h"
#include "runtime/os/sandbox.h"
#include "runtime/process/record.h"
#include "runtime/stacks/signal_owner.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/sigaltstack_sharing.h"
#include "signal/unwinder/syscall.h"

#define EXPORT __attribute__((visibility("default")))

static bool is_recorded_end(int sig)
{
    return cp_record_is_on() && cp_record_is_end_signal(sig);
}

EXPORT void _exit(int status)
{
    cp_record_finish();
    for (;;)
        (void)CP_SYSCALL(SYS_exit_group, status);
}

EXPORT void _Exit(int status)
{
    _exit(status);
}

EXPORT int sigaction(int sig, const struct sigaction *restrict act,
                     struct sigaction *restrict old)
{
    struct sigaction changed;
    int failed;

    CP_REAL(sigaction);
    if (sig == SIGTRAP && cp_perf_sampler_owns_sigtrap())
        return cp_perf_sampler_sigaction(real, act, old);
    if (cp_signal_owner_has_owned(sig))
        return cp_signal_owner_sigaction(real, sig, act, old);
    if (!is_recorded_end(sig)) {
        failed = real(sig, act, old);
        if (!failed && act)
            cp_signal_owner_update_mask(sig);
        return failed;
    }
    if (act && !(act->sa_flags & SA_SIGINFO) && act->sa_handler == SIG_DFL) {
        changed = *act;
        changed.sa_handler = cp_record_on_signal;
        changed.sa_flags |= SA_RESTART;
        act = &changed;
    }
    failed = real(sig, act, old);
    if (!failed && old && old->sa_handler == cp_record_on_signal)
        old->sa_handler = SIG_DFL;
    return failed;
}

EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    const stack_t before = stack ? *stack : (stack_t){ 0 };
    int failed;

    CP_REAL(sigaltstack);
    if (cp_sandbox_is_sealed())
        return real(stack, old);
    if (stack && cp_sigaltstack_detect_sharing(&before))
        cp_signal_owner_clear_onstack();
    failed = real(stack, old);
    if (stack && !failed)
        cp_sigaltstack_drop_others(&before);
    return failed;
}

typedef void handler(int sig);

/* Implements signal() by the hook of sigaction. */
static handler *set_handler(int sig, handler *wanted, int flags)
{
    struct sigaction act = { .sa_handler = wanted, .sa_flags = flags }, old;

    if (wanted == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (flags & SA_RESTART) /* BSD semantics, as in libc */
        (void)sigaddset(&act.sa_mask, sig);
    if (sigaction(sig, &act, &old) != 0)
        return SIG_ERR;
    return old.sa_handler;
}

EXPORT handler *signal(int sig, handler *wanted)
{
    handler *old;

    CP_REAL(signal);
    if ((sig == SIGTRAP && cp_perf_sampler_owns_sigtrap()) ||
        cp_signal_owner_has_owned(sig))
        return set_handler(sig, wanted, SA_RESTART);
    if (!is_recorded_end(sig)) {
        old = real(sig, wanted);
        if (old != SIG_ERR)
            cp_signal_owner_update_mask(sig);
        return old;
    }
    old = real(sig, wanted == SIG_DFL ? cp_record_on_signal : wanted);
    return old == cp_record_on_signal ? SIG_DFL : old;
}

/* Variants of signal(); libc's do not call the hook of sigaction. */

EXPORT handler *bsd_signal(int sig, handler *wanted);

EXPORT handler *bsd_signal(int sig, handler *wanted)
{
    return signal(sig, wanted);
}

EXPORT handler *ssignal(int sig, handler *wanted)
{
    return signal(sig, wanted);
}

/* The signal() of a program that is compiled for POSIX without BSD. */
EXPORT handler *__sysv_signal(int sig, handler *wanted)
{
    return set_handler(sig, wanted, (int)(SA_RESETHAND | (unsigned)SA_NODEFER));
}

EXPORT handler *sysv_signal(int sig, handler *wanted)
{
    return __sysv_signal(sig, wanted);
}

EXPORT handler *sigset(int sig, handler *wanted)
{
    struct sigaction now;
    sigset_t one, before;
    handler *old;

    (void)sigemptyset(&one);
    if (sigaddset(&one, sig) != 0 || sigaction(sig, NULL, &now) != 0)
        return SIG_ERR;
    old = wanted == SIG_HOLD ? now.sa_handler : set_handler(sig, wanted, 0);
    if (old == SIG_ERR)
        return SIG_ERR;
    (void)pthread_sigmask(wanted == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one,
                          &before);
    return sigismember(&before, sig) ? SIG_HOLD : old;
}

/* Writes the recording's files if the signal is about to kill the program. */
static void before_raise(int sig)
{
    struct sigaction now;

    if (is_recorded_end(sig) && sigaction(sig, NULL, &now) == 0 &&
        !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
        cp_record_end();
}

EXPORT int kill(pid_t pid, int sig)
{
    if (cp_record_is_on() && pid == getpid())
        before_raise(sig);
    return (int)syscall(SYS_kill, pid, sig);
}

EXPORT int raise(int sig)
{
    CP_REAL(raise);
    before_raise(sig);
    return real(sig);
}

#else
typedef int cp_no_exit_hooks;
#endif
