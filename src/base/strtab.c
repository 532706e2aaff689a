/* strtab.c - hash table with open addressing; the strings are in an arena. */
#include "base/strtab.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

static uint32_t *find_slot(const struct cp_strtab *t, const char *text,
                           size_t len)
{
    uint32_t i = (uint32_t)cp_hash_bytes(text, len) & t->mask;

    for (; t->slots[i]; i = (i + 1) & t->mask) {
        struct cp_str have = t->items[t->slots[i] - 1];

        if (have.len == len && memcmp(have.ptr, text, len) == 0)
            break;
    }
    return &t->slots[i];
}

static enum cp_status resize_slots(struct cp_strtab *t, size_t n,
                                   struct cp_error *err)
{
    size_t n_slots = 64;
    uint32_t *slots;

    while (n_slots < n * 2)
        n_slots *= 2;
    if (n_slots > UINT32_MAX / 2)
        return cp_error_nomem(err);
    slots = cp_arena_alloc(t->arena, n_slots, sizeof(*slots), err);
    if (!slots)
        return CP_ENOMEM;
    t->slots = slots;
    t->mask = (uint32_t)(n_slots - 1);
    for (uint32_t i = 0; i < t->n; i++)
        *find_slot(t, t->items[i].ptr, t->items[i].len) = i + 1;
    return CP_OK;
}

enum cp_status cp_strtab_init(struct cp_strtab *t, struct cp_arena *arena,
                              size_t n_expected, struct cp_error *err)
{
    *t = (struct cp_strtab){ .arena = arena };
    if (cp_arena_reserve(arena, &t->items, 0, &t->cap, n_expected + 1,
                         sizeof(*t->items), err) != CP_OK ||
        resize_slots(t, n_expected + 1, err) != CP_OK)
        return CP_ENOMEM;
    return cp_strtab_add(t, "", 0, err) == 0 ? CP_OK : CP_ENOMEM;
}

uint32_t cp_strtab_add(struct cp_strtab *t, const char *text, size_t len,
                       struct cp_error *err)
{
    uint32_t *slot = find_slot(t, text, len);
    char *copy;

    if (*slot)
        return *slot - 1;
    if (len > UINT32_MAX - 1) {
        (void)cp_error_set(err, CP_EFORMAT,
                           "a string has %zu bytes, which is too long", len);
        return CP_NO_STR;
    }
    if (t->n >= t->mask / 2) {
        if (resize_slots(t, (size_t)t->n * 2, err) != CP_OK)
            return CP_NO_STR;
        slot = find_slot(t, text, len);
    }
    if (cp_arena_reserve(t->arena, &t->items, t->n, &t->cap, t->n + (size_t)1,
                         sizeof(*t->items), err) != CP_OK)
        return CP_NO_STR;
    copy = cp_arena_copy(t->arena, text, len, err);
    if (!copy)
        return CP_NO_STR;
    t->items[t->n] = (struct cp_str){ copy, (uint32_t)len };
    *slot = ++t->n;
    return t->n - 1;
}

uint32_t cp_strtab_find(const struct cp_strtab *t, const char *text, size_t len)
{
    uint32_t found = *find_slot(t, text, len);

    return found ? found - 1 : CP_NO_STR;
}

int cp_str_cmp(struct cp_str a, struct cp_str b)
{
    uint32_t least = a.len < b.len ? a.len : b.len;
    int order = least ? memcmp(a.ptr, b.ptr, least) : 0;

    if (order != 0)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

int cp_str_by_text(const void *a, const void *b)
{
    return cp_str_cmp(*(const struct cp_str *)a, *(const struct cp_str *)b);
}
