/*
 * dwarf_line.c - runs line programs.
 *
 *   length, version (2), [5: address size (1), segment size (1)],
 *   header length, minimum step (1), [4: operations (1)], default (1),
 *   line base (1), line range (1), opcode base (1), lengths of opcodes,
 *   directories and files (dwarf_line_files.c), program
 */
#include "symbol/dwarf/dwarf_line.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "symbol/dwarf/dwarf_names.h"

#define ROWS_PER_MARK 64

/* Registers of the line state machine, and the previous row. */
struct machine {
    uint64_t address;
    struct cp_line_row now, last;
    uint64_t last_address;
    bool has_last;
    /* The remaining addresses; all lower ones have a row. */
    const uint64_t *sorted;
    size_t n, next;
    uint64_t next_address;
    struct cp_line_row *rows;
    struct cp_line_marks *marks; /* restart points to record, or NULL */
    unsigned until_mark;         /* rows until the next restart point */
};

static bool read_header(struct cp_line *l, struct cp_cursor *c)
{
    uint64_t len;

    l->version = (uint16_t)cp_cursor_uint(c, 2);
    if (l->version < 2 || l->version > 5)
        return false;
    if (l->version >= 5) {
        l->unit.address_size = cp_cursor_u8(c);
        (void)cp_cursor_u8(c);
    }
    len = cp_cursor_uint(c, l->unit.offset_size);
    l->tables = cp_cursor_part(c, len);
    l->program = *c;
    c = &l->tables;
    l->min_step = cp_cursor_u8(c);
    if (l->version >= 4)
        (void)cp_cursor_u8(c);
    (void)cp_cursor_u8(c);
    l->line_base = (int8_t)cp_cursor_u8(c);
    l->line_range = cp_cursor_u8(c);
    l->opcode_base = cp_cursor_u8(c);
    for (unsigned i = 1; i < l->opcode_base; i++)
        l->lengths[i] = cp_cursor_u8(c);
    return !c->failed && !l->program.failed && l->line_range != 0 &&
           l->opcode_base != 0;
}

bool cp_line_open(struct cp_line *l, const struct cp_dwarf_unit *u)
{
    struct cp_cursor c;
    uint64_t len;

    l->unit = *u;
    l->has_files = false;
    l->n_dirs = l->n_files = 0;
    if (!u->has_line)
        return false;
    c = cp_dwarf_at(u->dwarf, CP_DWARF_LINE, u->line_offset);
    l->unit.offset_size = 4;
    len = cp_cursor_uint(&c, 4);
    if (len == 0xffffffff) {
        len = cp_cursor_uint(&c, 8);
        l->unit.offset_size = 8;
    }
    c = cp_cursor_part(&c, len);
    if (c.failed)
        return false;
    cp_dwarf_fetch(&u->dwarf->part[CP_DWARF_LINE], c.pos, (size_t)len);
    return read_header(l, &c);
}

/* Moves to the first remaining address >= `address`. */
static void seek(struct machine *m, uint64_t address)
{
    size_t low = cp_search_from(m->sorted, sizeof(*m->sorted), m->n, address);

    m->next = low;
    m->next_address = low < m->n ? m->sorted[low] : UINT64_MAX;
}

/* Stores the previous row for all addresses before the current row. */
static void store_row(struct machine *m)
{
    while (m->next < m->n && m->sorted[m->next] < m->address) {
        struct cp_line_row *row = &m->rows[m->next++];

        if (!row->is_found) {
            *row = m->last;
            row->is_found = true;
        }
    }
    m->next_address = m->next < m->n ? m->sorted[m->next] : UINT64_MAX;
}

static void mark(struct machine *m, const uint8_t *pos)
{
    struct cp_line_marks *k = m->marks;

    m->until_mark = ROWS_PER_MARK;
    if (cp_reserve(&k->items, &k->items_cap, k->n + 1, sizeof(*k->items),
                   NULL) != CP_OK ||
        cp_reserve(&k->order, &k->order_cap, k->n + 1, sizeof(*k->order),
                   NULL) != CP_OK) {
        k->is_incomplete = true;
        m->marks = NULL;
        return;
    }
    k->items[k->n] = (struct cp_line_mark){ m->last, pos };
    k->order[k->n] = (struct cp_sort_pair){ m->address, k->n };
    k->n++;
}

/* Emits a row; the program continues at pos. */
static inline void emit(struct machine *m, const uint8_t *pos)
{
    if (!m->has_last || m->address < m->last_address) {
        m->has_last = true;
        m->until_mark = 1;
        seek(m, m->address);
    } else if (m->address > m->next_address) {
        store_row(m);
    }
    m->last = m->now;
    m->last_address = m->address;
    m->now.discriminator = 0;
    if (m->marks && --m->until_mark == 0)
        mark(m, pos);
}

static void begin_sequence(struct machine *m)
{
    m->address = 0;
    m->now = (struct cp_line_row){ .file = 1, .line = 1 };
    m->has_last = false;
}

static void run_extended(const struct cp_line *l, struct machine *m,
                         struct cp_cursor *c)
{
    uint64_t len = cp_cursor_uleb(c);
    struct cp_cursor part = cp_cursor_part(c, len);
    unsigned opcode = cp_cursor_u8(&part);

