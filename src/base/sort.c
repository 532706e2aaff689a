/* sort.c - heap sort: n log n whatever comes, and no memory; see sort.h. */
#include "base/sort.h"

#include <stdbool.h>

static bool is_less(const struct cp_sort_item *a, const struct cp_sort_item *b)
{
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

/* Puts items[i] where it belongs among those below it. */
static void sift(struct cp_sort_item *items, size_t i, size_t n)
{
    struct cp_sort_item top = items[i];

    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_less(&items[child], &items[child + 1]))
            child++;
        if (!is_less(&top, &items[child]))
            break;
        items[i] = items[child];
    }
    items[i] = top;
}

void cp_sort_items(struct cp_sort_item *items, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift(items, i, n);
    while (n > 1) {
        struct cp_sort_item largest = items[0];

        items[0] = items[--n];
        items[n] = largest;
        sift(items, 0, n);
    }
}

size_t cp_sort_lower(const struct cp_sort_item *items, size_t n, uint64_t key)
{
    size_t low = 0;

    while (n > 0) {
        size_t half = n / 2;

        if (items[low + half].key < key) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}
