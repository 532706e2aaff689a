/* sigaltstack_sharing.c - a small hash table of stacks and their users. */
#include "runtime/threads/sigaltstack_sharing.h"

#include <stdatomic.h>
#include <sys/syscall.h>

#include "base/assert/assert.h"
#include "signal/unwinder/syscall.h"

#define ENTRIES 64 /* a later stack with the same hash replaces an entry */

static struct {
    _Atomic uintptr_t stack;
    _Atomic long tid; /* last thread that set it; 0 once it stopped using it */
} entries[ENTRIES];

static _Atomic bool is_shared;

static bool is_alive(long tid)
{
    return CP_SYSCALL(SYS_tgkill, CP_SYSCALL(SYS_getpid, 0), tid, 0) == 0;
}

bool cp_sigaltstack_detect_sharing(const stack_t *stack)
{
    uintptr_t at = (uintptr_t)stack->ss_sp;
    size_t i = (at >> 12) % ENTRIES;
    long tid = CP_SYSCALL(SYS_gettid, 0), before;

    if (stack->ss_flags & SS_DISABLE)
        return false;
    CP_ASSERT(tid > 0);
    before = atomic_exchange(&entries[i].tid, tid);
    if (atomic_exchange(&entries[i].stack, at) != at || before == tid ||
        before == 0 || !is_alive(before))
        return false;
    return !atomic_exchange(&is_shared, true);
}

void cp_sigaltstack_drop_others(const stack_t *stack)
{
    bool has_one = !(stack->ss_flags & SS_DISABLE);
    uintptr_t at = (uintptr_t)stack->ss_sp;
    long tid = CP_SYSCALL(SYS_gettid, 0);

    for (size_t i = 0; i < ENTRIES; i++) {
        long expected = tid;

        if (atomic_load(&entries[i].tid) == tid &&
            (!has_one || atomic_load(&entries[i].stack) != at))
            (void)atomic_compare_exchange_strong(&entries[i].tid, &expected, 0);
    }
}

int cp_sigaltstack_onstack_flag(void)
{
    return atomic_load(&is_shared) ? 0 : SA_ONSTACK;
}
