/* alloc.c - checked malloc with a failure switch for tests; see alloc.h. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Atomic long fail_countdown; /* 0: never fail; set by tests only */

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

enum cp_status cp_reserve(void *p, size_t *cap, size_t need, size_t size,
                          struct cp_error *err)
{
    size_t want = *cap + *cap / 2 + 16;
    void *old, *grown;

    if (need <= *cap)
        return CP_OK;
    if (want < need)
        want = need;
    memcpy(&old, p, sizeof(old));
    grown = cp_resize(old, want, size, err);
    if (!grown)
        return CP_ENOMEM;
    memcpy(p, &grown, sizeof(grown));
    *cap = want;
    return CP_OK;
}

void cp_free(void *p)
{
    free(p);
}
