/* gather.c - tables of frames, stacks and sums. */
#include "import/gather.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/number.h"
#include "base/utf8.h"

/* Minimum of the limit on the frames of all stacks. */
#define MIN_FRAME_LIMIT ((uint64_t)16 << 20)
#define FRAMES_PER_BYTE 50 /* limit per byte of the file */

struct cp_gather_node {
    uint32_t parent, location;
    uint32_t depth;
};

struct cp_gather_row {
    uint32_t node, label_set;
    uint32_t cell; /* first cell, or CP_NONE */
};

struct cp_gather_cell {
    int64_t value;
    double rest; /* fraction not yet added to the value */
    uint32_t column, next;
};

enum cp_status cp_gather_init(struct cp_gather *g, size_t input_bytes,
                              struct cp_error *err)
{
    *g = (struct cp_gather){ .max_frames = MIN_FRAME_LIMIT };
    if (g->max_frames < (uint64_t)input_bytes * FRAMES_PER_BYTE)
        g->max_frames = (uint64_t)input_bytes * FRAMES_PER_BYTE;
    if (cp_builder_init(&g->b, err) != CP_OK ||
        cp_reserve(&g->nodes, &g->cap_nodes, 64, sizeof(*g->nodes), err) !=
            CP_OK) {
        cp_gather_release(g);
        return CP_ENOMEM;
    }
    g->nodes[0] = (struct cp_gather_node){ CP_NONE, CP_NONE, 0 };
    g->n_nodes = 1;
    return CP_OK;
}

static void release_tables(struct cp_gather *g)
{
    cp_table_release(&g->functions);
    cp_table_release(&g->locations);
    cp_table_release(&g->mappings);
    cp_table_release(&g->nodes_by_key);
    cp_table_release(&g->rows_by_key);
}

void cp_gather_release(struct cp_gather *g)
{
    cp_builder_release(&g->b);
    release_tables(g);
    cp_free(g->nodes);
    cp_free(g->rows);
    cp_free(g->cells);
    cp_free(g->scratch);
    *g = (struct cp_gather){ 0 };
}

/* Copies text to the scratch buffer; replaces invalid UTF-8 by U+FFFD. */
static enum cp_status clean(struct cp_gather *g, struct cp_text *text,
                            struct cp_error *err)
{
    char *out;

    if (cp_reserve(&g->scratch, &g->cap_scratch, cp_text_len(*text) * 3, 1,
                   err) != CP_OK)
        return CP_ENOMEM;
    out = g->scratch;
    while (text->pos < text->end) {
        uint32_t rune = CP_UTF8_REPLACEMENT;
        size_t n = cp_utf8_decode(text->pos, cp_text_len(*text), &rune);

        out += cp_utf8_encode(rune, out);
        text->pos += n ? n : 1;
    }
    *text = (struct cp_text){ g->scratch, out };
    return CP_OK;
}

uint32_t cp_gather_str(struct cp_gather *g, struct cp_text text,
                       struct cp_error *err)
{
    size_t len = cp_text_len(text);
    uint32_t id;

    if (len == 0)
        return 0;
    id = cp_strtab_find(&g->b.profile->strings, text.pos, len);
    if (id != CP_NO_STR)
        return id;
    if (!cp_utf8_is_valid(text.pos, len) && clean(g, &text, err) != CP_OK)
        return CP_NO_STR;
    return cp_builder_str(&g->b, text.pos, cp_text_len(text), err);
}

uint32_t cp_gather_column(struct cp_gather *g, struct cp_text type,
                          const char *unit, struct cp_error *err)
{
    struct cp_value_type t = {
        cp_gather_str(g, type, err),
        cp_builder_str(&g->b, unit, strlen(unit), err),
    };

    if (t.type == CP_NO_STR || t.unit == CP_NO_STR)
        return CP_NONE;
    for (uint32_t i = 0; i < g->n_columns; i++)
        if (g->columns[i].type == t.type && g->columns[i].unit == t.unit)
            return i;
    if (g->n_columns == CP_GATHER_COLUMNS) {
        (void)cp_error_set(err, CP_EFORMAT, "more than %d sample types",
                           CP_GATHER_COLUMNS);
        return CP_NONE;
    }
    g->columns[g->n_columns] = t;
    return g->n_columns++;
}

void cp_gather_prefer(struct cp_gather *g, uint32_t column)
{
    g->b.profile->default_type = g->columns[column].type;
}

uint32_t cp_gather_mapping(struct cp_gather *g, struct cp_text file,
                           struct cp_text build_id, struct cp_error *err)
{
    const struct cp_mapping *all = g->b.profile->mappings;
    struct cp_mapping m = { .file = cp_gather_str(g, file, err),
                            .build_id = cp_gather_str(g, build_id, err) };
    uint64_t hash = cp_hash_mix(m.file, m.build_id);
    size_t probe = 0;
    uint32_t i;

