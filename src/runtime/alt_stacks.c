/* alt_stacks.c - see alt_stacks.h. */
#include "runtime/alt_stacks.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "signal/syscall.h"

#define PLACES 64 /* by address; who comes later takes the place */

static struct {
    _Atomic uintptr_t stack;
    _Atomic long tid; /* of the last one who has set it */
} places[PLACES];

static _Atomic bool is_shared;

static bool is_alive(long tid)
{
    return CP_SYSCALL(SYS_tgkill, CP_SYSCALL(SYS_getpid, 0), tid, 0) == 0;
}

bool cp_alt_stacks_note(const stack_t *stack)
{
    uintptr_t at = (uintptr_t)stack->ss_sp;
    size_t place = (at >> 12) % PLACES;
    long tid = CP_SYSCALL(SYS_gettid, 0), before;

    if (stack->ss_flags & SS_DISABLE)
        return false;
    before = atomic_exchange(&places[place].tid, tid);
    if (atomic_exchange(&places[place].stack, at) != at || before == tid ||
        !is_alive(before))
        return false;
    return !atomic_exchange(&is_shared, true);
}

int cp_alt_stacks_flag(void)
{
    return atomic_load(&is_shared) ? 0 : SA_ONSTACK;
}
