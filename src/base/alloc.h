/*
 * alloc - the one door to malloc.
 *
 * Everything right of the wire allocates through here, so that a test can
 * make the n-th request fail and see the failure travel to its caller.
 * Sizes are given as count and element size; the product is checked.
 */
#ifndef CP_ALLOC_H
#define CP_ALLOC_H

#include <stddef.h>

#include "base/error.h"

/* n zeroed elements, never NULL for n == 0; NULL with *err set on failure. */
void *cp_alloc(size_t n, size_t size, struct cp_error *err);

/*
 * The same, with all pages really there: for tables of which any part may be
 * read before it is written. A fresh page that is read first is the kernel's
 * one page of zeros; the write that follows is a second fault, for which all
 * other threads of the process are interrupted.
 */
void *cp_alloc_table(size_t n, size_t size, struct cp_error *err);

/*
 * Resizes p, which came from here or is NULL; new bytes are not zeroed. On
 * failure returns NULL with *err set, and p stays as it was.
 */
void *cp_resize(void *p, size_t n, size_t size, struct cp_error *err);

/*
 * Makes room for at least `need` elements in the array *p (a pointer to a
 * pointer) of capacity *cap, growing by half at least.
 */
enum cp_status cp_reserve(void *p, size_t *cap, size_t need, size_t size,
                          struct cp_error *err);

void cp_free(void *p);

/* For tests: the n-th request from now fails; 0 turns that off. */
void cp_alloc_fail_at(long n);

#endif
