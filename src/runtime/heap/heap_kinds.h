/*
 * heap_kinds - the profiles of memory: heap, allocs, growth.
 *
 * All show the samples of heap.h: `heap` what is in use, `allocs` all that was
 * ever allocated, `growth` which allocations made the memory in use larger
 * than it had ever been.
 */
#ifndef CP_HEAP_KINDS_H
#define CP_HEAP_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/kind/kind.h"

struct cp_builder;
struct cp_kind_form;
struct cp_profile;
struct cp_stack_writer;

extern const struct cp_kind cp_allocs_kind, cp_growth_kind, cp_heap_kind;

struct cp_heap_row;

/* For leak_kind.c: a sample of the row's stack, and what all share. */
enum cp_status cp_heap_write_row(struct cp_stack_writer *w, size_t i,
                                 const struct cp_heap_row *row,
                                 const int64_t *values);
enum cp_status cp_heap_hide_allocators(struct cp_builder *b,
                                       struct cp_error *err);
enum cp_status cp_heap_build(const struct cp_kind_form *form, void *context,
                             struct cp_profile **out, struct cp_error *err);

#endif
