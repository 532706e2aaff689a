/*
 * dwarf_worker.c - reads roots of units and names of functions.
 *
 * The name of a function may be several references away: an inlined call refers
 * to the abstract function, which refers to its declaration, which may be in
 * another unit (LTO) or another file (dwz).
 */
#include "symbol/dwarf/dwarf_worker.h"

#include "base/alloc.h"
#include "symbol/dwarf/dwarf_names.h"
#include "symbol/dwarf/dwarf_ranges.h"

#define MAX_REFERENCES 16
#define ENTRY_BYTES ((size_t)16 << 10) /* maximum bytes of an entry */
#define FUEL_PER_BYTE 48
#define FUEL_PER_ADDRESS 4096
#define FRAMES_PER_ADDRESS 32 /* mean; limits the frames of a batch */
#define BYTES_PER_FRAME 64

void cp_worker_begin(struct cp_worker *w, size_t n, size_t len)
{
    uint64_t fuel =
        (uint64_t)len * FUEL_PER_BYTE + (uint64_t)n * FUEL_PER_ADDRESS;

    w->fuel = fuel > INT64_MAX ? INT64_MAX : (int64_t)fuel;
    w->abbrevs.fuel = w->fuel;
    w->line.fuel = w->fuel;
    w->n_frames_left = n * FRAMES_PER_ADDRESS + len / BYTES_PER_FRAME + 4096;
}

void cp_worker_release(struct cp_worker *w)
{
    cp_abbrev_release(&w->abbrevs);
    cp_line_release(&w->line);
    cp_arena_release(&w->arena);
    cp_free(w->records);
    cp_free(w->heads);
    cp_free(w->rows);
    cp_free(w->levels);
    *w = (struct cp_worker){ 0 };
}

/* String attributes of a root, resolved after its base attributes. */
struct root_texts {
    struct cp_value name, comp_dir, dwo_name;
};

static void note_root(struct cp_dwarf_unit *u, struct root_texts *texts,
                      struct cp_code *code, unsigned name,
                      const struct cp_value *v)
{
    switch (name) {
    case DW_AT_name:
        texts->name = *v;
        break;
    case DW_AT_comp_dir:
        texts->comp_dir = *v;
        break;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
        texts->dwo_name = *v;
        break;
    case DW_AT_GNU_dwo_id:
        u->dwo_id = v->number;
        break;
    case DW_AT_language:
        u->language = (uint16_t)v->number;
        break;
    case DW_AT_stmt_list:
        u->line_offset = v->number;
        u->has_line = true;
        break;
    case DW_AT_low_pc:
        code->low = *v;
        break;
    case DW_AT_high_pc:
        code->high = *v;
        break;
    case DW_AT_ranges:
        code->ranges = *v;
        break;
    case DW_AT_str_offsets_base:
        u->str_offsets_base = v->number;
        break;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
        u->addr_base = v->number;
        break;
    case DW_AT_rnglists_base:
        u->rnglists_base = v->number;
        break;
    case DW_AT_GNU_ranges_base:
        u->ranges_base = v->number;
        break;
    default:
        break;
    }
}

/* Sets the bases that a unit of version 5 may omit. */
static void set_default_bases(struct cp_dwarf_unit *u)
{
    uint64_t header = u->offset_size == 8 ? 16 : 8;

    if (u->version < 5)
        return;
    u->str_offsets_base = header;
    u->rnglists_base = header + 4;
    if (u->skeleton == u->dwarf)
        u->addr_base = header;
}

bool cp_worker_root(struct cp_worker *w, struct cp_dwarf_unit *u,
                    struct cp_code *out_code)
{
    const struct cp_abbrevs *t = cp_abbrev_table(&w->abbrevs, u);
    struct cp_cursor c = { u->dies, u->end, false };
    struct root_texts texts = { 0 };
    struct cp_code code = { 0 };
    const struct cp_abbrev *a;

