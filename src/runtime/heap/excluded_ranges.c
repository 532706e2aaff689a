/* excluded_ranges.c - an unsorted list of ranges, searched linearly. */
#include "runtime/heap/excluded_ranges.h"

#include <stdbool.h>

#include "base/assert/assert.h"

void cp_excluded_ranges_add(struct cp_excluded_ranges *h, const void *start,
                            size_t len)
{
    uintptr_t at = (uintptr_t)start;

    CP_ASSERT(h->n <= CP_EXCLUDED_RANGES_MAX);
    if (!at || !len || h->n == CP_EXCLUDED_RANGES_MAX)
        return;
    CP_ASSERT(at + len > at);
    h->list[h->n].start = at;
    h->list[h->n].end = at + len;
    h->n++;
}

uintptr_t cp_excluded_ranges_next(const struct cp_excluded_ranges *h,
                                  uintptr_t *start, uintptr_t end)
{
    bool has_moved = true;

    CP_ASSERT(h->n <= CP_EXCLUDED_RANGES_MAX);
    /* A range that was checked before may contain the new *start: repeat. */
    while (has_moved && *start < end) {
        has_moved = false;
        for (size_t i = 0; i < h->n; i++)
            if (*start >= h->list[i].start && *start < h->list[i].end) {
                *start = h->list[i].end;
                has_moved = true;
            }
    }
    for (size_t i = 0; i < h->n; i++)
        if (h->list[i].start > *start && h->list[i].start < end)
            end = h->list[i].start;
    return end;
}
