/*
 * dwarf_form - attribute values.
 *
 * Reading a value only finds its bytes. Its meaning (text, address, reference)
 * is resolved on request.
 */
#ifndef CP_DWARF_FORM_H
#define CP_DWARF_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_abbrev.h"

struct cp_value {
    uint64_t number;    /* number, index, offset or block length */
    const char *string; /* string of DW_FORM_string */
    uint16_t form;      /* 0 if the attribute is missing */
};

/* A position in the .debug_info of a file. */
struct cp_dwarf_place {
    const struct cp_dwarf *dwarf;
    uint64_t offset;
};

/* Reads the value at the cursor. */
void cp_form_read(const struct cp_dwarf_unit *u, const struct cp_attr *attr,
                  struct cp_cursor *c, struct cp_value *out);

/* Skips a value of variable size. */
void cp_form_skip(const struct cp_dwarf_unit *u, uint64_t form,
                  struct cp_cursor *c);

/* Returns the string of a value, or NULL if it is not a string. */
const char *cp_form_text(const struct cp_dwarf_unit *u,
                         const struct cp_value *v);

/* Resolves an address; false if it is not one or is outside of .debug_addr. */
bool cp_form_address(const struct cp_dwarf_unit *u, const struct cp_value *v,
                     uint64_t *out);

/* Reads entry `index` of the unit's part of .debug_addr. */
bool cp_form_indexed_address(const struct cp_dwarf_unit *u, uint64_t index,
                             uint64_t *out);

/* Resolves a reference; false if the value is not one. */
bool cp_form_place(const struct cp_dwarf_unit *u, const struct cp_value *v,
                   struct cp_dwarf_place *out);

/*
 * Skips the attributes of an entry. *out_sibling is the next sibling, or NULL
 * if the entry has no sibling attribute or it does not point forward.
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
 * Returns the next sibling of the entry whose attributes begin at the cursor;
 * does not move the cursor. NULL if there is no sibling attribute or it does
 * not point forward.
 */
const uint8_t *cp_form_sibling(const struct cp_dwarf_unit *u,
                               const struct cp_abbrevs *t,
                               const struct cp_abbrev *a,
                               const struct cp_cursor *c);

#endif
