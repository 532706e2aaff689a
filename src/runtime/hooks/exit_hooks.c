/*
 * exit_hooks.c - the ways out of a program that run no atexit function, and
 * what it does about signals.
 *
 * Only for a recording (record.h), which has its files written first: shells
 * end by _exit, and Python, after Ctrl-C, by the signal itself. While something
 * is recorded, SIGINT and the like are ours where the program leaves them at
 * their default; it is told that they are, and what it sets is set. While
 * nothing is recorded a hook is one load.
 *
 * A sanitizer calls these before we can know who comes next: it has no hooks.
 */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/hooks/real_function.h"
#include "runtime/os/sandbox.h"
#include "runtime/process/record.h"
#include "runtime/stacks/sampler.h"
#include "runtime/threads/perf_sampler.h"
#include "runtime/threads/sigaltstack_sharing.h"
#include "signal/unwinder/syscall.h"

#define EXPORT __attribute__((visibility("default")))

static bool is_ours(int sig)
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
    if (sig == SIGTRAP && cp_perf_sampler_has_trap())
        return cp_perf_sampler_take_trap(next, act, old);
    if (cp_sampler_knows(sig))
        return cp_sampler_take_signal(next, sig, act, old);
    if (!is_ours(sig)) {
        failed = next(sig, act, old);
        if (!failed && act)
            cp_sampler_note_action(sig);
        return failed;
    }
    if (act && !(act->sa_flags & SA_SIGINFO) && act->sa_handler == SIG_DFL) {
        changed = *act;
        changed.sa_handler = cp_record_on_signal;
        changed.sa_flags |= SA_RESTART;
        act = &changed;
    }
    failed = next(sig, act, old);
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
        return next(stack, old);
    if (stack && cp_sigaltstack_note(&before))
        cp_sampler_leave_alt_stack();
    failed = next(stack, old);
    if (stack && !failed)
        cp_sigaltstack_keep(&before);
    return failed;
}

typedef void handler(int sig);

/* By sigaction above, with its own signal in its mask or not. */
static handler *take(int sig, handler *wanted, int flags)
{
    struct sigaction act = { .sa_handler = wanted, .sa_flags = flags }, old;

    if (wanted == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (flags & SA_RESTART) /* so does libc */
        (void)sigaddset(&act.sa_mask, sig);
    if (sigaction(sig, &act, &old) != 0)
        return SIG_ERR;
    return old.sa_handler;
}

EXPORT handler *signal(int sig, handler *wanted)
{
    handler *old;

    CP_REAL(signal);
    if ((sig == SIGTRAP && cp_perf_sampler_has_trap()) || cp_sampler_knows(sig))
        return take(sig, wanted, SA_RESTART);
    if (!is_ours(sig)) {
        old = next(sig, wanted);
        if (old != SIG_ERR)
            cp_sampler_note_action(sig);
        return old;
    }
    old = next(sig, wanted == SIG_DFL ? cp_record_on_signal : wanted);
    return old == cp_record_on_signal ? SIG_DFL : old;
}

/* The other names of it, which in libc go past our sigaction. */

EXPORT handler *bsd_signal(int sig, handler *wanted);

EXPORT handler *bsd_signal(int sig, handler *wanted)
{
    return signal(sig, wanted);
}

EXPORT handler *ssignal(int sig, handler *wanted)
{
    return signal(sig, wanted);
}

/* What signal is in a program that is compiled for POSIX alone. */
EXPORT handler *__sysv_signal(int sig, handler *wanted)
{
    return take(sig, wanted, (int)(SA_RESETHAND | (unsigned)SA_NODEFER));
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
    old = wanted == SIG_HOLD ? now.sa_handler : take(sig, wanted, 0);
    if (old == SIG_ERR)
        return SIG_ERR;
    (void)pthread_sigmask(wanted == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one,
                          &before);
    return sigismember(&before, sig) ? SIG_HOLD : old;
}

/* The program ends itself: the files come first, and then it dies of it. */
static void before_end(int sig)
{
    struct sigaction now;

    if (is_ours(sig) && sigaction(sig, NULL, &now) == 0 &&
        !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
        cp_record_end();
}

EXPORT int kill(pid_t pid, int sig)
{
    if (cp_record_is_on() && pid == getpid())
        before_end(sig);
    return (int)syscall(SYS_kill, pid, sig);
}

EXPORT int raise(int sig)
{
    CP_REAL(raise);
    before_end(sig);
    return next(sig);
}

#else
typedef int cp_no_exit_hooks;
#endif
