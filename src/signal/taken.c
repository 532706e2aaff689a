/* taken.c - see taken.h. */
#include "signal/taken.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "signal/handler.h"
#include "signal/syscall.h"
#include "signal/traps.h"

#define MASK_BYTES 8
#define RESTORER 0x04000000u /* a flag of libc's that must stay */

static _Atomic uintptr_t program;
static _Atomic unsigned program_flags;

void cp_taken_wrap(const struct sigaction *act, struct sigaction *out)
{
    unsigned flags = (unsigned)act->sa_flags;

    atomic_store(&program_flags, flags);
    atomic_store(&program, (uintptr_t)act->sa_sigaction);
    *out = *act;
    out->sa_sigaction = cp_taken_handle;
    out->sa_flags = (int)((flags | SA_SIGINFO) & ~(unsigned)SA_RESETHAND);
}

void cp_taken_unwrap(struct sigaction *act)
{
    if (!(act->sa_flags & SA_SIGINFO) || act->sa_sigaction != cp_taken_handle)
        return;
    act->sa_sigaction =
        (void (*)(int, siginfo_t *, void *))atomic_load(&program);
    act->sa_flags = (int)(((unsigned)act->sa_flags & RESTORER) |
                          atomic_load(&program_flags));
}

/* Another handler in the place of ours, by the kernel's struct. */
static void replace(uintptr_t handler, unsigned flags)
{
    uint64_t now[4] = { 0 }; /* handler, flags, restorer, mask */

    if (CP_SYSCALL(SYS_rt_sigaction, SIGTRAP, 0, (long)now, MASK_BYTES) != 0 ||
        now[0] != (uintptr_t)cp_taken_handle)
        return;
    now[0] = handler;
    now[1] = (now[1] & RESTORER) | flags;
    (void)CP_SYSCALL(SYS_rt_sigaction, SIGTRAP, (long)now, 0, MASK_BYTES);
}

void cp_taken_restore(void)
{
    replace(atomic_load(&program), atomic_load(&program_flags));
}

/* By default it ends the program, which cp_signal_trap knows how to do. */
void cp_taken_handle(int sig, siginfo_t *info, void *context)
{
    uintptr_t handler = atomic_load(&program);

    if (cp_traps_is_ours(info))
        return;
    if (atomic_load(&program_flags) & (unsigned)SA_RESETHAND)
        replace((uintptr_t)cp_signal_trap, SA_SIGINFO | SA_ONSTACK);
    ((void (*)(int, siginfo_t *, void *))handler)(sig, info, context);
}
