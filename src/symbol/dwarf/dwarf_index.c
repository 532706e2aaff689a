/* dwarf_index.c - caches for repeated lookups. */
#include "symbol/dwarf/dwarf_index.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/search.h"
#include "base/sort.h"

#define MAX_LOOKBACK                                                           \
    256 /* maximum ranges examined that begin before an address */

struct cp_dwarf_index {
    struct cp_unit_index **slots; /* hash table by unit; NULL if free */
    size_t n_units, n_slots;
    struct cp_unit_map map;
};

struct cp_dwarf_index *cp_dwarf_index_new(void)
{
    return cp_alloc(1, sizeof(struct cp_dwarf_index), NULL);
}

void cp_dwarf_index_free(struct cp_dwarf_index *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->n_slots; i++)
        if (x->slots[i]) {
            cp_free(x->slots[i]->functions.items);
            cp_line_marks_release(&x->slots[i]->marks);
            cp_free(x->slots[i]);
        }
    cp_free(x->slots);
    cp_free(x->map.ranges);
    cp_free(x);
}

/* Returns the slot of a unit, or the free slot for it. */
static struct cp_unit_index **find_slot(const struct cp_dwarf_index *x,
                                        uint64_t unit)
{
    size_t at = cp_hash_mix(unit, 0) & (x->n_slots - 1);

    while (x->slots[at] && x->slots[at]->unit != unit)
        at = (at + 1) & (x->n_slots - 1);
    return &x->slots[at];
}

static bool grow(struct cp_dwarf_index *x)
{
    struct cp_dwarf_index larger = { .n_slots =
                                         x->n_slots ? x->n_slots * 2 : 64 };

    larger.slots = cp_alloc(larger.n_slots, sizeof(*larger.slots), NULL);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < x->n_slots; i++)
        if (x->slots[i])
            *find_slot(&larger, x->slots[i]->unit) = x->slots[i];
    cp_free(x->slots);
    x->slots = larger.slots;
    x->n_slots = larger.n_slots;
    return true;
}

struct cp_unit_index *cp_dwarf_index_unit(struct cp_dwarf_index *x,
                                          uint64_t unit)
{
    struct cp_unit_index **slot;

    if (2 * (x->n_units + 1) > x->n_slots && !grow(x))
        return NULL;
    slot = find_slot(x, unit);
    if (*slot)
        return *slot;
    *slot = cp_alloc(1, sizeof(**slot), NULL);
    if (!*slot)
        return NULL;
    (*slot)->unit = unit;
    x->n_units++;
    return *slot;
}

struct cp_unit_map *cp_dwarf_index_map(struct cp_dwarf_index *x)
{
    return &x->map;
}

bool cp_unit_map_add(struct cp_unit_map *m, uint64_t low, uint64_t high,
                     uint64_t unit)
{
    if (low >= high)
        return true;
    if (cp_reserve(&m->ranges, &m->cap, m->n + 1, sizeof(*m->ranges), NULL) !=
        CP_OK)
        return false;
    m->ranges[m->n++] = (struct cp_unit_range){ low, high, unit, 0 };
    return true;
}

bool cp_unit_map_sort(struct cp_unit_map *m)
{
    uint64_t max_end = 0;

    if (cp_sort_structs(m->ranges, m->n, sizeof(*m->ranges),
                        offsetof(struct cp_unit_range, low), NULL) != CP_OK)
        return false;
    for (size_t i = 0; i < m->n; i++) {
        if (m->ranges[i].high > max_end)
            max_end = m->ranges[i].high;
        m->ranges[i].max_end = max_end;
    }
    m->is_made = true;
    return true;
}

uint64_t cp_unit_map_at(const struct cp_unit_map *m, uint64_t address)
{
    size_t low = m->n == 0 ? 0
                           : cp_search_above(&m->ranges->low,
                                             sizeof(*m->ranges), m->n, address);
    uint64_t unit = UINT64_MAX;

    for (size_t i = 0; low > 0 && i < MAX_LOOKBACK; low--, i++) {
        const struct cp_unit_range *r = &m->ranges[low - 1];

        if (r->max_end <= address)
            break;
        if (address < r->high && r->unit < unit)
            unit = r->unit;
    }
    return unit;
}

bool cp_function_sort(struct cp_function_list *l)
{
    return cp_sort_structs(l->items, l->n, sizeof(*l->items),
                           offsetof(struct cp_function_range, low),
                           NULL) == CP_OK;
}

/*
 * Returns the first range with the same start as f that contains the address.
 */
static const struct cp_function_range *
first_like(const struct cp_function_list *l, const struct cp_function_range *f,
           uint64_t address)
{
    size_t at = f->low == 0 ? 0
                            : cp_search_above(&l->items->low, sizeof(*l->items),
                                              l->n, f->low - 1);

    for (size_t i = 0; i < MAX_LOOKBACK && &l->items[at + i] < f; i++)
        if (address < l->items[at + i].high)
            return &l->items[at + i];
    return f;
}

const uint8_t *cp_function_at(const struct cp_function_list *l,
                              uint64_t address)
{
    size_t low = l->n == 0 ? 0
                           : cp_search_above(&l->items->low, sizeof(*l->items),
                                             l->n, address);

    for (size_t i = 0; low > 0 && i < MAX_LOOKBACK; low--, i++) {
        const struct cp_function_range *f = &l->items[low - 1];

        if (address < f->high)
            return first_like(l, f, address)->entry;
    }
    return NULL;
}
