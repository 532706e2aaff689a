/* mask.c - which signals may run a handler; blocking them by system call. */
#include "signal/signals/mask.h"

#include <string.h>
#include <sys/syscall.h>

#include "base/assert/assert.h"
#include "signal/unwinder/syscall.h"

#define MASK_BYTES 8
#define MAX_STANDARD 31 /* higher numbers are real-time signals */

/* Signals that the kernel ignores by default. */
#define IGNORED_BY_DEFAULT                                                     \
    ((uint64_t)1 << (SIGCHLD - 1) | (uint64_t)1 << (SIGURG - 1) |              \
     (uint64_t)1 << (SIGWINCH - 1) | (uint64_t)1 << (SIGCONT - 1))

bool cp_signal_mask_is_ignored(int sig)
{
    uint64_t now[4] = { 0 }; /* the kernel's struct sigaction: handler first */

    CP_ASSERT(sig > 0);
    if (sig > MAX_STANDARD ||
        CP_SYSCALL(SYS_rt_sigaction, sig, 0, (long)now, MASK_BYTES) != 0)
        return false;
    return now[0] == 1 || /* SIG_IGN */
           (now[0] == 0 && (IGNORED_BY_DEFAULT >> (sig - 1) & 1));
}

/* All signals but the ignored ones. */
static uint64_t handled(void)
{
    uint64_t mask = ~(uint64_t)0;

    for (int sig = 1; sig <= MAX_STANDARD; sig++)
        if (cp_signal_mask_is_ignored(sig))
            mask &= ~((uint64_t)1 << (sig - 1));
    return mask;
}

void cp_signal_mask_fill(sigset_t *out)
{
    uint64_t mask = handled();

    memset(out, 0xff, sizeof(*out));
    memcpy(out, &mask, sizeof(mask));
}

uint64_t cp_signal_mask_block(void)
{
    uint64_t mask = handled(), before = 0;

    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, (long)&mask, (long)&before,
                     MASK_BYTES);
    return before;
}

void cp_signal_mask_restore(uint64_t before)
{
    (void)CP_SYSCALL(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0,
                     MASK_BYTES);
}
