/*
 * sort.c - insertion sort for short lists, radix sort for long ones.
 *
 * The radix sort has eleven bits per pass and skips passes in which all keys
 * agree, which are most passes for the addresses of one file.
 */
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

#define SHORT_LIST 32
#define BITS 11
#define BUCKETS ((size_t)1 << BITS)

static void sort_short(struct cp_sort_pair *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct cp_sort_pair pair = pairs[i];
        size_t k = i;

        for (; k > 0 && pairs[k - 1].key > pair.key; k--)
            pairs[k] = pairs[k - 1];
        pairs[k] = pair;
    }
}

static bool is_sorted(const struct cp_sort_pair *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (pairs[i - 1].key > pairs[i].key)
            return false;
    return true;
}

/* Runs one radix sort pass by the bits at `shift`. */
static void pass(const struct cp_sort_pair *from, struct cp_sort_pair *to,
                 size_t n, unsigned shift)
{
    size_t starts[BUCKETS] = { 0 }, sum = 0;

    for (size_t i = 0; i < n; i++)
        starts[from[i].key >> shift & (BUCKETS - 1)]++;
    for (size_t i = 0; i < BUCKETS; i++) {
        size_t count = starts[i];

        starts[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
}

enum cp_status cp_sort_pairs(struct cp_sort_pair *pairs, size_t n,
                             struct cp_error *err)
{
    struct cp_sort_pair *room, *from = pairs, *to;
    uint64_t differ = 0;

    if (n <= SHORT_LIST) {
        sort_short(pairs, n);
        return CP_OK;
    }
    if (is_sorted(pairs, n))
        return CP_OK;
    room = cp_alloc(n, sizeof(*room), err);
    if (!room)
        return CP_ENOMEM;
    to = room;
    for (size_t i = 1; i < n; i++)
        differ |= pairs[i].key ^ pairs[0].key;
    for (unsigned shift = 0; shift < 64; shift += BITS) {
        struct cp_sort_pair *other = from;

        if (!(differ >> shift & (BUCKETS - 1)))
            continue;
        pass(from, to, n, shift);
        from = to;
        to = other;
    }
    if (from != pairs)
        memcpy(pairs, from, n * sizeof(*pairs));
    cp_free(room);
    return CP_OK;
}

enum cp_status cp_sort_structs(void *p, size_t n, size_t size, size_t key_at,
                               struct cp_error *err)
{
    struct cp_sort_pair *order = cp_alloc(n, sizeof(*order), err);
    char *items = p, *room = cp_alloc(n, size, err);
    enum cp_status status = order && room ? CP_OK : CP_ENOMEM;

    for (size_t i = 0; status == CP_OK && i < n; i++) {
        order[i].value = i;
        memcpy(&order[i].key, items + i * size + key_at, sizeof(order[i].key));
    }
    if (status == CP_OK)
        status = cp_sort_pairs(order, n, err);
    for (size_t i = 0; status == CP_OK && i < n; i++)
        memcpy(room + i * size, items + order[i].value * size, size);
    if (status == CP_OK && n > 0)
        memcpy(items, room, n * size);
    cp_free(order);
    cp_free(room);
    return status;
}
