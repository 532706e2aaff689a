/*
 * heap_kinds - the profiles of memory: heap, allocs, growth.
 *
 * All show the samples of heap.h: `heap` what is in use, `allocs` all that was
 * ever allocated, `growth` which allocations made the memory in use larger
 * than it had ever been.
 */
#ifndef CP_HEAP_KINDS_H
#define CP_HEAP_KINDS_H

#include "runtime/kind.h"

extern const struct cp_kind cp_allocs_kind, cp_growth_kind, cp_heap_kind;

#endif
