/*
 * jitdump.c - parses jitdump files.
 *
 *   header:  "JiTD" as a number (4), version (4), size of header (4), machine
 *            (4), padding (4), pid (4), time (8), flags (8)
 *   record:  kind (4), size including this (4), time (8), then
 *   0 load:  pid (4), tid (4), address (8), code address (8), code size (8),
 *            number (8), name, NUL, code
 *   1 move:  pid (4), tid (4), address (8), old code address (8), new (8),
 *            code size (8), number (8)
 *   2 lines: code address (8), count (8), then for each: address (8),
 *            line (4), discriminator (4), file, NUL ("\xff": same as before)
 */

#include <string.h>

#include "base/alloc.h"
#include "symbol/code/code_pieces.h"
#include "symbol/table/cursor.h"

#define MAGIC 0x4a695444
enum { CODE_LOAD = 0, CODE_MOVE = 1, CODE_LINES = 2 };

/* Source lines of the next code load. */
struct pending {
    uint64_t address;
    uint32_t first, n;
};

bool cp_jitdump_is(const struct cp_bytes *bytes)
{
    uint32_t magic = 0;

    if (bytes->len >= 4)
        memcpy(&magic, bytes->data, 4);
    return magic == MAGIC;
}

static enum cp_status read_load(struct cp_code_pieces *p, struct cp_cursor *c,
                                const struct pending *lines,
                                struct cp_error *err)
{
    struct cp_code_piece piece = { 0 };

    cp_cursor_skip(c, 16);
    piece.start = cp_cursor_uint(c, 8);
    piece.size = cp_cursor_uint(c, 8);
    cp_cursor_skip(c, 8);
    piece.name = cp_cursor_str(c);
    if (c->failed || piece.size == 0)
        return CP_OK;
    if (lines->n && lines->address == piece.start) {
        piece.first_line = lines->first;
        piece.n_lines = lines->n;
    }
    return cp_code_pieces_add(p, &piece, err);
}

/* Adds the region at the old address once more at the new address. */
static enum cp_status read_move(struct cp_code_pieces *p, struct cp_cursor *c,
                                struct cp_error *err)
{
    uint64_t from, to;

    cp_cursor_skip(c, 16);
    from = cp_cursor_uint(c, 8);
    to = cp_cursor_uint(c, 8);
    if (c->failed)
        return CP_OK;
    for (size_t i = p->n; i > 0 && p->n - i < 4096; i--)
        if (p->items[i - 1].start == from) {
            struct cp_code_piece piece = p->items[i - 1];

            piece.start = to;
            piece.n_lines = 0; /* line entries have the old addresses */
            return cp_code_pieces_add(p, &piece, err);
        }
    return CP_OK;
}

static enum cp_status read_lines(struct cp_code_pieces *p, struct cp_cursor *c,
                                 struct pending *out, struct cp_error *err)
{
    uint64_t n;
    const char *file = NULL;

    out->address = cp_cursor_uint(c, 8);
    n = cp_cursor_uint(c, 8);
    out->first = (uint32_t)p->n_lines;
    out->n = 0;
    for (; n > 0 && !c->failed; n--) {
        struct cp_code_line line = { .address = cp_cursor_uint(c, 8) };
        const char *name;

        line.line = (uint32_t)cp_cursor_uint(c, 4);
        cp_cursor_skip(c, 4);
        name = cp_cursor_str(c);
        if (!name)
            break;
        if (strcmp(name, "\xff") != 0)
            file = name;
        line.file = file;
        if (p->n_lines >= UINT32_MAX ||
            cp_reserve(&p->lines, &p->lines_cap, p->n_lines + 1,
                       sizeof(*p->lines), err) != CP_OK)
            return CP_ENOMEM;
        p->lines[p->n_lines++] = line;
        out->n++;
    }
    return CP_OK;
}

enum cp_status cp_jitdump_read(struct cp_code_pieces *p, struct cp_error *err)
{
    struct cp_cursor c = { p->bytes.data, p->bytes.data + p->bytes.len, false };
    struct pending lines = { 0 };
    enum cp_status status = CP_OK;
    uint64_t header;

    cp_cursor_skip(&c, 8);
    header = cp_cursor_uint(&c, 4);
    if (header < 12)
        return cp_error_set(err, CP_EFORMAT, "jitdump header is truncated");
    cp_cursor_skip(&c, header - 12);
    while (status == CP_OK && c.pos < c.end) {
        uint64_t kind = cp_cursor_uint(&c, 4), size = cp_cursor_uint(&c, 4);
        struct cp_cursor record;

        if (size < 16)
            break;
        record = cp_cursor_part(&c, size - 8);
        cp_cursor_skip(&record, 8);
        if (record.failed)
            break;
        if (kind == CODE_LOAD)
            status = read_load(p, &record, &lines, err);
        else if (kind == CODE_MOVE)
            status = read_move(p, &record, err);
        else if (kind == CODE_LINES)
            status = read_lines(p, &record, &lines, err);
        if (kind != CODE_LINES)
            lines.n = 0;
    }
    return status;
}
