/* hooks_bypassed.c - see hooks_bypassed.h. */
#include "runtime/threads/hooks_bypassed.h"

#include <stdatomic.h>
#include <stddef.h>

static bool (*test)(void);
static _Atomic bool is_late;

void cp_hooks_bypassed_set_test(bool (*is_seen)(void))
{
    test = is_seen;
}

void cp_hooks_bypassed_detect(void)
{
    atomic_store(&is_late, !test || !test());
}

bool cp_hooks_are_bypassed(void)
{
    return atomic_load(&is_late);
}
