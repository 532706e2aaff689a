/* routines.c - builds and searches the table of functions. */
#include "symbol/table/routines.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/elf_symbols.h"
#include "symbol/table/plt.h"

#define MAX_SIZE ((uint64_t)1 << 30)
#define MAX_LOOKBACK 64 /* maximum symbols examined for an enclosing one */

static bool is_code(const struct cp_elf *e, const struct cp_elf_symbol *s)
{
    const struct cp_elf_section *section;

    if (s->section == SHN_UNDEF || s->name[0] == '\0')
        return false;
    if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
        return true;
    section = cp_elf_section_at(e, s->section);
    /* $x and $d mark code and data on ARM; .L labels are compiler-generated. */
    return s->type == STT_NOTYPE && section &&
           (section->flags & SHF_EXECINSTR) && s->name[0] != '$' &&
           strncmp(s->name, ".L", 2) != 0;
}

static enum cp_status add(struct cp_routines *r, struct cp_routine routine,
                          struct cp_error *err)
{
    if (cp_arena_reserve(&r->arena, &r->items, r->n, &r->cap, r->n + 1,
                         sizeof(*r->items), err) != CP_OK)
        return CP_ENOMEM;
    r->items[r->n++] = routine;
    return CP_OK;
}

static enum cp_status add_table(struct cp_routines *r, const struct cp_elf *e,
                                uint32_t kind, struct cp_error *err)
{
    struct cp_elf_symbols table;
    struct cp_elf_symbol s;

    if (!e || !cp_elf_symbols_init(&table, e, kind))
        return CP_OK;
    while (cp_elf_symbols_next(&table, &s)) {
        struct cp_routine routine = { s.value, s.value + s.size, s.name };

        if (is_code(e, &s) && s.size < MAX_SIZE &&
            add(r, routine, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

/* Orders by start; for equal starts the longest first, then by name. */
static int compare(const void *a, const void *b)
{
    const struct cp_routine *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Returns the end of the section that contains an address. */
static uint64_t section_end(const struct cp_elf *e, uint64_t address)
{
    for (size_t i = 0; i < cp_elf_section_count(e); i++) {
        const struct cp_elf_section *s = cp_elf_section_at(e, i);

        if ((s->flags & SHF_EXECINSTR) && address >= s->addr &&
            address - s->addr < s->size)
            return s->addr + s->size;
    }
    return address;
}

/* Removes duplicate names of a start. */
static void drop_duplicates(struct cp_routines *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        bool is_new = true;

        for (size_t k = n; is_new && k-- > 0;) {
            if (r->items[k].start != r->items[i].start || n - k > 16)
                break;
            is_new = strcmp(r->items[k].name, r->items[i].name) != 0;
        }
        if (is_new)
            r->items[n++] = r->items[i];
    }
    r->n = n;
}

/*
 * Sets the end of symbols without size to the next symbol or the end of the
 * section.
 */
static void set_ends(struct cp_routines *r, const struct cp_elf *e)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = r->n; i-- > 0;) {
        struct cp_routine *it = &r->items[i];

        if (i + 1 < r->n && r->items[i + 1].start != it->start)
            next = r->items[i + 1].start;
        if (it->end != it->start)
            continue;
        it->end = section_end(e, it->start);
        if (it->end > next)
            it->end = next;
    }
}

enum cp_status cp_routines_init(struct cp_routines *r, const struct cp_elf *e,
                                const struct cp_elf *debug,
                                struct cp_error *err)
{
    *r = (struct cp_routines){ 0 };
    if (add_table(r, e, SHT_SYMTAB, err) != CP_OK ||
        add_table(r, debug, SHT_SYMTAB, err) != CP_OK ||
        add_table(r, e, SHT_DYNSYM, err) != CP_OK ||
        cp_plt_read(r, e, err) != CP_OK) {
        cp_routines_release(r);
        return CP_ENOMEM;
    }
    if (r->n > 0)
        qsort(r->items, r->n, sizeof(*r->items), compare);
    drop_duplicates(r);
    set_ends(r, e);
    return CP_OK;
}

void cp_routines_release(struct cp_routines *r)
{
    cp_arena_release(&r->arena);
    *r = (struct cp_routines){ 0 };
}

const struct cp_routine *cp_routines_find(const struct cp_routines *r,
                                          uint64_t address)
{
    size_t above = r->n ? cp_search_above(&r->items->start, sizeof(*r->items),
                                          r->n, address)
                        : 0;

    for (size_t i = above; i-- > 0;) {
        const struct cp_routine *first = &r->items[i];

        while (first > r->items && first[-1].start == first->start)
            first--;
        if (address < first->end)
            return first;
        /*
         * Limits the search: a short symbol may be inside a long one, but not
         * many.
         */
        if (address - first->start > MAX_SIZE || above - i > MAX_LOOKBACK)
            return NULL;
        i = (size_t)(first - r->items);
    }
    return NULL;
}

const struct cp_routine *cp_routines_alias(const struct cp_routines *r,
                                           const struct cp_routine *routine)
{
    const struct cp_routine *next = routine + 1;

    return next < r->items + r->n && next->start == routine->start ? next
                                                                   : NULL;
}
