/*
 * range_index.c - a segment tree over sorted bounds.
 *
 * Leaf i covers the points from bounds[i] to bounds[i + 1]. A range marks the
 * O(log n) nodes that together cover it. A lookup returns the lowest mark
 * between leaf and root.
 */
#include "profile/model/range_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"

static int by_value(const void *a, const void *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x < y ? -1 : x > y;
}

enum cp_status cp_range_index_init(struct cp_range_index *x, uint64_t *bounds,
                                   size_t n_bounds, struct cp_error *err)
{
    size_t n = 0;

    qsort(bounds, n_bounds, sizeof(*bounds), by_value);
    for (size_t i = 0; i < n_bounds; i++)
        if (i == 0 || bounds[i] != bounds[i - 1])
            bounds[n++] = bounds[i];
    x->bounds = bounds;
    x->n_bounds = n;
    x->lowest = cp_alloc(n * 2, sizeof(*x->lowest), err);
    if (!x->lowest)
        return CP_ENOMEM;
    memset(x->lowest, 0xff, n * 2 * sizeof(*x->lowest));
    return CP_OK;
}

void cp_range_index_release(struct cp_range_index *x)
{
    cp_free(x->lowest);
    *x = (struct cp_range_index){ 0 };
}

/* Returns the number of bounds <= point. */
static size_t rank(const struct cp_range_index *x, uint64_t point)
{
    return cp_search_above(x->bounds, sizeof(*x->bounds), x->n_bounds, point);
}

static void mark(struct cp_range_index *x, size_t node, uint32_t number)
{
    if (number < x->lowest[node])
        x->lowest[node] = number;
}

void cp_range_index_add(struct cp_range_index *x, uint64_t from, uint64_t to,
                        uint32_t number)
{
    size_t left, right;

    if (from >= to)
        return;
    left = rank(x, from) - 1 + x->n_bounds;
    right = rank(x, to) - 1 + x->n_bounds;
    for (; left < right; left /= 2, right /= 2) {
        if (left & 1)
            mark(x, left++, number);
        if (right & 1)
            mark(x, --right, number);
    }
}

uint32_t cp_range_index_find(const struct cp_range_index *x, uint64_t point)
{
    size_t node = rank(x, point);
    uint32_t found = CP_NO_RANGE;

    if (node == 0)
        return found;
    for (node += x->n_bounds - 1; node; node /= 2)
        if (x->lowest[node] < found)
            found = x->lowest[node];
    return found;
}
