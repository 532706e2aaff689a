/*
 * symtab - function names from symbol tables.
 *
 * The addresses are sorted and each symbol is looked up among them. So a table
 * is read once per batch, no index is built, and memory is needed only for the
 * results.
 */
#ifndef CP_SYMTAB_H
#define CP_SYMTAB_H

#include <stddef.h>
#include <stdint.h>

struct cp_elf;

/* The symbol that contains an address; name is NULL if there is none. */
struct cp_symtab_hit {
    const char *name;
    uint64_t start;
    uint64_t size;  /* bytes; 0 if unknown: the symbol then ends at the next */
    uint64_t limit; /* end of its section, for a symbol without size */
    unsigned
        rank; /* priority among symbols with equal start; higher is better */
    uint64_t
        last_start; /* start of the last symbol up to the address; internal */
};

/*
 * Fills in hits[i] for sorted[i] from .symtab and .dynsym. An existing hit is
 * replaced only by a better symbol; zero the hits first.
 */
void cp_symtab_find(const struct cp_elf *e, const uint64_t *sorted, size_t n,
                    struct cp_symtab_hit *hits);

/*
 * Offers one candidate from a table other than these: a function at [start,
 * start + size).
 */
void cp_symtab_offer(const struct cp_symtab_hit *symbol, const uint64_t *sorted,
                     size_t n, struct cp_symtab_hit *hits);

/*
 * Call once after all offers: an address without its own symbol gets that of
 * the previous address; hits that end before their address are cleared.
 */
void cp_symtab_propagate(const uint64_t *sorted, size_t n,
                         struct cp_symtab_hit *hits);

/*
 * Like cp_symtab_find, with a sorted copy of the tables, for repeated lookups.
 * cp_symtab_index_new returns NULL if allocation fails.
 */
struct cp_symtab_index;

struct cp_symtab_index *cp_symtab_index_new(const struct cp_elf *e);
void cp_symtab_index_find(const struct cp_symtab_index *x,
                          const uint64_t *sorted, size_t n,
                          struct cp_symtab_hit *hits);

/* Frees x, which may be NULL. */
void cp_symtab_index_free(struct cp_symtab_index *x);

#endif
