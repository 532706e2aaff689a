/*
 * dwarf_find.c - finds units by .debug_aranges and by the ranges of their
 * roots.
 *
 * A set of .debug_aranges:
 *   length, version (2), offset of the unit, address size (1), segment size
 *   (1), padding to twice the address size, pairs of address and length, a
 *   pair of zeros
 *
 * If two units claim an address, the first in the file wins, independent of the
 * number of threads.
 */
#include "symbol/dwarf/dwarf_find.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "symbol/dwarf/dwarf_index.h"
#include "symbol/dwarf/dwarf_names.h"
#include "symbol/dwarf/dwarf_ranges.h"
#include "symbol/dwarf/dwarf_source.h"
#include "symbol/dwarf/dwarf_worker.h"

#define UNITS_PER_PIECE 64
#define FEW_ADDRESSES 64

/*
 * Marks an address as claimed by the root of a unit. A claim by .debug_aranges
 * has priority.
 */
#define BY_ROOT ((uint64_t)1 << 63)

struct search {
    const struct cp_dwarf_source *source;
    const uint64_t *sorted;
    size_t n;
    _Atomic uint64_t *unit_of;
    struct cp_sort_pair *listed; /* units listed in .debug_aranges, sorted */
    size_t n_listed, listed_cap;
    /* State of the second step (reading the roots of units), shared by the
     * threads. */
    const struct cp_dwarf_units *units;
    atomic_size_t next_unit;
    struct cp_unit_map *map; /* map to fill instead, or NULL */
    size_t max_ranges;       /* maximum ranges of the map */
    bool is_incomplete; /* map incomplete: it is too large or allocation failed
                         */
};

/* Adds a range to the map being built. */
static void map_range(struct search *s, uint64_t low, uint64_t high,
                      uint64_t unit)
{
    if (s->map->n >= s->max_ranges || !cp_unit_map_add(s->map, low, high, unit))
        s->is_incomplete = true;
}

/* Assigns the addresses in [low, high) to a unit. */
static void claim(struct search *s, uint64_t low, uint64_t high, uint64_t unit)
{
    for (size_t i = cp_search_from(s->sorted, sizeof(*s->sorted), s->n, low);
         i < s->n && s->sorted[i] < high; i++) {
        uint64_t had =
            atomic_load_explicit(&s->unit_of[i], memory_order_relaxed);

        while (unit < had &&
               !atomic_compare_exchange_weak(&s->unit_of[i], &had, unit))
            ;
    }
}

/* Handles a range of any table: adds it to the map or claims its addresses. */
static void add_range(struct search *s, uint64_t low, uint64_t high,
                      uint64_t unit)
{
    if (s->map)
        map_range(s, low, high, unit);
    else if (low <= s->sorted[s->n - 1] && high > s->sorted[0])
        claim(s, low, high, unit);
}

/* Reads the pairs of a set, behind its header. */
static void read_pairs(struct search *s, struct cp_cursor *c, unsigned size,
                       uint64_t unit)
{
    while (cp_cursor_left(c) >= 2 * size) {
        uint64_t low = cp_cursor_uint(c, size);
        uint64_t len = cp_cursor_uint(c, size);

        if (low == 0 && len == 0)
            return;
        add_range(s, low, low + len, unit);
    }
}

static bool read_set(struct search *s, struct cp_cursor *c)
{
    const uint8_t *start = c->pos;
    unsigned offset_size = 4, size, version;
    uint64_t len = cp_cursor_uint(c, 4), unit;
    struct cp_cursor set;

    if (len == 0xffffffff) {
        len = cp_cursor_uint(c, 8);
        offset_size = 8;
    }
    set = cp_cursor_part(c, len);
    version = (unsigned)cp_cursor_uint(&set, 2);
    unit = cp_cursor_uint(&set, offset_size);
    size = cp_cursor_u8(&set);
    if (cp_cursor_u8(&set) != 0 || version != 2 || set.failed ||
        (size != 4 && size != 8))
        return !c->failed && len > 0;
    if (cp_reserve(&s->listed, &s->listed_cap, s->n_listed + 1,
                   sizeof(*s->listed), NULL) != CP_OK)
        return false;
    s->listed[s->n_listed++].key = unit;
    cp_cursor_skip(&set, -(uint64_t)(set.pos - start) & (2 * size - 1));
    read_pairs(s, &set, size, unit);
    return true;
}