    if (m.file == CP_NO_STR || m.build_id == CP_NO_STR)
        return CP_NONE;
    while ((i = cp_table_next(&g->mappings, hash, &probe)) != CP_NONE)
        if (all[i].file == m.file && all[i].build_id == m.build_id)
            return i;
    i = cp_builder_mapping(&g->b, m, err);
    if (i == CP_NONE || cp_table_add(&g->mappings, hash, i, err) != CP_OK)
        return CP_NONE;
    return i;
}

uint32_t cp_gather_function(struct cp_gather *g, struct cp_text name,
                            struct cp_text file, int64_t start_line,
                            struct cp_error *err)
{
    const struct cp_function *all = g->b.profile->functions;
    struct cp_function f = { .name = cp_gather_str(g, name, err),
                             .filename = cp_gather_str(g, file, err),
                             .start_line = start_line };
    uint64_t hash =
        cp_hash_mix((uint64_t)f.name << 32 | f.filename, (uint64_t)start_line);
    size_t probe = 0;
    uint32_t i;

    if (f.name == CP_NO_STR || f.filename == CP_NO_STR)
        return CP_NONE;
    while ((i = cp_table_next(&g->functions, hash, &probe)) != CP_NONE)
        if (all[i].name == f.name && all[i].filename == f.filename &&
            all[i].start_line == f.start_line)
            return i;
    f.system_name = f.name;
    i = cp_builder_function(&g->b, f, err);
    if (i == CP_NONE || cp_table_add(&g->functions, hash, i, err) != CP_OK)
        return CP_NONE;
    return i;
}

static uint64_t hash_frame(const struct cp_gather_frame *f)
{
    uint64_t hash =
        cp_hash_mix((uint64_t)f->function << 32 | f->mapping, f->address);

    return cp_hash_mix(hash ^ (uint64_t)f->line, (uint64_t)f->column);
}

static bool is_frame(const struct cp_profile *p, uint32_t i,
                     const struct cp_gather_frame *f)
{
    const struct cp_location *l = &p->locations[i];
    const struct cp_line *line = p->lines + l->lines;

    if (l->address != f->address || l->mapping != f->mapping)
        return false;
    if (f->function == CP_NONE || l->n_lines == 0)
        return f->function == CP_NONE && l->n_lines == 0;
    return l->n_lines == 1 && line->function == f->function &&
           line->line == f->line && line->column == f->column;
}

uint32_t cp_gather_frame(struct cp_gather *g, const struct cp_gather_frame *f,
                         struct cp_error *err)
{
    struct cp_line line = { f->function, f->line, f->column };
    uint64_t hash = hash_frame(f);
    size_t probe = 0;
    uint32_t i;

    while ((i = cp_table_next(&g->locations, hash, &probe)) != CP_NONE)
        if (is_frame(g->b.profile, i, f))
            return i;
    i = cp_builder_new_location(
        &g->b,
        (struct cp_location){ .address = f->address, .mapping = f->mapping },
        err);
    if (i == CP_NONE || cp_table_add(&g->locations, hash, i, err) != CP_OK)
        return CP_NONE;
    if (f->function != CP_NONE && cp_builder_line(&g->b, i, line, err) != CP_OK)
        return CP_NONE;
    return i;
}

uint32_t cp_gather_named(struct cp_gather *g, struct cp_text name,
                         struct cp_error *err)
{
    struct cp_gather_frame f = { .mapping = CP_NONE };

    f.function = cp_gather_function(g, name, (struct cp_text){ 0 }, 0, err);
    return f.function == CP_NONE ? CP_NONE : cp_gather_frame(g, &f, err);
}

uint32_t cp_gather_call(struct cp_gather *g, uint32_t parent, uint32_t location,
                        struct cp_error *err)
{
    uint64_t hash = cp_hash_unique((uint64_t)parent << 32 | location);
    size_t probe = 0;
    uint32_t i = cp_table_next(&g->nodes_by_key, hash, &probe);

    if (i != CP_NONE)
        return i;
    if (g->n_nodes >= CP_NONE - 1) {
        (void)cp_error_set(err, CP_EFORMAT, "too many stacks");
        return CP_NONE;
    }
    if (cp_reserve(&g->nodes, &g->cap_nodes, (size_t)g->n_nodes + 1,
                   sizeof(*g->nodes), err) != CP_OK ||
        cp_table_add(&g->nodes_by_key, hash, g->n_nodes, err) != CP_OK)
        return CP_NONE;
    g->nodes[g->n_nodes] =
        (struct cp_gather_node){ parent, location, g->nodes[parent].depth + 1 };
    return g->n_nodes++;
}

uint32_t cp_gather_row(struct cp_gather *g, uint32_t node, uint32_t label_set,
                       struct cp_error *err)
{
    uint64_t hash = cp_hash_unique((uint64_t)node << 32 | label_set);
    size_t probe = 0;
    uint32_t i = cp_table_next(&g->rows_by_key, hash, &probe);

