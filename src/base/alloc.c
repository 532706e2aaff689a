/* alloc.c - checked malloc, with failure injection for tests. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static _Atomic long fail_countdown; /* 0 disables failures; set by tests only */

void cp_alloc_fail_at(long n)
{
    atomic_store(&fail_countdown, n);
}

static int must_fail(size_t n, size_t size)
{
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) > 0 &&
        atomic_fetch_sub(&fail_countdown, 1) == 1)
        return 1;
    return size != 0 && n > (size_t)PTRDIFF_MAX / size;
}

void *cp_alloc(size_t n, size_t size, struct cp_error *err)
{
    void *p = NULL;

    if (!must_fail(n, size))
        p = n ? calloc(n, size) : calloc(1, 1);
    if (!p)
        (void)cp_error_nomem(err);
    return p;
}

void *cp_resize(void *p, size_t n, size_t size, struct cp_error *err)
{
    void *grown = NULL;

    if (!must_fail(n, size))
        grown = realloc(p, n && size ? n * size : 1);
    if (!grown)
        (void)cp_error_nomem(err);
    return grown;
}

void cp_free(void *p)
{
    free(p);
}
