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
        return 1;
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
    return a->rank > b->rank;
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

    if (i < n && (!hits[i].name || is_better(symbol, &hits[i], sorted[i])))
        hits[i] = *symbol;
}

void cp_symtab_settle(const uint64_t *sorted, size_t n,
                      struct cp_symtab_hit *hits)
{
    struct cp_symtab_hit carried = { 0 };

    for (size_t i = 0; i < n; i++) {
        if (hits[i].name && is_better(&hits[i], &carried, sorted[i]))
            carried = hits[i];
        hits[i] =
            fit(&carried, sorted[i]) ? carried : (struct cp_symtab_hit){ 0 };
    }
}

/* Global before weak before local, sized before not, plain before "__". */
static unsigned rank_of(const struct cp_elf_symbol *s)
{
    unsigned rank = s->bind == STB_LOCAL ? 0 : s->bind == STB_WEAK ? 16 : 32;

    rank += s->size ? 8 : 0;
    for (unsigned i = 0; i < 3 && s->name[i] == '_'; i++)
        rank--;
    return rank + 3;
}

static bool is_function(const struct cp_elf *e, const struct cp_elf_symbol *s)
{
    const struct cp_elf_section *in;

    if (s->section == SHN_UNDEF || s->name[0] == 0)
        return false;
    if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
        return true;
    in = cp_elf_section_at(e, s->section);
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
        struct cp_symtab_hit hit = { s.name, s.value, s.size, 0 };

        if (s.value > sorted[n - 1] || !is_function(e, &s))
            continue;
        if (s.size && s.value + s.size <= sorted[0] &&
            s.value + s.size >= s.value)
            continue;
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
