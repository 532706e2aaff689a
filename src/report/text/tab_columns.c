/*
 * tab_columns.c - splits text into cells, computes column widths, writes lines.
 *
 * A vertical tab also ends a cell. A form feed ends a line and all columns.
 */
#include "report/text/tab_columns.h"

#include "base/alloc.h"
#include "base/out.h"

/* Part of a line up to `end`: a tab, or the end of the line. */
struct cell {
    const char *text;
    size_t len, width;
    size_t column; /* index in columns.width */
    char end;
};

struct columns {
    struct cell *cells;
    size_t n_cells, cap_cells;
    size_t *width;
    size_t n, cap;
    size_t above, n_above; /* cells with columns in the previous line */
    size_t line;           /* first cell of this line */
    struct cp_error *err;
};

/* Assigns a cell that a tab ended to the column above, or to a new one. */
static enum cp_status join_column(struct columns *c, struct cell *cell)
{
    size_t place = c->n_cells - c->line;

    if (place < c->n_above) {
        cell->column = c->cells[c->above + place].column;
    } else {
        if (cp_reserve(&c->width, &c->cap, c->n + 1, sizeof(*c->width),
                       c->err) != CP_OK)
            return CP_ENOMEM;
        cell->column = c->n++;
        c->width[cell->column] = 0;
    }
    if (cell->width + 1 > c->width[cell->column])
        c->width[cell->column] = cell->width + 1;
    return CP_OK;
}

static enum cp_status add_cell(struct columns *c, struct cell cell)
{
    bool is_column = cell.end == '\t' || cell.end == '\v';

    cell.width = cp_out_width(cell.text, cell.len);
    if (cp_reserve(&c->cells, &c->cap_cells, c->n_cells + 1, sizeof(*c->cells),
                   c->err) != CP_OK ||
        (is_column && join_column(c, &cell) != CP_OK))
        return CP_ENOMEM;
    c->cells[c->n_cells++] = cell;
    if (is_column)
        return CP_OK;
    c->above = c->line;
    c->n_above = cell.end == '\f' ? 0 : c->n_cells - 1 - c->line;
    c->line = c->n_cells;
    return CP_OK;
}

static enum cp_status find_cells(struct columns *c, const char *text,
                                 size_t len)
{
    size_t from = 0;

    for (size_t i = 0; i <= len; i++) {
        char end = i < len ? text[i] : '\0';

        if (i < len && end != '\t' && end != '\v' && end != '\n' && end != '\f')
            continue;
        if (add_cell(c, (struct cell){ .text = text + from,
                                       .len = i - from,
                                       .end = end }) != CP_OK)
            return CP_ENOMEM;
        from = i + 1;
    }
    return CP_OK;
}

static void write_cells(const struct columns *c, struct cp_out *out)
{
    for (size_t i = 0; i < c->n_cells; i++) {
        const struct cell *cell = &c->cells[i];

        if (cell->end == '\t' || cell->end == '\v')
            cp_out_fill(out, ' ', c->width[cell->column] - cell->width);
        cp_out_bytes(out, cell->text, cell->len);
        if (cell->end == '\n' || cell->end == '\f')
            cp_out_char(out, '\n');
    }
}

enum cp_status cp_tab_columns_write(const char *text, size_t len,
                                    struct cp_out *out, struct cp_error *err)
{
    struct columns c = { .err = err };
    enum cp_status status = find_cells(&c, text, len);

    if (status == CP_OK)
        write_cells(&c, out);
    cp_free(c.cells);
    cp_free(c.width);
    return status;
}
