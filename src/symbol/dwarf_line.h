/*
 * dwarf_line - line programs, run for the addresses that are asked for.
 *
 * A program is run once for all addresses of its unit; no row is kept but
 * those that answer. Names of files are looked at when a row needs them.
 */
#ifndef CP_DWARF_LINE_H
#define CP_DWARF_LINE_H

#include "base/arena.h"
#include "symbol/dwarf.h"

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

/* Fills rows[i] for sorted[i], which are zeroed before. */
void cp_line_find(struct cp_line *l, const uint64_t *sorted, size_t n,
                  struct cp_line_row *rows);

/*
 * The whole path of a file by its number, in the arena; NULL if it has none
 * or memory runs out.
 */
const char *cp_line_path(struct cp_line *l, uint64_t file,
                         struct cp_arena *arena);

void cp_line_release(struct cp_line *l);

#endif
