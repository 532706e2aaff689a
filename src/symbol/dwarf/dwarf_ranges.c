/*
 * dwarf_ranges.c - iterates over low_pc/high_pc, .debug_ranges and
 * .debug_rnglists.
 *
 * Linkers mark discarded code with address 0, address 1 or all bits set. All
 * bits set is handled here; ranges at 0 and 1 contain no address that is looked
 * up.
 */
#include "symbol/dwarf/dwarf_ranges.h"

#include "symbol/dwarf/dwarf_names.h"

#define ENTRY_BYTES 64 /* maximum bytes of an entry */
#define FETCH_BYTES 4096

static uint64_t all_bits(const struct cp_dwarf_unit *u)
{
    return u->address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

/*
 * Returns the offset of the list of DW_FORM_rnglistx; the offset table is at
 * the base.
 */
static uint64_t indexed_list(const struct cp_dwarf_unit *u, uint64_t index)
{
    uint64_t at = u->rnglists_base + index * u->offset_size, offset;
    struct cp_cursor c = cp_dwarf_at(u->dwarf, CP_DWARF_RNGLISTS, at);

    offset = cp_cursor_uint(&c, u->offset_size);
    if (c.failed || index > UINT64_MAX / 16)
        return UINT64_MAX;
    return u->rnglists_base + offset;
}

/*
 * Finds the section of the list. Split units of version 4 use that of the
 * skeleton's file.
 */
static void find_list(struct cp_ranges *r, const struct cp_value *v)
{
    const struct cp_dwarf_unit *u = r->unit;

    r->bytes = &u->dwarf->part[CP_DWARF_RNGLISTS];
    if (u->version < 5) {
        r->is_old = true;
        r->bytes = &u->skeleton->part[CP_DWARF_RANGES];
        r->list = cp_dwarf_at(
            u->skeleton, CP_DWARF_RANGES,
            v->number + (u->skeleton != u->dwarf ? u->ranges_base : 0));
    } else if (v->form == DW_FORM_rnglistx) {
        r->list = cp_dwarf_at(u->dwarf, CP_DWARF_RNGLISTS,
                              indexed_list(u, v->number));
    } else {
        r->list = cp_dwarf_at(u->dwarf, CP_DWARF_RNGLISTS, v->number);
    }
    r->is_list = true;
    r->fetched = r->list.pos;
}

/* Fetches the bytes of the next entry. */
static void fetch(struct cp_ranges *r)
{
    if (cp_cursor_left(&r->list) == 0 ||
        r->list.pos + ENTRY_BYTES <= r->fetched)
        return;
    cp_dwarf_fetch(r->bytes, r->list.pos, FETCH_BYTES);
    r->fetched = r->list.pos + FETCH_BYTES;
}

void cp_ranges_init(struct cp_ranges *r, const struct cp_dwarf_unit *u,
                    const struct cp_code *code, int64_t *fuel)
{
    *r = (struct cp_ranges){ .unit = u, .fuel = fuel, .base = u->low_pc };
    if (code->ranges.form) {
        find_list(r, &code->ranges);
        return;
    }
    if (!cp_form_address(u, &code->low, &r->low) || !code->high.form)
        return;
    if (!cp_form_address(u, &code->high, &r->high))
        r->high = r->low + code->high.number; /* high_pc is a length */
    r->is_single = r->low < r->high;
}

/* Reads an entry of .debug_ranges; false at the end. */
static bool next_old(struct cp_ranges *r)
{
    unsigned size = r->unit->address_size;

    for (;;) {
        uint64_t low, high;

        fetch(r);
        low = cp_cursor_uint(&r->list, size);
        high = cp_cursor_uint(&r->list, size);
        *r->fuel -= 2 * size;
        if (r->list.failed || *r->fuel < 0 || (low == 0 && high == 0))
            return false;
        if (low == all_bits(r->unit)) {
            r->base = high;
        } else if (low < high) {
            r->low = r->base + low;
            r->high = r->base + high;
            return true;
        }
    }
}

/* Reads the operands of an entry; true if it is a range, possibly empty. */
static bool read_entry(struct cp_ranges *r, unsigned kind)
{
    const struct cp_dwarf_unit *u = r->unit;
    struct cp_cursor *c = &r->list;
    uint64_t a = 0, b = 0;

    switch (kind) {
    case DW_RLE_base_addressx:
        if (!cp_form_indexed_address(u, cp_cursor_uleb(c), &r->base))
            cp_cursor_fail(c);
        return false;
    case DW_RLE_base_address:
        r->base = cp_cursor_uint(c, u->address_size);
        return false;
    case DW_RLE_startx_endx:
        if (!cp_form_indexed_address(u, cp_cursor_uleb(c), &a) ||
            !cp_form_indexed_address(u, cp_cursor_uleb(c), &b))
            cp_cursor_fail(c);
        break;
    case DW_RLE_startx_length:
        if (!cp_form_indexed_address(u, cp_cursor_uleb(c), &a))
            cp_cursor_fail(c);
        b = a + cp_cursor_uleb(c);
        break;
    case DW_RLE_offset_pair:
        a = r->base + cp_cursor_uleb(c);
        b = r->base + cp_cursor_uleb(c);
        if (r->base == all_bits(u))
            return false;
        break;
    case DW_RLE_start_end:
        a = cp_cursor_uint(c, u->address_size);
        b = cp_cursor_uint(c, u->address_size);
        break;
    case DW_RLE_start_length:
        a = cp_cursor_uint(c, u->address_size);
        b = a + cp_cursor_uleb(c);
        break;
    default:
        cp_cursor_fail(c);
        return false;
    }
    r->low = a;
    r->high = b;
    return true;
}

/* Reads an entry of .debug_rnglists; false at the end. */
static bool next_new(struct cp_ranges *r)
{
    for (;;) {
        const uint8_t *start = r->list.pos;
        bool is_range;
        unsigned kind;

        fetch(r);
        kind = cp_cursor_u8(&r->list);
        if (kind == DW_RLE_end_of_list)
            return false;
        is_range = read_entry(r, kind);
        *r->fuel -= r->list.pos - start;
        if (r->list.failed || *r->fuel < 0)
            return false;
        if (is_range && r->low < r->high)
            return true;
    }
}

bool cp_ranges_next(struct cp_ranges *r)
{
    if (r->is_single) {
        r->is_single = false;
        return true;
    }
    if (!r->is_list || r->list.failed)
        return false;
    r->is_list = r->is_old ? next_old(r) : next_new(r);
    return r->is_list;
}
