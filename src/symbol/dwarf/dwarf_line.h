/*
 * dwarf_line - line programs, run for the addresses that are asked for.
 *
 * A program is run once for all addresses of its unit; no row is kept but
 * those that answer. Names of files are looked at when a row needs them.
 */
#ifndef CP_DWARF_LINE_H
#define CP_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf.h"
#include "symbol/table/cursor.h"

struct cp_arena;
struct cp_sort_pair;

struct cp_line_row {
    uint32_t file, line, column, discriminator;
    bool is_found;
};

/* A file of the table, as the table has it. */
struct cp_line_file {
    const char *name; /* or NULL */
    uint64_t dir;
    char *path; /* the whole path, once made */
};

/* A place in a program: a row was made here, and it goes on from `pos`. */
struct cp_line_mark {
    struct cp_line_row row;
    const uint8_t *pos;
};

/*
 * Places to go on from, so that a second question need not run the program
 * from its start. Starts as { 0 }.
 */
struct cp_line_marks {
    struct cp_line_mark *items;
    struct cp_sort_pair *order; /* address, number; by address once sorted */
    size_t n, items_cap, order_cap;
    bool is_cut; /* memory ran out: of no use */
};

/*
 * One line table. Starts as { 0 } and is opened for one unit after the
 * other, to use its memory again.
 */
struct cp_line {
    struct cp_dwarf_unit unit; /* with the sizes of the line table */
    struct cp_cursor tables, program;
    uint16_t version;
    uint8_t min_step, opcode_base, line_range;
    int8_t line_base;
    uint8_t lengths[256]; /* operands of the standard opcodes */
    bool has_files;       /* the tables have been read */
    const char **dirs;
    size_t n_dirs, dirs_cap;
    struct cp_line_file *files;
    size_t n_files, files_cap;
    int64_t fuel; /* bytes that may still be decoded */
};

/* Reads the header of the unit's line program; false: it has none. */
bool cp_line_open(struct cp_line *l, const struct cp_dwarf_unit *u);

/*
 * Fills rows[i] for sorted[i], which are zeroed before. If marks is not NULL,
 * it is filled as well.
 */
void cp_line_find(struct cp_line *l, const uint64_t *sorted, size_t n,
                  struct cp_line_row *rows, struct cp_line_marks *marks);

/* The same for a few addresses, from marks of the same unit. */
void cp_line_find_from(struct cp_line *l, const uint64_t *sorted, size_t n,
                       struct cp_line_row *rows,
                       const struct cp_line_marks *marks);

void cp_line_marks_release(struct cp_line_marks *m);

/*
 * The whole path of a file by its number, in the arena; NULL if it has none
 * or memory runs out.
 */
const char *cp_line_path(struct cp_line *l, uint64_t file,
                         struct cp_arena *arena);

void cp_line_release(struct cp_line *l);

#endif
