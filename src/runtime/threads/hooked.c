/* hooked.c - see hooked.h. */
#include "runtime/threads/hooked.h"

#include <stdatomic.h>
#include <stddef.h>

static bool (*test)(void);
static _Atomic bool is_late;

void cp_hooked_set_test(bool (*is_seen)(void))
{
    test = is_seen;
}

void cp_hooked_look(void)
{
    atomic_store(&is_late, !test || !test());
}

bool cp_hooked_is_late(void)
{
    return atomic_load(&is_late);
}
