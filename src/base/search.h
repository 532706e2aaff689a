/*
 * search - binary search by a 64-bit key, inline.
 *
 * The keys are `stride` bytes apart in ascending order: an array of numbers, or
 * one member of an array of structs. `keys` points at the first key.
 */
#ifndef CP_SEARCH_H
#define CP_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t cp_search_key(const void *keys, size_t stride, size_t i)
{
    uint64_t key;

    memcpy(&key, (const char *)keys + i * stride, sizeof(key));
    return key;
}

/* Returns the number of keys < key: the index of the first key >= key. */
static inline size_t cp_search_from(const void *keys, size_t stride, size_t n,
                                    uint64_t key)
{
    size_t low = 0;

    while (n > 0) {
        size_t half = n / 2;
        int is_below = cp_search_key(keys, stride, low + half) < key;

        low = is_below ? low + half + 1 : low;
        n = is_below ? n - half - 1 : half;
    }
    return low;
}

/* Returns the number of keys <= key: the index of the first key > key. */
static inline size_t cp_search_above(const void *keys, size_t stride, size_t n,
                                     uint64_t key)
{
    return key == UINT64_MAX ? n : cp_search_from(keys, stride, n, key + 1);
}

#endif
