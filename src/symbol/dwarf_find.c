/*
 * dwarf_find.c - address tables and roots, looked up among the addresses.
 *
 * A set of .debug_aranges:
 *   length, version (2), offset of the unit, address size (1), segment size
 *   (1), padding to twice the address size, pairs of address and length, a
 *   pair of zeros
 *
 * Where two units claim an address, the first in the file has it, whatever
 * the number of threads.
 */
#include "symbol/dwarf_find.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "symbol/dwarf_names.h"

#define UNITS_PER_PIECE 64

struct search {
    const struct cp_dwarf *dwarf;
    const uint64_t *sorted;
    size_t n;
    _Atomic uint64_t *unit_of;
    uint64_t *listed; /* units of .debug_aranges, sorted */
    size_t n_listed, listed_cap;
    /* The second step, on several threads. */
    const struct cp_dwarf_units *units;
    struct cp_worker *workers;
    atomic_size_t next_unit;
};

static size_t lower_bound(const uint64_t *sorted, size_t n, uint64_t value)
{
    size_t low = 0;

    while (n > 0) {
        size_t half = n / 2;

        if (sorted[low + half] < value) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

/* Gives the addresses in [low, high) to a unit. */
static void claim(const struct search *s, uint64_t low, uint64_t high,
                  uint64_t unit)
{
    for (size_t i = lower_bound(s->sorted, s->n, low);
         i < s->n && s->sorted[i] < high; i++) {
        uint64_t had =
            atomic_load_explicit(&s->unit_of[i], memory_order_relaxed);

        while (unit < had &&
               !atomic_compare_exchange_weak(&s->unit_of[i], &had, unit))
            ;
    }
}

/* The pairs of a set, whose header has been read. */
static void read_pairs(const struct search *s, struct cp_cursor *c,
                       unsigned size, uint64_t unit)
{
    uint64_t first = s->sorted[0], last = s->sorted[s->n - 1];

    while (cp_cursor_left(c) >= 2 * size) {
        uint64_t low = cp_cursor_uint(c, size);
        uint64_t len = cp_cursor_uint(c, size);

        if (low == 0 && len == 0)
            return;
        if (low <= last && low + len > first)
            claim(s, low, low + len, unit);
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
    s->listed[s->n_listed++] = unit;
    cp_cursor_skip(&set, -(uint64_t)(set.pos - start) & (2 * size - 1));
    read_pairs(s, &set, size, unit);
    return true;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void read_aranges(struct search *s)
{
    struct cp_cursor c = cp_dwarf_at(s->dwarf, CP_DWARF_ARANGES, 0);

    while (c.pos < c.end && read_set(s, &c))
        ;
    qsort(s->listed, s->n_listed, sizeof(*s->listed), by_value);
}

static bool is_listed(const struct search *s, uint64_t unit)
{
    size_t i = lower_bound(s->listed, s->n_listed, unit);

    return i < s->n_listed && s->listed[i] == unit;
}

static bool has_unclaimed(const struct search *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (atomic_load_explicit(&s->unit_of[i], memory_order_relaxed) ==
            CP_NO_UNIT)
            return true;
    return false;
}

/* The addresses that the root of a unit names. */
static void read_root(const struct search *s, struct cp_worker *w,
                      uint64_t offset)
{
    struct cp_dwarf_unit u;
    struct cp_code code;
    struct cp_ranges r;

    if (!cp_dwarf_unit_read(s->dwarf, offset, &u) || u.type == DW_UT_partial ||
        !cp_worker_root(w, &u, &code))
        return;
    cp_ranges_init(&r, &u, &code, &w->fuel);
    while (cp_ranges_next(&r))
        claim(s, r.low, r.high, offset);
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
                read_root(s, &s->workers[piece], s->units->offsets[i]);
}

enum cp_status cp_find_units(const struct cp_dwarf *d,
                             struct cp_worker *workers, size_t n_workers,
                             const uint64_t *sorted, size_t n,
                             _Atomic uint64_t *unit_of)
{
    struct search s = { .dwarf = d,
                        .sorted = sorted,
                        .n = n,
                        .unit_of = unit_of,
                        .workers = workers };

    for (size_t i = 0; i < n; i++)
        atomic_store_explicit(&unit_of[i], CP_NO_UNIT, memory_order_relaxed);
    if (n == 0)
        return CP_OK;
    read_aranges(&s);
    if (has_unclaimed(&s)) {
        s.units = cp_dwarf_unit_list(d);
        if (s.units && n_workers > 1)
            cp_parallel_run(n_workers, read_roots, &s);
        else if (s.units)
            read_roots(&s, 0);
    }
    cp_free(s.listed);
    return CP_OK;
}