    if (i != CP_NONE)
        return i;
    if (g->n_rows >= CP_NONE - 1) {
        (void)cp_error_set(err, CP_EFORMAT, "too many samples");
        return CP_NONE;
    }
    if (cp_reserve(&g->rows, &g->cap_rows, (size_t)g->n_rows + 1,
                   sizeof(*g->rows), err) != CP_OK ||
        cp_table_add(&g->rows_by_key, hash, g->n_rows, err) != CP_OK)
        return CP_NONE;
    g->rows[g->n_rows] = (struct cp_gather_row){ node, label_set, CP_NONE };
    return g->n_rows++;
}

/* Returns the value of a row in a column, 0 if new; NULL on failure. */
static struct cp_gather_cell *cell(struct cp_gather *g, uint32_t row,
                                   uint32_t column, struct cp_error *err)
{
    struct cp_gather_row *r = &g->rows[row];

    for (uint32_t i = r->cell; i != CP_NONE; i = g->cells[i].next)
        if (g->cells[i].column == column)
            return &g->cells[i];
    if (g->n_cells >= CP_NONE - 1) {
        (void)cp_error_set(err, CP_EFORMAT, "too many values");
        return NULL;
    }
    if (cp_reserve(&g->cells, &g->cap_cells, (size_t)g->n_cells + 1,
                   sizeof(*g->cells), err) != CP_OK)
        return NULL;
    g->cells[g->n_cells] =
        (struct cp_gather_cell){ .column = column, .next = r->cell };
    r->cell = g->n_cells;
    return &g->cells[g->n_cells++];
}

enum cp_status cp_gather_add(struct cp_gather *g, uint32_t row, uint32_t column,
                             int64_t value, struct cp_error *err)
{
    struct cp_gather_cell *c = cell(g, row, column, err);

    if (!c)
        return CP_ENOMEM;
    c->value = cp_add(c->value, value);
    return CP_OK;
}

enum cp_status cp_gather_add_real(struct cp_gather *g, uint32_t row,
                                  uint32_t column, double value,
                                  struct cp_error *err)
{
    struct cp_gather_cell *c = cell(g, row, column, err);
    double whole = trunc(value);

    if (!c)
        return CP_ENOMEM;
    if (!(fabs(value) < 0x1p63))
        return cp_error_set(err, CP_EFORMAT, "value %g is out of range", value);
    c->value = cp_add(c->value, (int64_t)whole);
    c->rest += value - whole;
    return CP_OK;
}

static enum cp_status add_types(struct cp_gather *g, struct cp_error *err)
{
    struct cp_profile *p = g->b.profile;

    for (uint32_t i = 0; i < g->n_columns; i++) {
        const char *type = cp_profile_cstr(p, g->columns[i].type);
        const char *unit = cp_profile_cstr(p, g->columns[i].unit);

        if (cp_builder_type(&g->b, type, unit, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

/* Adds a row to the profile; `stack` has space for its frames. */
static enum cp_status add_sample(struct cp_gather *g,
                                 const struct cp_gather_row *r, uint32_t *stack,
                                 struct cp_error *err)
{
    int64_t values[CP_GATHER_COLUMNS] = { 0 };
    uint32_t n = 0;

    for (uint32_t i = r->cell; i != CP_NONE; i = g->cells[i].next) {
        const struct cp_gather_cell *c = &g->cells[i];

        values[c->column] = cp_add(c->value, cp_round_int64(c->rest));
    }
    for (uint32_t i = r->node; i != CP_GATHER_ROOT; i = g->nodes[i].parent)
        stack[n++] = g->nodes[i].location;
    return cp_builder_sample(&g->b, stack, n, values, r->label_set, err);
}

/* Computes the maximum depth; fails if all stacks together are too large. */
static enum cp_status measure(const struct cp_gather *g, uint32_t *max_depth,
                              struct cp_error *err)
{
    uint64_t n_frames = 0;

    for (uint32_t i = 0; i < g->n_rows; i++) {
        uint32_t depth = g->nodes[g->rows[i].node].depth;

        *max_depth = depth > *max_depth ? depth : *max_depth;
        n_frames += depth;
    }
    if (n_frames < (uint64_t)g->n_rows * g->n_columns)
        n_frames = (uint64_t)g->n_rows * g->n_columns;
    if (n_frames <= g->max_frames)
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "the samples expand to %llu frames or values, too many "
                        "for a file of this size",
                        (unsigned long long)n_frames);
}

struct cp_profile *cp_gather_take(struct cp_gather *g, struct cp_error *err)
{
    struct cp_profile *p = NULL;
    uint32_t *stack = NULL, max_depth = 0;
    enum cp_status status = measure(g, &max_depth, err);

    release_tables(g);
    if (status == CP_OK)
        status = add_types(g, err);
    if (status == CP_OK) {
        stack = cp_alloc(max_depth, sizeof(*stack), err);
        status = stack ? CP_OK : CP_ENOMEM;
    }
    for (uint32_t i = 0; status == CP_OK && i < g->n_rows; i++)
        status = add_sample(g, &g->rows[i], stack, err);
    if (status == CP_OK)
        p = cp_builder_take(&g->b);
    cp_free(stack);
    cp_gather_release(g);
    return p;
}
