/* dwarf_form.c - reads and resolves attribute values. */
#include "symbol/dwarf/dwarf_form.h"

#include "symbol/dwarf/dwarf_names.h"

/* Resolves DW_FORM_indirect, which stores the form before the value. */
static uint64_t direct_form(uint64_t form, struct cp_cursor *c)
{
    while (form == DW_FORM_indirect && !c->failed)
        form = cp_cursor_uleb(c);
    return form;
}

void cp_form_skip(const struct cp_dwarf_unit *u, uint64_t form,
                  struct cp_cursor *c)
{
    uint16_t size;

    form = direct_form(form, c);
    switch (form) {
    case DW_FORM_exprloc:
    case DW_FORM_block:
        cp_cursor_skip(c, cp_cursor_uleb(c));
        break;
    case DW_FORM_block1:
        cp_cursor_skip(c, cp_cursor_uint(c, 1));
        break;
    case DW_FORM_block2:
        cp_cursor_skip(c, cp_cursor_uint(c, 2));
        break;
    case DW_FORM_block4:
        cp_cursor_skip(c, cp_cursor_uint(c, 4));
        break;
    case DW_FORM_string:
        (void)cp_cursor_str(c);
        break;
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
        (void)cp_cursor_uleb(c);
        break;
    default:
        size = cp_abbrev_form_size(u, form);
        if (size == CP_ABBREV_VARIES)
            cp_cursor_fail(c); /* unknown form */
        else
            cp_cursor_skip(c, size);
        break;
    }
}

void cp_form_read(const struct cp_dwarf_unit *u, const struct cp_attr *attr,
                  struct cp_cursor *c, struct cp_value *out)
{
    uint16_t size = attr->size;

    out->form = (uint16_t)direct_form(attr->form, c);
    out->number = 0;
    if (attr->form == DW_FORM_indirect)
        size = cp_abbrev_form_size(u, out->form);
    if (size >= 1 && size <= 8) {
        out->number = cp_cursor_uint(c, size);
        return;
    }
    switch (out->form) {
    case DW_FORM_implicit_const:
        out->number = (uint64_t)attr->constant;
        break;
    case DW_FORM_flag_present:
        out->number = 1;
        break;
    case DW_FORM_sdata:
        out->number = (uint64_t)cp_cursor_sleb(c);
        break;
    case DW_FORM_string:
        out->string = cp_cursor_str(c);
        break;
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
        out->number = cp_cursor_uleb(c);
        break;
    default:
        cp_form_skip(u, out->form, c);
        break;
    }
}

/* Returns string `index` of the unit's part of .debug_str_offsets. */
static const char *indexed_text(const struct cp_dwarf_unit *u, uint64_t index)
{
    uint64_t at = u->str_offsets_base + index * u->offset_size;
    struct cp_cursor c = cp_dwarf_at(u->dwarf, CP_DWARF_STR_OFFSETS, at);
    uint64_t offset = cp_cursor_uint(&c, u->offset_size);

    if (c.failed || index > UINT64_MAX / 16)
        return NULL;
    return cp_dwarf_text(u->dwarf, CP_DWARF_STR, offset);
}

const char *cp_form_text(const struct cp_dwarf_unit *u,
                         const struct cp_value *v)
{
    switch (v->form) {
    case DW_FORM_string:
        return v->string;
    case DW_FORM_strp:
        return cp_dwarf_text(u->dwarf, CP_DWARF_STR, v->number);
    case DW_FORM_line_strp:
        return cp_dwarf_text(u->dwarf, CP_DWARF_LINE_STR, v->number);
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
        return u->dwarf->alt
                   ? cp_dwarf_text(u->dwarf->alt, CP_DWARF_STR, v->number)
                   : NULL;
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index:
        return indexed_text(u, v->number);
    default:
        return NULL;
    }
}

bool cp_form_indexed_address(const struct cp_dwarf_unit *u, uint64_t index,
                             uint64_t *out)
{
    uint64_t at = u->addr_base + index * u->address_size, value;
    struct cp_cursor c = cp_dwarf_at(u->skeleton, CP_DWARF_ADDR, at);

    value = cp_cursor_uint(&c, u->address_size);
    if (c.failed || index > UINT64_MAX / 16)
        return false;
    *out = value;
    return true;
}

bool cp_form_address(const struct cp_dwarf_unit *u, const struct cp_value *v,
                     uint64_t *out)
{
    switch (v->form) {
    case DW_FORM_addr:
        *out = v->number;
        return true;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
        return cp_form_indexed_address(u, v->number, out);
    default:
        return false;
    }
}

bool cp_form_place(const struct cp_dwarf_unit *u, const struct cp_value *v,
                   struct cp_dwarf_place *out)
{
    switch (v->form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
        *out = (struct cp_dwarf_place){ u->dwarf, u->offset + v->number };
        return v->number < (uint64_t)(u->end - u->start);
    case DW_FORM_ref_addr:
        *out = (struct cp_dwarf_place){ u->dwarf, v->number };
        return true;
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8:
    case DW_FORM_GNU_ref_alt:
        *out = (struct cp_dwarf_place){ u->dwarf->alt, v->number };
        return u->dwarf->alt != NULL;
    default:
        return false;
    }
}

const uint8_t *cp_form_sibling(const struct cp_dwarf_unit *u,
                               const struct cp_abbrevs *t,
                               const struct cp_abbrev *a,
                               const struct cp_cursor *c)
{
    struct cp_cursor look = *c;
    struct cp_value v = { 0 };

    if (a->sibling_at != CP_ABBREV_VARIES) {
        cp_cursor_skip(&look, a->sibling_at);
        v.number = cp_cursor_uint(&look, 4);
    } else {
        for (unsigned i = 0; i < a->n_attrs && v.form == 0; i++) {
            const struct cp_attr *attr = &t->attrs[a->first_attr + i];

            if (attr->name == DW_AT_sibling)
                cp_form_read(u, attr, &look, &v);
            else if (attr->size != CP_ABBREV_VARIES)
                cp_cursor_skip(&look, attr->size);
            else
                cp_form_skip(u, attr->form, &look);
        }
        if (v.form == DW_FORM_ref_addr)
            v.number -= u->offset;
    }
    if (look.failed || v.number >= (uint64_t)(u->end - u->start) ||
        u->start + v.number < look.pos)
        return NULL;
    return u->start + v.number;
}
