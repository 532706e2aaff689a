/*
 * heap_kinds - the profiles "heap", "allocs" and "growth".
 *
 * All three show the samples of heap.h. `heap` shows blocks in use, `allocs`
 * everything allocated so far, and `growth` the allocations that raised the
 * high-water mark of memory in use.
 *
 * Context: the endpoint thread. Locking: see heap.h.
 */
#ifndef CP_HEAP_KINDS_H
#define CP_HEAP_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/kind/kind.h"

struct cp_builder;
struct cp_heap_row;
struct cp_kind_form;
struct cp_profile;
struct cp_stack_writer;

extern const struct cp_kind cp_allocs_kind, cp_growth_kind, cp_heap_kind;

/* The functions below are shared with leak_kind.c. */

/* Writes one sample with the stack and size label of row i. */
enum cp_status cp_heap_write_row(struct cp_stack_writer *w, size_t i,
                                 const struct cp_heap_row *row,
                                 const int64_t *values);

/* Sets the profile's drop_frames, so that reports hide allocator functions. */
enum cp_status cp_heap_hide_allocators(struct cp_builder *b,
                                       struct cp_error *err);

/* Builds a profile whose period is the sampling interval. */
enum cp_status cp_heap_build(const struct cp_kind_form *form, void *context,
                             struct cp_profile **out, struct cp_error *err);

#endif
