/*
 * dwarf_abbrev - decoded abbreviation tables, prepared for skipping.
 *
 * A debug entry is a code and the attribute values that the code's abbreviation
 * describes. Most entries are skipped. So each abbreviation stores the size of
 * its entries if it is constant, and the position of the sibling reference.
 */
#ifndef CP_DWARF_ABBREV_H
#define CP_DWARF_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf.h"

#define CP_ABBREV_VARIES UINT16_MAX

/* The role of a tag in a walk over a unit. */
enum cp_abbrev_kind {
    CP_ABBREV_OTHER,
    CP_ABBREV_FUNCTION, /* a subprogram with code */
    CP_ABBREV_INLINED,  /* an inlined subroutine with code */
    CP_ABBREV_BLOCK,    /* a lexical block with code */
    CP_ABBREV_SCOPE,    /* a block without code attributes */
    CP_ABBREV_LEAF,     /* no entry below it can have code */
};

struct cp_attr {
    uint16_t name, form;
    uint16_t size;    /* bytes; CP_ABBREV_VARIES: not constant */
    int64_t constant; /* value of DW_FORM_implicit_const */
};

struct cp_abbrev {
    uint64_t code;
    uint32_t first_attr;
    uint16_t n_attrs;
    uint16_t tag;
    uint16_t size; /* bytes of all attributes, or CP_ABBREV_VARIES */
    uint16_t
        sibling_at; /* offset of a DW_FORM_ref4 sibling, or CP_ABBREV_VARIES */
    uint8_t kind;   /* enum cp_abbrev_kind */
    bool has_children, has_sibling;
};

struct cp_abbrevs {
    const struct cp_dwarf *dwarf;
    uint64_t offset;
    uint8_t address_size, offset_size, version;
    bool is_dense; /* abbreviation i has code i + 1 */
    struct cp_abbrev *entries;
    size_t n, cap;
    struct cp_attr *attrs;
    size_t n_attrs, attrs_cap;
};

/*
 * Cache of decoded tables, by position; one per thread. Initialize with { 0 }.
 */
#define CP_ABBREV_SLOTS 64

struct cp_abbrev_cache {
    struct cp_abbrevs slots[CP_ABBREV_SLOTS];
    size_t n_bytes; /* bytes of the cached tables */
    int64_t fuel;   /* bytes that may still be decoded; see dwarf_worker.h */
};

/*
 * Returns the table of a unit, valid until the next call; NULL if there is none
 * or allocation fails.
 */
const struct cp_abbrevs *cp_abbrev_table(struct cp_abbrev_cache *cache,
                                         const struct cp_dwarf_unit *u);

void cp_abbrev_release(struct cp_abbrev_cache *cache);

/* Returns the size of a form; CP_ABBREV_VARIES if it is not constant. */
uint16_t cp_abbrev_form_size(const struct cp_dwarf_unit *u, uint64_t form);

const struct cp_abbrev *cp_abbrev_search(const struct cp_abbrevs *t,
                                         uint64_t code);

/* Returns the abbreviation of a code, or NULL. */
static inline const struct cp_abbrev *cp_abbrev_of(const struct cp_abbrevs *t,
                                                   uint64_t code)
{
    if (t->is_dense)
        return code - 1 < t->n ? &t->entries[code - 1] : NULL;
    return cp_abbrev_search(t, code);
}

#endif
