/*
 * alloc - all heap allocation of the project.
 *
 * A test can make the n-th allocation fail and check that the caller handles
 * it. Sizes are given as count and element size; an overflow of the product is
 * an allocation failure.
 */
#ifndef CP_ALLOC_H
#define CP_ALLOC_H

#include <stddef.h>

#include "base/error.h"

/*
 * Returns n zeroed elements, not NULL for n == 0; NULL with *err set on
 * failure.
 */
void *cp_alloc(size_t n, size_t size, struct cp_error *err);

/*
 * Like cp_alloc, with all pages populated, for hash tables. A read of an
 * untouched page maps the kernel's zero page, and the first write then faults
 * again and interrupts all other threads of the process (TLB shootdown).
 */
void *cp_alloc_table(size_t n, size_t size, struct cp_error *err);

/*
 * Resizes p, which these functions returned or which is NULL; new bytes are not
 * zeroed. On failure returns NULL with *err set and leaves p unchanged.
 */
void *cp_resize(void *p, size_t n, size_t size, struct cp_error *err);

/*
 * Ensures space for `need` elements in the array *p of capacity *cap; grows by
 * at least half. p is the address of a pointer.
 */
enum cp_status cp_reserve(void *p, size_t *cap, size_t need, size_t size,
                          struct cp_error *err);

void cp_free(void *p);

/* For tests: makes the n-th allocation from now fail; 0 turns it off. */
void cp_alloc_fail_at(long n);

#endif
