/*
 * dwarf.c - reads unit headers.
 *
 *   version 2 to 4: length, version (2), abbrev offset, address size (1)
 *   version 5:      length, version (2), unit type (1), address size (1),
 *                   abbrev offset, then for skeleton and split units an id (8)
 *
 * A length of 0xffffffff means 64-bit DWARF: an 8-byte length follows, and
 * offsets of the unit have 8 bytes.
 */
#include "symbol/dwarf/dwarf.h"

#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "symbol/dwarf/dwarf_names.h"

void cp_dwarf_init(struct cp_dwarf *d)
{
    *d = (struct cp_dwarf){ 0 };
    (void)pthread_mutex_init(&d->units_lock, NULL);
}

void cp_dwarf_release(struct cp_dwarf *d)
{
    struct cp_dwarf_units *units = atomic_load(&d->units);

    if (units)
        cp_free(units->offsets);
    cp_free(units);
    atomic_store(&d->units, NULL);
    (void)pthread_mutex_destroy(&d->units_lock);
}

struct cp_cursor cp_dwarf_at(const struct cp_dwarf *d, enum cp_dwarf_part part,
                             uint64_t offset)
{
    static const uint8_t nothing[1];
    const struct cp_dwarf_bytes *b = &d->part[part];

    if (offset >= b->len)
        return (struct cp_cursor){ nothing, nothing, true };
    cp_dwarf_fetch(b, b->data + offset,
                   part == CP_DWARF_ARANGES || part == CP_DWARF_CU_INDEX
                       ? b->len
                       : CP_DWARF_AHEAD);
    return (struct cp_cursor){ b->data + offset, b->data + b->len, false };
}

const char *cp_dwarf_text(const struct cp_dwarf *d, enum cp_dwarf_part part,
                          uint64_t offset)
{
    const struct cp_dwarf_bytes *b = &d->part[part];
    struct cp_cursor c = cp_dwarf_at(d, part, offset);
    size_t left = cp_cursor_left(&c), len = b->elf ? CP_DWARF_AHEAD : left;

    if (c.failed)
        return NULL;
    for (;; len *= 4) {
        size_t n = len < left ? len : left;

        cp_dwarf_fetch(b, c.pos, n);
        if (memchr(c.pos, 0, n))
            return (const char *)c.pos;
        if (n == left)
            return NULL;
    }
}

/* Reads the fields whose order version 5 changed. */
static void read_fields(struct cp_cursor *c, struct cp_dwarf_unit *u)
{
    u->version = (uint16_t)cp_cursor_uint(c, 2);
    u->type = DW_UT_compile;
    if (u->version >= 5) {
        u->type = cp_cursor_u8(c);
        u->address_size = cp_cursor_u8(c);
        u->abbrev_offset = cp_cursor_uint(c, u->offset_size);
        if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
            u->dwo_id = cp_cursor_uint(c, 8);
        else if (u->type == DW_UT_type || u->type == DW_UT_split_type)
            cp_cursor_skip(c, 8u + u->offset_size);
    } else {
        u->abbrev_offset = cp_cursor_uint(c, u->offset_size);
        u->address_size = cp_cursor_u8(c);
    }
}

/*
 * Reads length and end, which every unit has, including one of an unknown
 * version.
 */
static bool read_extent(const struct cp_dwarf *d, uint64_t offset,
                        struct cp_dwarf_unit *u, struct cp_cursor *c)
{
    uint64_t len;

    *c = cp_dwarf_at(d, CP_DWARF_INFO, offset);
    *u = (struct cp_dwarf_unit){
        .dwarf = d,
        .skeleton = d,
        .offset = offset,
        .start = c->pos,
        .offset_size = 4,
    };
    len = cp_cursor_uint(c, 4);
    if (len == 0xffffffff) {
        len = cp_cursor_uint(c, 8);
        u->offset_size = 8;
    }
    if (c->failed || len == 0 || len > cp_cursor_left(c))
        return false;
    c->end = c->pos + len;
    u->end = c->end;
    return true;
}

bool cp_dwarf_unit_read(const struct cp_dwarf *d, uint64_t offset,
                        struct cp_dwarf_unit *out)
{
    struct cp_dwarf_unit u;
    struct cp_cursor c;

    if (!read_extent(d, offset, &u, &c))
        return false;
    read_fields(&c, &u);
    if (c.failed || u.version < 2 || u.version > 5 ||
        (u.address_size != 4 && u.address_size != 8))
        return false;
    u.dies = c.pos;
    *out = u;
    return true;
}

static struct cp_dwarf_units *list_units(const struct cp_dwarf *d)
{
    struct cp_dwarf_units *units = cp_alloc(1, sizeof(*units), NULL);
    size_t cap = 0;
    uint64_t offset = 0;
    struct cp_dwarf_unit u;
    struct cp_cursor c;

    while (units && read_extent(d, offset, &u, &c)) {
        if (cp_reserve(&units->offsets, &cap, units->n + 1,
                       sizeof(*units->offsets), NULL) != CP_OK) {
            cp_free(units->offsets);
            cp_free(units);
            return NULL;
        }
        units->offsets[units->n++] = offset;
        offset = (uint64_t)(u.end - d->part[CP_DWARF_INFO].data);
    }
    return units;
}

const struct cp_dwarf_units *cp_dwarf_unit_list(const struct cp_dwarf *d)
{
    /* The list is a cache, so writing it does not change the file. */
    struct cp_dwarf *cache = (struct cp_dwarf *)(uintptr_t)d;
    struct cp_dwarf_units *units = atomic_load(&cache->units);

    if (units)
        return units;
    (void)pthread_mutex_lock(&cache->units_lock);
    units = atomic_load(&cache->units);
    if (!units) {
        units = list_units(d);
        atomic_store(&cache->units, units);
    }
    (void)pthread_mutex_unlock(&cache->units_lock);
    return units;
}

bool cp_dwarf_unit_of(const struct cp_dwarf *d, uint64_t place,
                      struct cp_dwarf_unit *out)
{
    const struct cp_dwarf_units *units = cp_dwarf_unit_list(d);
    size_t low =
        units && units->n
            ? cp_search_above(units->offsets, sizeof(uint64_t), units->n, place)
            : 0;

    return low > 0 && cp_dwarf_unit_read(d, units->offsets[low - 1], out) &&
           d->part[CP_DWARF_INFO].data + place < out->end;
}