    cp_dwarf_fetch(&u->dwarf->part[CP_DWARF_INFO], u->dies, ENTRY_BYTES);
    a = t ? cp_abbrev_of(t, cp_cursor_uleb(&c)) : NULL;
    if (!a)
        return false;
    set_default_bases(u);
    for (unsigned i = 0; i < a->n_attrs; i++) {
        struct cp_value v = { 0 };

        cp_form_read(u, &t->attrs[a->first_attr + i], &c, &v);
        note_root(u, &texts, &code, t->attrs[a->first_attr + i].name, &v);
    }
    u->has_children = a->has_children;
    u->name = cp_form_text(u, &texts.name);
    u->comp_dir = cp_form_text(u, &texts.comp_dir);
    u->dwo_name = cp_form_text(u, &texts.dwo_name);
    (void)cp_form_address(u, &code.low, &u->low_pc);
    if (out_code)
        *out_code = code;
    return !c.failed;
}

/* Name attributes of an entry. */
struct naming {
    const char *name, *linkage_name;
    struct cp_value reference;
    uint64_t line;
};

static void note_name(const struct cp_dwarf_unit *u, struct naming *n,
                      unsigned name, const struct cp_value *v)
{
    switch (name) {
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        n->linkage_name = cp_form_text(u, v);
        break;
    case DW_AT_name:
        n->name = cp_form_text(u, v);
        break;
    case DW_AT_decl_line:
        n->line = v->number;
        break;
    case DW_AT_abstract_origin:
    case DW_AT_specification:
        n->reference = *v;
        break;
    default:
        break;
    }
}

static bool read_naming(struct cp_worker *w, const struct cp_dwarf_unit *u,
                        const uint8_t *entry, struct naming *out)
{
    const struct cp_abbrevs *t = cp_abbrev_table(&w->abbrevs, u);
    struct cp_cursor c = { entry, u->end, false };
    const struct cp_abbrev *a;

    cp_dwarf_fetch(&u->dwarf->part[CP_DWARF_INFO], entry, ENTRY_BYTES);
    a = t ? cp_abbrev_of(t, cp_cursor_uleb(&c)) : NULL;
    *out = (struct naming){ 0 };
    if (!a)
        return false;
    for (unsigned i = 0; i < a->n_attrs; i++) {
        const struct cp_attr *attr = &t->attrs[a->first_attr + i];
        struct cp_value v = { 0 };

        cp_form_read(u, attr, &c, &v);
        note_name(u, out, attr->name, &v);
    }
    return !c.failed;
}

/* Switches to the unit of a position, which may be the same. */
static bool switch_unit(struct cp_worker *w, struct cp_dwarf_unit *u,
                        const struct cp_dwarf_place *place)
{
    const uint8_t *at;

    if (place->offset >= place->dwarf->part[CP_DWARF_INFO].len)
        return false;
    at = place->dwarf->part[CP_DWARF_INFO].data + place->offset;
    if (place->dwarf == u->dwarf && at >= u->dies && at < u->end)
        return true;
    return cp_dwarf_unit_of(place->dwarf, place->offset, u) && at >= u->dies &&
           cp_worker_root(w, u, NULL);
}

/*
 * Whether the language mangles names, so that DW_AT_name alone lacks the scope.
 */
static bool has_linkage_names(unsigned language)
{
    switch (language) {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_C17:
    case DW_LANG_Go:
    case DW_LANG_Mips_Assembler:
        return false;
    default:
        return true;
    }
}

void cp_worker_name(struct cp_worker *w, const struct cp_dwarf_unit *u,
                    struct cp_record *record)
{
    struct cp_dwarf_unit unit = *u;
    const uint8_t *entry = record->entry;
    const char *plain = NULL;
    struct cp_dwarf_place place;
    struct naming n;

    for (int i = 0; i < MAX_REFERENCES && entry; i++) {
        if (!read_naming(w, &unit, entry, &n))
            break;
        if (!plain)
            plain = n.name;
        if (!record->function)
            record->function = n.linkage_name;
        if (!record->start_line)
            record->start_line = (uint32_t)n.line;
        if ((record->function && record->start_line) ||
            !cp_form_place(&unit, &n.reference, &place) ||
            !switch_unit(w, &unit, &place))
            break;
        entry = place.dwarf->part[CP_DWARF_INFO].data + place.offset;
    }
    record->is_plain = !record->function && has_linkage_names(u->language);
    if (!record->function)
        record->function = plain;
    record->is_named = true;
}
