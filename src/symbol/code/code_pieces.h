/* code_pieces - the pieces of code of a map; what its readers fill. */
#ifndef CP_CODE_PIECES_H
#define CP_CODE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

/* A line of generated code, from an address on. */
struct cp_code_line {
    uint64_t address;
    const char *file;
    uint32_t line;
};

struct cp_code_piece {
    uint64_t start;
    uint64_t size; /* 0: up to the next piece */
    const char *name;
    uint32_t first_line, n_lines; /* among the lines of the map */
};

/* In the order of the file. Texts are in its bytes, which may be changed. */
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

/* Whether the bytes begin as a jitdump file does. */
bool cp_jitdump_is(const struct cp_bytes *bytes);

/* Reads p->bytes, as jitdump or as text. What is cut short at the end is left
 * out: the program may still be writing. */
enum cp_status cp_jitdump_read(struct cp_code_pieces *p, struct cp_error *err);
enum cp_status cp_code_text_read(struct cp_code_pieces *p,
                                 struct cp_error *err);

#endif
