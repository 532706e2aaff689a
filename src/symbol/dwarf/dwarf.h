/*
 * dwarf - the debug sections of one file, and the units in them.
 *
 * Borrowed by everything that reads them; nothing here is written after the
 * file was opened but the list of units, which is made when first asked for.
 */
#ifndef CP_DWARF_H
#define CP_DWARF_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "symbol/table/cursor.h"

struct cp_elf;

enum cp_dwarf_part {
    CP_DWARF_INFO,
    CP_DWARF_ABBREV,
    CP_DWARF_LINE,
    CP_DWARF_STR,
    CP_DWARF_LINE_STR,
    CP_DWARF_STR_OFFSETS,
    CP_DWARF_ADDR,
    CP_DWARF_RANGES,
    CP_DWARF_RNGLISTS,
    CP_DWARF_ARANGES,
    CP_DWARF_CU_INDEX,
    CP_DWARF_PARTS
};

struct cp_dwarf_bytes {
    const uint8_t *data;
    size_t len;
    const struct cp_elf *elf; /* whose they are: to be fetched; or NULL */
};

/* Has len bytes read, or as many as there are from `at` on. */
static inline void cp_dwarf_fetch(const struct cp_dwarf_bytes *b,
                                  const uint8_t *at, size_t len)
{
    size_t left = (size_t)(b->data + b->len - at);

    if (b->elf)
        (void)cp_elf_fetch(b->elf, at, len < left ? len : left);
}

/* Where the units of a section begin, in order. */
struct cp_dwarf_units {
    uint64_t *offsets;
    size_t n;
};

/* Starts as { 0 }; parts that a file lacks stay empty. */
struct cp_dwarf {
    struct cp_dwarf_bytes part[CP_DWARF_PARTS];
    struct cp_dwarf *alt; /* what dwz moved out, or NULL; borrowed */
    bool is_split;        /* a .dwo file or a unit of a .dwp file */
    _Atomic(struct cp_dwarf_units *) units;
    pthread_mutex_t units_lock;
};

/*
 * A unit: its header, and what its root says. Plain data, copied at will.
 */
struct cp_dwarf_unit {
    const struct cp_dwarf *dwarf;
    const struct cp_dwarf *skeleton; /* whose .debug_addr and ranges it uses */
    uint64_t offset;                 /* of the header, in .debug_info */
    const uint8_t *start;            /* the header */
    const uint8_t *dies, *end;       /* the root and all below it */
    uint64_t abbrev_offset;
    uint64_t dwo_id;
    uint16_t version;
    uint8_t type; /* DW_UT_*; DW_UT_compile before version 5 */
    uint8_t address_size, offset_size;

    /* From the root, once cp_worker_root has been called. */
    uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
    uint64_t low_pc; /* base of its range lists */
    uint64_t line_offset;
    uint16_t language; /* DW_LANG_*, 0: it does not say */
    bool has_line, has_children;
    const char *name, *comp_dir, *dwo_name; /* or NULL */
};

/* Gives the lock its first state; release frees the list of units. */
void cp_dwarf_init(struct cp_dwarf *d);
void cp_dwarf_release(struct cp_dwarf *d);

/*
 * A cursor over a part from an offset on; failed if that is outside. The first
 * CP_DWARF_AHEAD bytes are fetched, and tables that are read whole.
 */
#define CP_DWARF_AHEAD ((size_t)256)
struct cp_cursor cp_dwarf_at(const struct cp_dwarf *d, enum cp_dwarf_part part,
                             uint64_t offset);

/* A text of a string section, or NULL. */
const char *cp_dwarf_text(const struct cp_dwarf *d, enum cp_dwarf_part part,
                          uint64_t offset);

/* Reads the header of the unit at an offset; false: there is none. */
bool cp_dwarf_unit_read(const struct cp_dwarf *d, uint64_t offset,
                        struct cp_dwarf_unit *out);

/* All units of .debug_info; NULL only if memory runs out. */
const struct cp_dwarf_units *cp_dwarf_unit_list(const struct cp_dwarf *d);

/* The unit that a place of .debug_info lies in; false: none. */
bool cp_dwarf_unit_of(const struct cp_dwarf *d, uint64_t place,
                      struct cp_dwarf_unit *out);

#endif
