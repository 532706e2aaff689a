/*
 * dwarf - the debug sections of one file, and their units.
 *
 * Readers borrow it. After the file is opened only the list of units changes,
 * which is built on first use.
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
    const struct cp_elf *elf; /* file to fetch the bytes from, or NULL */
};

/* Fetches up to len bytes from `at`. */
static inline void cp_dwarf_fetch(const struct cp_dwarf_bytes *b,
                                  const uint8_t *at, size_t len)
{
    size_t left = (size_t)(b->data + b->len - at);

    if (b->elf)
        (void)cp_elf_fetch(b->elf, at, len < left ? len : left);
}

/* Offsets of the units of a section, ascending. */
struct cp_dwarf_units {
    uint64_t *offsets;
    size_t n;
};

/* Initialize with { 0 }; missing sections stay empty. */
struct cp_dwarf {
    struct cp_dwarf_bytes part[CP_DWARF_PARTS];
    struct cp_dwarf
        *alt;      /* sections that dwz moved elsewhere, or NULL; borrowed */
    bool is_split; /* a .dwo file or a unit of a .dwp file */
    _Atomic(struct cp_dwarf_units *) units;
    pthread_mutex_t units_lock;
};

/* A unit: its header, and the attributes of its root entry. Can be copied. */
struct cp_dwarf_unit {
    const struct cp_dwarf *dwarf;
    const struct cp_dwarf
        *skeleton;             /* file whose .debug_addr and ranges it uses */
    uint64_t offset;           /* offset of the header in .debug_info */
    const uint8_t *start;      /* header */
    const uint8_t *dies, *end; /* root entry and all below it */
    uint64_t abbrev_offset;
    uint64_t dwo_id;
    uint16_t version;
    uint8_t type; /* DW_UT_*; DW_UT_compile before version 5 */
    uint8_t address_size, offset_size;

    /* Attributes of the root, valid after cp_worker_root. */
    uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
    uint64_t low_pc; /* base address of its range lists */
    uint64_t line_offset;
    uint16_t language; /* DW_LANG_*; 0 if unknown */
    bool has_line, has_children;
    const char *name, *comp_dir, *dwo_name; /* NULL if missing */
};

/* Initializes the lock; cp_dwarf_release frees the list of units. */
void cp_dwarf_init(struct cp_dwarf *d);
void cp_dwarf_release(struct cp_dwarf *d);

/*
 * Returns a cursor over a section from an offset. If the offset is outside the
 * section, the cursor is in the failed state. Fetches the first CP_DWARF_AHEAD
 * bytes, or all of a table that is read completely.
 */
#define CP_DWARF_AHEAD ((size_t)256)
struct cp_cursor cp_dwarf_at(const struct cp_dwarf *d, enum cp_dwarf_part part,
                             uint64_t offset);

/* Returns a string of a string section, or NULL. */
const char *cp_dwarf_text(const struct cp_dwarf *d, enum cp_dwarf_part part,
                          uint64_t offset);

/* Reads the header of the unit at an offset; false if there is none. */
bool cp_dwarf_unit_read(const struct cp_dwarf *d, uint64_t offset,
                        struct cp_dwarf_unit *out);

/* Returns all units of .debug_info; NULL only if allocation fails. */
const struct cp_dwarf_units *cp_dwarf_unit_list(const struct cp_dwarf *d);

/* Finds the unit that contains an offset of .debug_info; false if none does. */
bool cp_dwarf_unit_of(const struct cp_dwarf *d, uint64_t place,
                      struct cp_dwarf_unit *out);

#endif