    switch (opcode) {
    case DW_LNE_end_sequence:
        if (m->has_last && m->address > m->next_address)
            store_row(m);
        begin_sequence(m);
        break;
    case DW_LNE_set_address:
        m->address = cp_cursor_uint(&part, len == 9   ? 8
                                           : len == 5 ? 4
                                                      : l->unit.address_size);
        break;
    case DW_LNE_set_discriminator:
        m->now.discriminator = (uint32_t)cp_cursor_uleb(&part);
        break;
    default:
        break;
    }
}

static void run_standard(const struct cp_line *l, struct machine *m,
                         struct cp_cursor *c, unsigned opcode)
{
    switch (opcode) {
    case DW_LNS_copy:
        emit(m, c->pos);
        break;
    case DW_LNS_advance_pc:
        m->address += cp_cursor_uleb(c) * l->min_step;
        break;
    case DW_LNS_advance_line:
        m->now.line += (uint32_t)cp_cursor_sleb(c);
        break;
    case DW_LNS_set_file:
        m->now.file = (uint32_t)cp_cursor_uleb(c);
        break;
    case DW_LNS_set_column:
        m->now.column = (uint32_t)cp_cursor_uleb(c);
        break;
    case DW_LNS_const_add_pc:
        m->address +=
            (255u - l->opcode_base) / l->line_range * (uint64_t)l->min_step;
        break;
    case DW_LNS_fixed_advance_pc:
        m->address += cp_cursor_uint(c, 2);
        break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    default:
        for (unsigned i = 0; i < l->lengths[opcode]; i++)
            (void)cp_cursor_uleb(c);
        break;
    }
}

/* Address and line increments of the special opcodes. */
struct steps {
    uint8_t addresses[256], lines[256];
};

static void make_steps(const struct cp_line *l, struct steps *s)
{
    for (unsigned i = l->opcode_base; i < 256; i++) {
        s->addresses[i] = (uint8_t)((i - l->opcode_base) / l->line_range);
        s->lines[i] = (uint8_t)((i - l->opcode_base) % l->line_range);
    }
}

/* Executes one opcode. */
static inline void run(const struct cp_line *l, const struct steps *s,
                       struct machine *m, struct cp_cursor *c)
{
    unsigned opcode = *c->pos++;

    if (opcode >= l->opcode_base) {
        m->address += (uint64_t)s->addresses[opcode] * l->min_step;
        m->now.line += (uint32_t)(s->lines[opcode] + l->line_base);
        emit(m, c->pos);
    } else if (opcode == DW_LNS_extended) {
        run_extended(l, m, c);
    } else {
        run_standard(l, m, c, opcode);
    }
}

void cp_line_find(struct cp_line *l, const uint64_t *sorted, size_t n,
                  struct cp_line_row *rows, struct cp_line_marks *marks)
{
    struct cp_cursor c = l->program;
    struct machine m = {
        .sorted = sorted, .n = n, .rows = rows, .marks = marks
    };
    struct steps steps;

    if (l->fuel < 0)
        return;
    l->fuel -= (int64_t)cp_cursor_left(&c);
    make_steps(l, &steps);
    begin_sequence(&m);
    while (c.pos < c.end)
        run(l, &steps, &m, &c);
    if (marks && !marks->is_incomplete)
        marks->is_incomplete =
            cp_sort_pairs(marks->order, marks->n, NULL) != CP_OK;
}

/*
 * Returns the last restart point at or before an address; NULL if there is
 * none.
 */
static const struct cp_sort_pair *find_mark(const struct cp_line_marks *marks,
                                            uint64_t address)
{
    size_t low = marks->n == 0 ? 0
                               : cp_search_above(&marks->order->key,
                                                 sizeof(*marks->order),
                                                 marks->n, address);

    return low > 0 ? &marks->order[low - 1] : NULL;
}

void cp_line_find_from(struct cp_line *l, const uint64_t *sorted, size_t n,
                       struct cp_line_row *rows,
                       const struct cp_line_marks *marks)
{
    struct steps steps;

    make_steps(l, &steps);
    for (size_t i = 0; i < n; i++) {
        const struct cp_sort_pair *found = find_mark(marks, sorted[i]);
        struct machine m = { .sorted = sorted + i, .n = 1, .rows = rows + i };
        struct cp_cursor c = l->program;

        if (!found)
            continue;
        c.pos = marks->items[found->value].pos;
        m.address = m.last_address = found->key;
        m.last = m.now = marks->items[found->value].row;
        m.now.discriminator = 0;
        m.has_last = true;
        m.next_address = sorted[i];
        while (c.pos < c.end && m.has_last && m.next == 0 && l->fuel > 0) {
            run(l, &steps, &m, &c);
            l->fuel--;
        }
    }
}

void cp_line_marks_release(struct cp_line_marks *m)
{
    cp_free(m->items);
    cp_free(m->order);
    *m = (struct cp_line_marks){ 0 };
}

void cp_line_release(struct cp_line *l)
{
    cp_free(l->dirs);
    cp_free(l->files);
    *l = (struct cp_line){ 0 };
}
