/*
 * dwarf_form - the values of attributes.
 *
 * Reading a value only finds its bytes; what it means (a text, an address, a
 * reference) is worked out when someone asks.
 */
#ifndef CP_DWARF_FORM_H
#define CP_DWARF_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_abbrev.h"
#include "symbol/table/cursor.h"

struct cp_value {
    uint64_t number;    /* or index, offset, length of a block */
    const char *string; /* of DW_FORM_string */
    uint16_t form;      /* 0: the attribute is absent */
};

/* A place in .debug_info of a file. */
struct cp_dwarf_place {
    const struct cp_dwarf *dwarf;
    uint64_t offset;
};

/* Reads the value that the cursor is at. */
void cp_form_read(const struct cp_dwarf_unit *u, const struct cp_attr *attr,
                  struct cp_cursor *c, struct cp_value *out);

/* Goes past a value whose size varies. */
void cp_form_skip(const struct cp_dwarf_unit *u, uint64_t form,
                  struct cp_cursor *c);

/* The text of a value, or NULL if it is none. */
const char *cp_form_text(const struct cp_dwarf_unit *u,
                         const struct cp_value *v);

/* The address; false if it is none, or lies outside of .debug_addr. */
bool cp_form_address(const struct cp_dwarf_unit *u, const struct cp_value *v,
                     uint64_t *out);

/* Entry `index` of the unit's part of .debug_addr. */
bool cp_form_indexed_address(const struct cp_dwarf_unit *u, uint64_t index,
                             uint64_t *out);

/* What a reference refers to; false if it is none. */
bool cp_form_place(const struct cp_dwarf_unit *u, const struct cp_value *v,
                   struct cp_dwarf_place *out);

/*
 * Goes past the attributes of an entry; *out_sibling is where its next
 * sibling begins, or NULL if it does not say or does not point ahead.
 */
static inline void cp_form_skip_entry(const struct cp_dwarf_unit *u,
                                      const struct cp_abbrevs *t,
                                      const struct cp_abbrev *a,
                                      struct cp_cursor *c)
{
    if (a->size != CP_ABBREV_VARIES) {
        cp_cursor_skip(c, a->size);
        return;
    }
    for (unsigned i = 0; i < a->n_attrs; i++) {
        const struct cp_attr *attr = &t->attrs[a->first_attr + i];

        if (attr->size != CP_ABBREV_VARIES)
            cp_cursor_skip(c, attr->size);
        else
            cp_form_skip(u, attr->form, c);
    }
}

/*
 * The next sibling of the entry whose attributes begin at the cursor, which
 * stays; NULL if the entry does not say, or does not point ahead.
 */
const uint8_t *cp_form_sibling(const struct cp_dwarf_unit *u,
                               const struct cp_abbrevs *t,
                               const struct cp_abbrev *a,
                               const struct cp_cursor *c);

#endif
