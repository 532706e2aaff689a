/*
 * dwarf_abbrev - abbreviation tables, made ready for skipping.
 *
 * An entry of a unit is a code and the bytes that the code's abbreviation
 * describes. Most entries are only skipped, so each abbreviation knows how
 * long its entries are if that does not depend on their bytes, and where the
 * reference to the next sibling is.
 */
#ifndef CP_DWARF_ABBREV_H
#define CP_DWARF_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf.h"

#define CP_ABBREV_VARIES UINT16_MAX

/* What a walk over a unit wants to know about a tag. */
enum cp_abbrev_kind {
    CP_ABBREV_OTHER,
    CP_ABBREV_FUNCTION, /* a subprogram with code */
    CP_ABBREV_INLINED,  /* an inlined subroutine with code */
    CP_ABBREV_BLOCK,    /* a lexical block with code */
    CP_ABBREV_SCOPE,    /* a block that does not say what code it has */
    CP_ABBREV_LEAF,     /* nothing below it can have code */
};

struct cp_attr {
    uint16_t name, form;
    uint16_t size;    /* in bytes; CP_ABBREV_VARIES: depends on them */
    int64_t constant; /* of DW_FORM_implicit_const */
};

struct cp_abbrev {
    uint64_t code;
    uint32_t first_attr;
    uint16_t n_attrs;
    uint16_t tag;
    uint16_t size;       /* of all attributes, or CP_ABBREV_VARIES */
    uint16_t sibling_at; /* of a DW_FORM_ref4, or CP_ABBREV_VARIES */
    uint8_t kind;        /* enum cp_abbrev_kind */
    bool has_children, has_sibling;
};

struct cp_abbrevs {
    const struct cp_dwarf *dwarf;
    uint64_t offset;
    uint8_t address_size, offset_size, version;
    bool is_dense; /* entry i has code i + 1 */
    struct cp_abbrev *entries;
    size_t n, cap;
    struct cp_attr *attrs;
    size_t n_attrs, attrs_cap;
};

/* Tables that one thread has decoded, by their place. Starts as { 0 }. */
#define CP_ABBREV_SLOTS 64

struct cp_abbrev_cache {
    struct cp_abbrevs slots[CP_ABBREV_SLOTS];
    size_t n_bytes; /* that the slots take */
    int64_t fuel;   /* bytes that may still be decoded; see dwarf_worker.h */
};

/* The table of a unit, until the next call; NULL: none, or out of memory. */
const struct cp_abbrevs *cp_abbrev_table(struct cp_abbrev_cache *cache,
                                         const struct cp_dwarf_unit *u);

void cp_abbrev_release(struct cp_abbrev_cache *cache);

/* How long a form is; CP_ABBREV_VARIES: that depends on its bytes. */
uint16_t cp_abbrev_form_size(const struct cp_dwarf_unit *u, uint64_t form);

const struct cp_abbrev *cp_abbrev_search(const struct cp_abbrevs *t,
                                         uint64_t code);

/* The abbreviation of a code, or NULL. */
static inline const struct cp_abbrev *cp_abbrev_of(const struct cp_abbrevs *t,
                                                   uint64_t code)
{
    if (t->is_dense)
        return code - 1 < t->n ? &t->entries[code - 1] : NULL;
    return cp_abbrev_search(t, code);
}

#endif
