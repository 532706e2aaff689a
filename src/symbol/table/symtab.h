/*
 * symtab - function names from symbol tables.
 *
 * Asks the other way round: the addresses are sorted, and each symbol is
 * looked up among them. So a table is read once for a batch, nothing is
 * built, and the memory needed is that of the answers.
 */
#ifndef CP_SYMTAB_H
#define CP_SYMTAB_H

#include <stddef.h>
#include <stdint.h>

struct cp_elf;

/* The symbol that an address lies in; name NULL: none. */
struct cp_symtab_hit {
    const char *name;
    uint64_t start;
    uint64_t size;       /* 0: it has none, and ends where the next begins */
    uint64_t limit;      /* of a symbol without size: the end of its section */
    unsigned rank;       /* among symbols with one start; larger is better */
    uint64_t last_start; /* of all symbols up to the address; internal */
};

/*
 * Fills hits[i] for sorted[i], from .symtab and .dynsym. What is there
 * already is kept unless a symbol of e fits better; zeroed means nothing.
 */
void cp_symtab_find(const struct cp_elf *e, const uint64_t *sorted, size_t n,
                    struct cp_symtab_hit *hits);

/* One candidate, for readers of other tables: a function at [start, +size). */
void cp_symtab_offer(const struct cp_symtab_hit *symbol, const uint64_t *sorted,
                     size_t n, struct cp_symtab_hit *hits);

/*
 * Called once after all offers: an address without a symbol just before it
 * takes that of the address before, and those that end too early go.
 */
void cp_symtab_settle(const uint64_t *sorted, size_t n,
                      struct cp_symtab_hit *hits);

/*
 * The same from a sorted copy of the tables, for those who ask again and
 * again; NULL: out of memory.
 */
struct cp_symtab_index;

struct cp_symtab_index *cp_symtab_index_new(const struct cp_elf *e);
void cp_symtab_index_find(const struct cp_symtab_index *x,
                          const uint64_t *sorted, size_t n,
                          struct cp_symtab_hit *hits);

/* NULL is allowed. */
void cp_symtab_index_free(struct cp_symtab_index *x);

#endif
