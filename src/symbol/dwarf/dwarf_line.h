/*
 * dwarf_line - runs line programs for the requested addresses.
 *
 * A program runs once for all addresses of its unit; only the rows of these
 * addresses are stored. File names are resolved on demand.
 */
#ifndef CP_DWARF_LINE_H
#define CP_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf.h"

struct cp_arena;
struct cp_sort_pair;

struct cp_line_row {
    uint32_t file, line, column, discriminator;
    bool is_found;
};

/* A file of the line table. */
struct cp_line_file {
    const char *name; /* NULL if missing */
    uint64_t dir;
    char *path; /* full path; NULL until it is built */
};

/*
 * A restart point: the state after a row, and the position of the next opcode.
 */
struct cp_line_mark {
    struct cp_line_row row;
    const uint8_t *pos;
};

/*
 * Restart points, so that a later lookup need not run the program from its
 * start. Initialize with { 0 }.
 */
struct cp_line_marks {
    struct cp_line_mark *items;
    struct cp_sort_pair *order; /* address and restart point number; sorted by
                                   address at the end */
    size_t n, items_cap, order_cap;
    bool is_incomplete; /* allocation failed; do not use */
};

/*
 * A line table. Initialize with { 0 }. It can be opened for several units in
 * turn and reuses its memory.
 */
struct cp_line {
    struct cp_dwarf_unit
        unit; /* the unit, with the offset size of the line table */
    struct cp_cursor tables, program;
    uint16_t version;
    uint8_t min_step, opcode_base, line_range;
    int8_t line_base;
    uint8_t lengths[256]; /* operand counts of the standard opcodes */
    bool has_files;       /* whether the file tables are decoded */
    const char **dirs;
    size_t n_dirs, dirs_cap;
    struct cp_line_file *files;
    size_t n_files, files_cap;
    int64_t fuel; /* bytes that may still be decoded */
};

/* Reads the header of the unit's line program; false if it has none. */
bool cp_line_open(struct cp_line *l, const struct cp_dwarf_unit *u);

/*
 * Fills in rows[i] for sorted[i]; the rows must be zeroed. Records restart
 * points if marks is not NULL.
 */
void cp_line_find(struct cp_line *l, const uint64_t *sorted, size_t n,
                  struct cp_line_row *rows, struct cp_line_marks *marks);

/*
 * Fills in the rows of a few addresses, using restart points of the same unit.
 */
void cp_line_find_from(struct cp_line *l, const uint64_t *sorted, size_t n,
                       struct cp_line_row *rows,
                       const struct cp_line_marks *marks);

void cp_line_marks_release(struct cp_line_marks *m);

/*
 * Returns the full path of file number `file`, in the arena; NULL if it is
 * unknown or allocation fails.
 */
const char *cp_line_path(struct cp_line *l, uint64_t file,
                         struct cp_arena *arena);

void cp_line_release(struct cp_line *l);

#endif
