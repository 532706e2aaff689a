/*
 * symtab.c - looks up symbols by address.
 *
 * A symbol is stored at the first requested address >= its start, if it starts
 * later than the symbol stored there. After all symbols, one pass over the
 * addresses propagates each stored symbol to the following addresses.
 */
#include "symbol/table/symtab.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/elf_symbols.h"

#define MAX_LOOKBACK                                                           \
    64 /* maximum symbols examined that begin before an address */

/*
 * Returns how a symbol fits: 2 contains the address, 1 has no size, 0 does not
 * fit.
 */
static int fit(const struct cp_symtab_hit *h, uint64_t address)
{
    if (!h->name || address < h->start)
        return 0;
    if (h->size == 0)
        return address < h->limit ? 1 : 0;
    return address - h->start < h->size ? 2 : 0;
}

/*
 * Whether a is the better symbol: it fits better, or is nearer if both fit
 * alike.
 */
static bool is_better(const struct cp_symtab_hit *a,
                      const struct cp_symtab_hit *b, uint64_t address)
{
    int fit_a = fit(a, address), fit_b = fit(b, address);

    if (fit_a != fit_b)
        return fit_a > fit_b;
    if (a->start != b->start)
        return a->start > b->start;
    return a->rank >= b->rank; /* of equals, the last in the table */
}

void cp_symtab_offer(const struct cp_symtab_hit *symbol, const uint64_t *sorted,
                     size_t n, struct cp_symtab_hit *hits)
{
    size_t i = cp_search_from(sorted, sizeof(*sorted), n, symbol->start);
    uint64_t last;

    if (i == n)
        return;
    last = hits[i].last_start;
    if (!hits[i].name || is_better(symbol, &hits[i], sorted[i]))
        hits[i] = *symbol;
    hits[i].last_start = symbol->start > last ? symbol->start : last;
}

void cp_symtab_propagate(const uint64_t *sorted, size_t n,
                         struct cp_symtab_hit *hits)
{
    struct cp_symtab_hit carried = { 0 };
    uint64_t last = 0;

    for (size_t i = 0; i < n; i++) {
        int quality;

        if (hits[i].last_start > last)
            last = hits[i].last_start;
        if (hits[i].name && is_better(&hits[i], &carried, sorted[i]))
            carried = hits[i];
        quality = fit(&carried, sorted[i]);
        if (quality == 2 || (quality == 1 && carried.start == last))
            hits[i] = carried;
        else
            hits[i] = (struct cp_symtab_hit){ 0 };
        hits[i].last_start = 0;
    }
}

/*
 * Returns the rank of a symbol. Prefers, in this order: not local, with size,
 * no leading underscores, not weak.
 */
static unsigned rank_of(const struct cp_elf_symbol *s)
{
    unsigned rank = s->bind == STB_LOCAL ? 0 : 32, n = 0;

    while (n < 4 && s->name[n] == '_')
        n++;
    return rank + (s->size ? 16 : 0) + 2 * (4 - n) + (s->bind != STB_WEAK);
}

static bool is_function(const struct cp_elf_section *in,
                        const struct cp_elf_symbol *s)
{
    if (s->section == SHN_UNDEF || s->name[0] == 0)
        return false;
    if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
        return true;
    return s->type == STT_NOTYPE && in && (in->flags & SHF_ALLOC) &&
           s->name[0] !=
               '$'; /* "$x" marks the start of code on ARM and RISC-V */
}

/* Called with each function of a table. */
typedef void symbol_visitor(void *context, const struct cp_symtab_hit *symbol);

static void read_table(const struct cp_elf *e, uint32_t kind,
                       symbol_visitor *take, void *context)
{
    struct cp_elf_symbols table;
    struct cp_elf_symbol s;

    if (!cp_elf_symbols_init(&table, e, kind))
        return;
    while (cp_elf_symbols_next(&table, &s)) {
        const struct cp_elf_section *in = cp_elf_section_at(e, s.section);
        struct cp_symtab_hit hit = { .name = s.name,
                                     .start = s.value,
                                     .size = s.size,
                                     .limit = UINT64_MAX };

        if (!is_function(in, &s))
            continue;
        if (in && in->addr + in->size > s.value)
            hit.limit = in->addr + in->size;
        hit.rank = rank_of(&s);
        take(context, &hit);
    }
}

/* Context of a lookup while a table is read. */
struct batch {
    const uint64_t *sorted;
    size_t n;
    struct cp_symtab_hit *hits;
};

static void offer(void *context, const struct cp_symtab_hit *symbol)
{
    const struct batch *b = context;

    if (symbol->start <= b->sorted[b->n - 1])
        cp_symtab_offer(symbol, b->sorted, b->n, b->hits);
}

void cp_symtab_find(const struct cp_elf *e, const uint64_t *sorted, size_t n,
                    struct cp_symtab_hit *hits)
{
    struct batch b = { sorted, n, hits };

    if (n == 0)
        return;
    read_table(e, SHT_SYMTAB, offer, &b);
    read_table(e, SHT_DYNSYM, offer, &b);
    cp_symtab_propagate(sorted, n, hits);
}

struct cp_symtab_index {
    struct cp_symtab_hit *items; /* sorted by start */
    size_t n, cap;
    bool is_incomplete; /* whether allocation failed */
};

static void add(void *context, const struct cp_symtab_hit *symbol)
{
    struct cp_symtab_index *x = context;

    if (cp_reserve(&x->items, &x->cap, x->n + 1, sizeof(*x->items), NULL) ==
        CP_OK)
        x->items[x->n++] = *symbol;
    else
        x->is_incomplete = true;
}

struct cp_symtab_index *cp_symtab_index_new(const struct cp_elf *e)
{
    struct cp_symtab_index *x = cp_alloc(1, sizeof(*x), NULL);

    if (!x)
        return NULL;
    read_table(e, SHT_SYMTAB, add, x);
    read_table(e, SHT_DYNSYM, add, x);
    if (x->is_incomplete ||
        cp_sort_structs(x->items, x->n, sizeof(*x->items),
                        offsetof(struct cp_symtab_hit, start), NULL) != CP_OK) {
        cp_symtab_index_free(x);
        return NULL;
    }
    return x;
}

void cp_symtab_index_free(struct cp_symtab_index *x)
{
    if (x)
        cp_free(x->items);
    cp_free(x);
}

void cp_symtab_index_find(const struct cp_symtab_index *x,
                          const uint64_t *sorted, size_t n,
                          struct cp_symtab_hit *hits)
{
    for (size_t i = 0; i < n; i++) {
        size_t end = x->n == 0
                         ? 0
                         : cp_search_above(&x->items->start, sizeof(*x->items),
                                           x->n, sorted[i]);
        size_t from = end > MAX_LOOKBACK ? end - MAX_LOOKBACK : 0;

        for (size_t k = from; k < end; k++)
            cp_symtab_offer(&x->items[k], &sorted[i], 1, &hits[i]);
        cp_symtab_propagate(&sorted[i], 1, &hits[i]);
    }
}
