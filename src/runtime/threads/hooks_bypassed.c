/* hooks_bypassed.c - runs the hooks' own test and keeps its result. */
#include "runtime/threads/hooks_bypassed.h"

#include <stdatomic.h>
#include <stddef.h>

static bool (*test)(void);
static _Atomic bool is_bypassed;

void cp_hooks_bypassed_set_test(bool (*is_seen)(void))
{
    test = is_seen;
}

void cp_hooks_bypassed_detect(void)
{
    atomic_store(&is_bypassed, !test || !test());
}

bool cp_hooks_are_bypassed(void)
{
    return atomic_load(&is_bypassed);
}
