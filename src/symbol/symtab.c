/*
 * symtab.c - symbols looked up among addresses; see symtab.h.
 *
 * A symbol is noted at the first address that is not below its start, if it
 * starts later than what is noted there. After all symbols, one walk over the
 * addresses carries each note on to the addresses behind it.
 */
#include "symbol/symtab.h"

#include <string.h>

#include "elf/elf_symbols.h"

/* How well a symbol fits: 2 within its size, 1 it has none, 0 not. */
static int fit(const struct cp_symtab_hit *h, uint64_t address)
{
    if (!h->name || address < h->start)
        return 0;
    if (h->size == 0)
        return address < h->limit ? 1 : 0;
    return address - h->start < h->size ? 2 : 0;
}

/* Whether a is the better symbol for an address: nearer, if both fit alike. */
static bool is_better(const struct cp_symtab_hit *a,
                      const struct cp_symtab_hit *b, uint64_t address)
{
    int fit_a = fit(a, address), fit_b = fit(b, address);

    if (fit_a != fit_b)
        return fit_a > fit_b;
    if (a->start != b->start)
        return a->start > b->start;
    return a->rank >= b->rank; /* of equals, the last of the table */
}

/* Where an address would go: the first that is not below it. */
static size_t lower_bound(const uint64_t *sorted, size_t n, uint64_t address)
{
    const uint64_t *base = sorted;

    if (n == 0)
        return 0;
    while (n > 1) {
        size_t half = n / 2;

        base += base[half - 1] < address ? half : 0;
        n -= half;
    }
    return (size_t)(base - sorted) + (*base < address);
}

void cp_symtab_offer(const struct cp_symtab_hit *symbol, const uint64_t *sorted,
                     size_t n, struct cp_symtab_hit *hits)
{
    size_t i = lower_bound(sorted, n, symbol->start);
    uint64_t last;

    if (i == n)
        return;
    last = hits[i].last_start;
    if (!hits[i].name || is_better(symbol, &hits[i], sorted[i]))
        hits[i] = *symbol;
    hits[i].last_start = symbol->start > last ? symbol->start : last;
}

void cp_symtab_settle(const uint64_t *sorted, size_t n,
                      struct cp_symtab_hit *hits)
{
    struct cp_symtab_hit carried = { 0 };
    uint64_t last = 0;

    for (size_t i = 0; i < n; i++) {
        int how;

        if (hits[i].last_start > last)
            last = hits[i].last_start;
        if (hits[i].name && is_better(&hits[i], &carried, sorted[i]))
            carried = hits[i];
        how = fit(&carried, sorted[i]);
        if (how == 2 || (how == 1 && carried.start == last))
            hits[i] = carried;
        else
            hits[i] = (struct cp_symtab_hit){ 0 };
        hits[i].last_start = 0;
    }
}

/* Not local, sized, without underscores in front, not weak: in that order. */
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
    return s->type == STT_NOTYPE && in && (in->flags & SHF_EXECINSTR) &&
           s->name[0] != '$'; /* "$x": where code begins, on ARM and RISC-V */
}

static void offer_table(const struct cp_elf *e, uint32_t kind,
                        const uint64_t *sorted, size_t n,
                        struct cp_symtab_hit *hits)
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

        if (s.value > sorted[n - 1] || !is_function(in, &s))
            continue;
        if (in && in->addr + in->size > s.value)
            hit.limit = in->addr + in->size;
        hit.rank = rank_of(&s);
        cp_symtab_offer(&hit, sorted, n, hits);
    }
}

void cp_symtab_find(const struct cp_elf *e, const uint64_t *sorted, size_t n,
                    struct cp_symtab_hit *hits)
{
    if (n == 0)
        return;
    offer_table(e, SHT_SYMTAB, sorted, n, hits);
    offer_table(e, SHT_DYNSYM, sorted, n, hits);
    cp_symtab_settle(sorted, n, hits);
}
