/*
 * alloc_table.c - cp_alloc_table. The runtime library replaces alloc.c but not
 * this file.
 */
#include "base/alloc.h"

#include <string.h>

void *cp_alloc_table(size_t n, size_t size, struct cp_error *err)
{
    void *p = cp_alloc(n, size, err);

    return p ? memset(p, 0, n * size) : NULL;
}
