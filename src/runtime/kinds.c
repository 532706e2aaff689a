/* kinds.c - see kinds.h. */
#include "runtime/kinds.h"

#include <string.h>

#include "runtime/cpu.h"
#include "runtime/locks.h"
#include "runtime/wall.h"

const struct cp_kind *const cp_kinds[] = {
    &cp_block_kind, &cp_cpu_kind, &cp_mutex_kind, &cp_wall_kind, NULL,
};

const struct cp_kind *cp_kinds_find(const char *name)
{
    for (size_t i = 0; cp_kinds[i]; i++)
        if (strcmp(cp_kinds[i]->name, name) == 0)
            return cp_kinds[i];
    return NULL;
}
