/* kinds.c - the built-in kinds, and the search by name. */
#include "runtime/process/kinds.h"

#include "runtime/heap/heap_kinds.h"
#include "runtime/heap/leak_kind.h"
#include "runtime/profiles/contention.h"
#include "runtime/profiles/cpu.h"
#include "runtime/profiles/custom.h"
#include "runtime/profiles/goroutine.h"
#include "runtime/profiles/threadcreate.h"
#include "runtime/profiles/wall.h"
#include "runtime/trace/trace.h"

/* Sorted by name. */
const struct cp_kind *const cp_kinds[] = {
    &cp_allocs_kind,       &cp_block_kind, &cp_cpu_kind,  &cp_goroutine_kind,
    &cp_growth_kind,       &cp_heap_kind,  &cp_leak_kind, &cp_mutex_kind,
    &cp_threadcreate_kind, &cp_trace_kind, &cp_wall_kind, NULL,
};

const struct cp_kind *cp_kinds_find(const char *name)
{
    for (size_t i = 0; cp_kinds[i]; i++)
        if (cp_kind_is_named(cp_kinds[i], name))
            return cp_kinds[i];
    for (size_t i = 0; cp_custom_kind(i); i++)
        if (cp_kind_is_named(cp_custom_kind(i), name))
            return cp_custom_kind(i);
    return NULL;
}
