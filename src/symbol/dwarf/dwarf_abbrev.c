/* dwarf_abbrev.c - decodes abbreviation tables. */
#include "symbol/dwarf/dwarf_abbrev.h"

#include "base/alloc.h"
#include "base/search.h"
#include "symbol/dwarf/dwarf_names.h"

#define ENTRY_BYTES ((size_t)16 << 10) /* maximum bytes of an entry */
#define MAX_BYTES ((size_t)4 << 20)    /* maximum bytes of all cached tables */

uint16_t cp_abbrev_form_size(const struct cp_dwarf_unit *u, uint64_t form)
{
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return 0;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
        return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return 8;
    case DW_FORM_data16:
        return 16;
    case DW_FORM_addr:
        return u->address_size;
    case DW_FORM_ref_addr: /* size of an address in version 2 */
        return u->version <= 2 ? u->address_size : u->offset_size;
    case DW_FORM_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return u->offset_size;
    default:
        return CP_ABBREV_VARIES;
    }
}

/*
 * Returns the role of a tag in a walk; has_code tells whether it has code
 * attributes.
 */
static enum cp_abbrev_kind kind_of(unsigned tag, bool has_code)
{
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_entry_point:
        return has_code ? CP_ABBREV_FUNCTION : CP_ABBREV_OTHER;
    case DW_TAG_inlined_subroutine:
        return has_code ? CP_ABBREV_INLINED : CP_ABBREV_OTHER;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return has_code ? CP_ABBREV_BLOCK : CP_ABBREV_SCOPE;
    case DW_TAG_array_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_subroutine_type:
    case DW_TAG_call_site:
    case DW_TAG_GNU_call_site:
        return CP_ABBREV_LEAF;
    default:
        return CP_ABBREV_OTHER;
    }
}

/* Appends an attribute to the newest abbreviation. */
static bool add_attr(struct cp_abbrevs *t, struct cp_abbrev *a,
                     const struct cp_attr *attr)
{
    if (a->n_attrs == UINT16_MAX ||
        cp_reserve(&t->attrs, &t->attrs_cap, t->n_attrs + 1, sizeof(*t->attrs),
                   NULL) != CP_OK)
        return false;
    t->attrs[t->n_attrs++] = *attr;
    a->n_attrs++;
    if (attr->name == DW_AT_sibling) {
        a->has_sibling = true;
        if (attr->form == DW_FORM_ref4)
            a->sibling_at = a->size;
    }
    if (a->size == CP_ABBREV_VARIES || attr->size == CP_ABBREV_VARIES ||
        a->size + attr->size >= CP_ABBREV_VARIES)
        a->size = CP_ABBREV_VARIES;
    else
        a->size = (uint16_t)(a->size + attr->size);
    return true;
}

/* Reads attributes up to the terminating pair of zeros. */
static bool read_attrs(struct cp_abbrevs *t, struct cp_abbrev *a,
                       const struct cp_dwarf_unit *u, struct cp_cursor *c)
{
    bool has_code = false;

    for (;;) {
        uint64_t name = cp_cursor_uleb(c), form = cp_cursor_uleb(c);
        struct cp_attr attr = { .name = (uint16_t)name,
                                .form = (uint16_t)form };

        if (c->failed || name > UINT16_MAX || form > UINT16_MAX)
            return false;
        if (form == DW_FORM_implicit_const)
            attr.constant = cp_cursor_sleb(c);
        if (name == 0 && form == 0)
            break;
        attr.size = cp_abbrev_form_size(u, form);
        if (!add_attr(t, a, &attr))
            return false;
        has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
    }
    a->kind = (uint8_t)kind_of(a->tag, has_code);
    return true;
}

/* Sorts by code, in place (Shell sort), for tables that are not sorted. */
static void sort_entries(struct cp_abbrev *entries, size_t n)
{
    for (size_t step = n / 2; step > 0; step /= 2)
        for (size_t i = step; i < n; i++) {
            struct cp_abbrev entry = entries[i];
            size_t k = i;

            for (; k >= step && entries[k - step].code > entry.code; k -= step)
                entries[k] = entries[k - step];
            entries[k] = entry;
        }
}