static enum cp_status read_aranges(struct search *s)
{
    struct cp_cursor c = cp_dwarf_at(s->source->dwarf, CP_DWARF_ARANGES, 0);

    while (c.pos < c.end && read_set(s, &c))
        ;
    return cp_sort_pairs(s->listed, s->n_listed, NULL);
}

static bool is_listed(const struct search *s, uint64_t unit)
{
    size_t low = s->n_listed
                     ? cp_search_from(&s->listed->key, sizeof(*s->listed),
                                      s->n_listed, unit)
                     : 0;

    return low < s->n_listed && s->listed[low].key == unit;
}

static bool has_unclaimed(const struct search *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (atomic_load_explicit(&s->unit_of[i], memory_order_relaxed) ==
            CP_NO_UNIT)
            return true;
    return false;
}

/* Reads the ranges of the root of a unit. */
static void read_root(struct search *s, struct cp_worker *w, uint64_t offset)
{
    struct cp_dwarf_unit u;
    struct cp_code code;
    struct cp_ranges r;

    if (!cp_dwarf_unit_read(s->source->dwarf, offset, &u) ||
        u.type == DW_UT_partial || !cp_worker_root(w, &u, &code))
        return;
    cp_ranges_init(&r, &u, &code, &w->fuel);
    while (cp_ranges_next(&r))
        add_range(s, r.low, r.high, offset | BY_ROOT);
}

static void read_roots(void *context, size_t piece)
{
    struct search *s = context;
    size_t from;

    while ((from = atomic_fetch_add(&s->next_unit, UNITS_PER_PIECE)) <
           s->units->n)
        for (size_t i = from; i < s->units->n && i < from + UNITS_PER_PIECE;
             i++)
            if (!is_listed(s, s->units->offsets[i]))
                read_root(s, &s->source->workers[piece], s->units->offsets[i]);
}

/* Reads the roots of all units that .debug_aranges does not list. */
static void read_all_roots(struct search *s)
{
    s->units = cp_dwarf_unit_list(s->source->dwarf);
    if (s->units && s->source->n_workers > 1 && !s->map)
        cp_parallel_run(s->source->n_workers, read_roots, s);
    else if (s->units)
        read_roots(s, 0);
}

/*
 * Returns the map of units and builds it if needed; NULL if it cannot be built.
 */
static const struct cp_unit_map *find_map(const struct cp_dwarf_source *source)
{
    struct cp_unit_map *map =
        source->index ? cp_dwarf_index_map(source->index) : NULL;
    struct search s = { .source = source, .map = map };

    if (!map || map->is_made || map->is_useless)
        return map && map->is_made ? map : NULL;
    for (unsigned i = 0; i < CP_DWARF_PARTS; i++)
        s.max_ranges += source->dwarf->part[i].len / 16;
    if (read_aranges(&s) == CP_OK)
        read_all_roots(&s);
    cp_free(s.listed);
    map->is_useless = s.is_incomplete || !cp_unit_map_sort(map);
    return map->is_made ? map : NULL;
}

static enum cp_status search_tables(struct search *s)
{
    enum cp_status status = read_aranges(s);

    if (status == CP_OK && has_unclaimed(s))
        read_all_roots(s);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t unit =
            atomic_load_explicit(&s->unit_of[i], memory_order_relaxed);

        if (unit != CP_NO_UNIT)
            atomic_store_explicit(&s->unit_of[i], unit & ~BY_ROOT,
                                  memory_order_relaxed);
    }
    cp_free(s->listed);
    return status;
}

enum cp_status cp_find_units(const struct cp_dwarf_source *source,
                             const uint64_t *sorted, size_t n,
                             _Atomic uint64_t *unit_of)
{
    struct search s = {
        .source = source, .sorted = sorted, .n = n, .unit_of = unit_of
    };
    const struct cp_unit_map *map =
        n <= FEW_ADDRESSES ? find_map(source) : NULL;

    for (size_t i = 0; i < n; i++) {
        uint64_t unit = map ? cp_unit_map_at(map, sorted[i]) : CP_NO_UNIT;

        atomic_store_explicit(&unit_of[i],
                              unit == CP_NO_UNIT ? unit : unit & ~BY_ROOT,
                              memory_order_relaxed);
    }
    return n == 0 || map ? CP_OK : search_tables(&s);
}
