/* code_pieces - the code regions of a map, as its readers produce them. */
#ifndef CP_CODE_PIECES_H
#define CP_CODE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* A source line of generated code that begins at an address. */
struct cp_code_line {
    uint64_t address;
    const char *file;
    uint32_t line;
};

struct cp_code_piece {
    uint64_t start;
    uint64_t size; /* bytes; 0: up to the next region */
    const char *name;
    uint32_t first_line, n_lines; /* range of cp_code_pieces.lines */
};

/*
 * Regions in file order. Strings point into the bytes, which the readers
 * modify.
 */
struct cp_code_pieces {
    struct cp_bytes bytes;
    struct cp_code_piece *items;
    size_t n, cap;
    struct cp_code_line *lines;
    size_t n_lines, lines_cap;
};

enum cp_status cp_code_pieces_add(struct cp_code_pieces *p,
                                  const struct cp_code_piece *piece,
                                  struct cp_error *err);

/* Whether the bytes begin with the magic number of jitdump. */
bool cp_jitdump_is(const struct cp_bytes *bytes);

/*
 * Parse p->bytes as jitdump or as text. An incomplete entry at the end is
 * ignored, because the program may still be writing.
 */
enum cp_status cp_jitdump_read(struct cp_code_pieces *p, struct cp_error *err);
enum cp_status cp_code_text_read(struct cp_code_pieces *p,
                                 struct cp_error *err);

#endif