static bool read_table(struct cp_abbrevs *t, const struct cp_dwarf_unit *u,
                       struct cp_cursor *c)
{
    t->is_dense = true;
    t->n = t->n_attrs = 0;
    for (;;) {
        struct cp_abbrev a = { .first_attr = (uint32_t)t->n_attrs,
                               .sibling_at = CP_ABBREV_VARIES };

        cp_dwarf_fetch(&u->dwarf->part[CP_DWARF_ABBREV], c->pos, ENTRY_BYTES);
        a.code = cp_cursor_uleb(c);
        if (a.code == 0)
            break;
        a.tag = (uint16_t)cp_cursor_uleb(c);
        a.has_children = cp_cursor_u8(c) != 0;
        if (t->n_attrs > UINT32_MAX - UINT16_MAX || !read_attrs(t, &a, u, c))
            break; /* keep the abbreviations read before */
        if (cp_reserve(&t->entries, &t->cap, t->n + 1, sizeof(a), NULL) !=
            CP_OK)
            return false;
        t->entries[t->n++] = a;
        t->is_dense &= a.code == t->n;
    }
    if (!t->is_dense)
        sort_entries(t->entries, t->n);
    return true;
}

const struct cp_abbrev *cp_abbrev_search(const struct cp_abbrevs *t,
                                         uint64_t code)
{
    size_t low = t->n ? cp_search_from(&t->entries->code, sizeof(*t->entries),
                                       t->n, code)
                      : 0;

    return low < t->n && t->entries[low].code == code ? &t->entries[low] : NULL;
}

static bool is_table_of(const struct cp_abbrevs *t,
                        const struct cp_dwarf_unit *u)
{
    return t->dwarf == u->dwarf && t->offset == u->abbrev_offset &&
           t->address_size == u->address_size &&
           t->offset_size == u->offset_size &&
           (t->version <= 2) == (u->version <= 2);
}

static size_t bytes_of(const struct cp_abbrevs *t)
{
    return t->cap * sizeof(*t->entries) + t->attrs_cap * sizeof(*t->attrs);
}

/* Frees cached tables when their number and size exceed the limits. */
static void trim(struct cp_abbrev_cache *cache, size_t section_len)
{
    if (cache->n_bytes <= MAX_BYTES + section_len)
        return;
    for (size_t i = 0; i < CP_ABBREV_SLOTS; i++) {
        cp_free(cache->slots[i].entries);
        cp_free(cache->slots[i].attrs);
        cache->slots[i] = (struct cp_abbrevs){ 0 };
    }
    cache->n_bytes = 0;
}

const struct cp_abbrevs *cp_abbrev_table(struct cp_abbrev_cache *cache,
                                         const struct cp_dwarf_unit *u)
{
    uint64_t mixed =
        (u->abbrev_offset ^ (uintptr_t)u->dwarf >> 6) * 0x9e3779b97f4a7c15u;
    struct cp_abbrevs *t = &cache->slots[mixed >> 58];
    struct cp_cursor c;
    const uint8_t *start;
    size_t had;
    bool is_read;

    if (is_table_of(t, u))
        return t;
    t->dwarf = NULL;
    trim(cache, u->dwarf->part[CP_DWARF_ABBREV].len);
    had = bytes_of(t);
    c = cp_dwarf_at(u->dwarf, CP_DWARF_ABBREV, u->abbrev_offset);
    start = c.pos;
    if (c.failed || cache->fuel <= 0)
        return NULL;
    is_read = read_table(t, u, &c);
    cache->n_bytes += bytes_of(t) - had;
    if (!is_read)
        return NULL;
    cache->fuel -= c.pos - start;
    t->dwarf = u->dwarf;
    t->offset = u->abbrev_offset;
    t->address_size = u->address_size;
    t->offset_size = u->offset_size;
    t->version = (uint8_t)u->version;
    return t;
}

void cp_abbrev_release(struct cp_abbrev_cache *cache)
{
    for (size_t i = 0; i < CP_ABBREV_SLOTS; i++) {
        cp_free(cache->slots[i].entries);
        cp_free(cache->slots[i].attrs);
    }
    *cache = (struct cp_abbrev_cache){ 0 };
}
