/*
 * code_map.c - finds code regions by address.
 *
 * Generated code is replaced at run time, so regions may overlap: of those that
 * contain an address, the last in the file wins. Regions are sorted by start,
 * and each entry stores the highest end up to it, which bounds the search
 * backwards.
 */
#include "symbol/code/code_map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/search.h"
#include "base/sort.h"
#include "symbol/code/code_pieces.h"

#define MAX_BYTES ((size_t)1 << 30)
#define MAX_LOOKBACK                                                           \
    4096 /* maximum regions examined that begin before an address */

struct cp_code_map {
    struct cp_code_pieces pieces;
    struct cp_sort_pair *order; /* start and region number, sorted */
    uint64_t *max_end;          /* highest end of the regions up to this one */
    struct cp_arena arena;
};

enum cp_status cp_code_pieces_add(struct cp_code_pieces *p,
                                  const struct cp_code_piece *piece,
                                  struct cp_error *err)
{
    if (cp_reserve(&p->items, &p->cap, p->n + 1, sizeof(*p->items), err) !=
        CP_OK)
        return CP_ENOMEM;
    p->items[p->n++] = *piece;
    return CP_OK;
}

static uint64_t end_of(const struct cp_code_map *m, size_t i)
{
    const struct cp_code_piece *piece = &m->pieces.items[m->order[i].value];

    if (piece->size)
        return piece->start + piece->size > piece->start
                   ? piece->start + piece->size
                   : UINT64_MAX;
    return i + 1 < m->pieces.n ? m->order[i + 1].key : UINT64_MAX;
}

static enum cp_status sort_pieces(struct cp_code_map *m, struct cp_error *err)
{
    uint64_t max_end = 0;
    size_t n = m->pieces.n;

    m->order = cp_alloc(n, sizeof(*m->order), err);
    m->max_end = cp_alloc(n, sizeof(*m->max_end), err);
    if (!m->order || !m->max_end)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++)
        m->order[i] = (struct cp_sort_pair){ m->pieces.items[i].start, i };
    if (cp_sort_pairs(m->order, n, err) != CP_OK)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        uint64_t end = end_of(m, i);

        max_end = end > max_end ? end : max_end;
        m->max_end[i] = max_end;
    }
    return CP_OK;
}

/* Parses the bytes, which the map then owns. */
static enum cp_status read_map(struct cp_code_map **out, struct cp_bytes *bytes,
                               struct cp_error *err)
{
    struct cp_code_map *m = cp_alloc(1, sizeof(*m), err);
    enum cp_status status;

    if (!m) {
        cp_bytes_release(bytes);
        return CP_ENOMEM;
    }
    m->pieces.bytes = *bytes;
    status = cp_jitdump_is(bytes) ? cp_jitdump_read(&m->pieces, err)
                                  : cp_code_text_read(&m->pieces, err);
    if (status == CP_OK && m->pieces.n == 0)
        status = cp_error_set(err, CP_EFORMAT,
                              "neither a perf map nor jitdump nor kallsyms");
    if (status == CP_OK)
        status = sort_pieces(m, err);
    if (status == CP_OK)
        *out = m;
    else
        cp_code_map_close(m);
    return status;
}

enum cp_status cp_code_map_open(struct cp_code_map **out, const char *path,
                                struct cp_error *err)
{
    struct cp_bytes bytes = { 0 };
    enum cp_status status = cp_bytes_read_file(&bytes, path, MAX_BYTES, err);

    return status == CP_OK ? read_map(out, &bytes, err) : status;
}

enum cp_status cp_code_map_view(struct cp_code_map **out, const void *bytes,
                                size_t len, struct cp_error *err)
{
    struct cp_bytes copy = { 0 };
    enum cp_status status = cp_bytes_reserve(&copy, len + 1, err);

    if (status != CP_OK)
        return status;
    if (len)
        memcpy(copy.data, bytes, len);
    copy.len = len;
    return read_map(out, &copy, err);
}

/* Returns the last region of the file that contains the address, or NULL. */
static const struct cp_code_piece *find(const struct cp_code_map *m,
                                        uint64_t address)
{
    size_t low = cp_search_above(&m->order->key, sizeof(*m->order), m->pieces.n,
                                 address);
    size_t best = SIZE_MAX;

    for (size_t i = 0; low > 0 && i < MAX_LOOKBACK; low--, i++) {
        size_t number = (size_t)m->order[low - 1].value;

        if (m->max_end[low - 1] <= address)
            break;
        if (address < end_of(m, low - 1) && (best == SIZE_MAX || number > best))
            best = number;
    }
    return best == SIZE_MAX ? NULL : &m->pieces.items[best];
}

/* Sets the source line: the last line entry at or before the address. */
static void set_line(const struct cp_code_map *m,
                     const struct cp_code_piece *piece, uint64_t address,
                     struct cp_symbol_frame *frame)
{
    const struct cp_code_line *best = NULL;

    for (uint32_t i = 0; i < piece->n_lines; i++) {
        const struct cp_code_line *line =
            &m->pieces.lines[piece->first_line + i];

        if (line->address <= address &&
            (!best || line->address >= best->address))
            best = line;
    }
    if (best) {
        frame->file = best->file;
        frame->line = best->line;
    }
}

enum cp_status cp_code_map_resolve(struct cp_code_map *m,
                                   const uint64_t *addresses, size_t n,
                                   cp_symbol_sink *sink, void *context,
                                   struct cp_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct cp_code_piece *piece = find(m, addresses[i]);
        struct cp_symbol_frame *frame = NULL;

        if (piece) {
            frame = cp_arena_alloc(&m->arena, 1, sizeof(*frame), err);
            if (!frame)
                return CP_ENOMEM;
            frame->function = piece->name;
            set_line(m, piece, addresses[i], frame);
        }
        sink(context, i, frame, frame ? 1 : 0);
    }
    return CP_OK;
}

bool cp_code_map_start(const struct cp_code_map *m, const char *name,
                       uint64_t *out)
{
    for (size_t i = 0; i < m->pieces.n; i++)
        if (strcmp(m->pieces.items[i].name, name) == 0) {
            *out = m->pieces.items[i].start;
            return true;
        }
    return false;
}

void cp_code_map_close(struct cp_code_map *m)
{
    if (!m)
        return;
    cp_bytes_release(&m->pieces.bytes);
    cp_free(m->pieces.items);
    cp_free(m->pieces.lines);
    cp_free(m->order);
    cp_free(m->max_end);
    cp_arena_release(&m->arena);
    cp_free(m);
}
