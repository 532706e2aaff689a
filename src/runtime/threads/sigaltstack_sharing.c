/* sigaltstack_sharing.c - see sigaltstack_sharing.h. */
#include "runtime/threads/sigaltstack_sharing.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "signal/unwinder/syscall.h"

#define PLACES 64 /* by address; who comes later takes the place */

static struct {
    _Atomic uintptr_t stack;
    _Atomic long tid; /* of the last one who has set it; 0: it has left it */
} places[PLACES];

static _Atomic bool is_shared;

static bool is_alive(long tid)
{
    return CP_SYSCALL(SYS_tgkill, CP_SYSCALL(SYS_getpid, 0), tid, 0) == 0;
}

bool cp_sigaltstack_detect_sharing(const stack_t *stack)
{
    uintptr_t at = (uintptr_t)stack->ss_sp;
    size_t place = (at >> 12) % PLACES;
    long tid = CP_SYSCALL(SYS_gettid, 0), before;

    if (stack->ss_flags & SS_DISABLE)
        return false;
    before = atomic_exchange(&places[place].tid, tid);
    if (atomic_exchange(&places[place].stack, at) != at || before == tid ||
        before == 0 || !is_alive(before))
        return false;
    return !atomic_exchange(&is_shared, true);
}

void cp_sigaltstack_drop_others(const stack_t *stack)
{
    bool has_one = !(stack->ss_flags & SS_DISABLE);
    uintptr_t at = (uintptr_t)stack->ss_sp;
    long tid = CP_SYSCALL(SYS_gettid, 0);

    for (size_t i = 0; i < PLACES; i++) {
        long whose = tid;

        if (atomic_load(&places[i].tid) == tid &&
            (!has_one || atomic_load(&places[i].stack) != at))
            (void)atomic_compare_exchange_strong(&places[i].tid, &whose, 0);
    }
}

int cp_sigaltstack_onstack_flag(void)
{
    return atomic_load(&is_shared) ? 0 : SA_ONSTACK;
}
