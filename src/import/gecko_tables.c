/* gecko_tables.c - reads the tables of a Firefox profile. */
#include "import/gecko_tables.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/search.h"
#include "import/gather.h"

/* Each library gets its own range of 2^LIB_SHIFT addresses. */
#define LIB_SHIFT 40

/* A requested column, and its destination. */
struct column {
    const char *name;
    uint32_t **out;
};

#define MAX_COLUMNS 8

/*
 * Reads a table of the processed form: {"name":[...],...}. All columns must
 * have the same length.
 */
static uint32_t read_columns(struct cp_json j, const struct column *columns,
                             size_t n, struct cp_arena *arena)
{
    const char *names[MAX_COLUMNS];
    struct cp_json at[MAX_COLUMNS];
    uint32_t length = CP_NONE, this_one;

    for (size_t i = 0; i < n; i++) {
        names[i] = columns[i].name;
        *columns[i].out = NULL;
    }
    cp_json_pick(&j, names, n, at);
    for (size_t i = 0; i < n; i++) {
        if (!cp_json_is(&at[i], CP_JSON_ARRAY))
            continue;
        *columns[i].out = cp_json_indexes(&at[i], arena, &this_one);
        if (length == CP_NONE)
            length = this_one;
        else if (length != this_one)
            cp_json_fail(&at[i],
                         "columns have different lengths; the table ends");
    }
    return length == CP_NONE ? 0 : length;
}

/* Finds the positions of the requested columns in a schema (recorded form). */
static void read_schema(struct cp_json schema, const struct column *columns,
                        size_t n, uint32_t *positions)
{
    const char *names[MAX_COLUMNS];
    struct cp_json at[MAX_COLUMNS];

    for (size_t i = 0; i < n; i++)
        names[i] = columns[i].name;
    cp_json_pick(&schema, names, n, at);
    for (size_t i = 0; i < n; i++)
        positions[i] = at[i].doc ? cp_json_index(&at[i]) : CP_NONE;
}

/* Reads one row into the columns; missing values become CP_NONE. */
static void read_row(struct cp_json *j, const struct column *columns, size_t n,
                     const uint32_t *positions, uint32_t row)
{
    uint32_t place = 0;

    for (size_t i = 0; i < n; i++)
        (*columns[i].out)[row] = CP_NONE;
    if (!cp_json_enter(j, CP_JSON_ARRAY))
        return;
    for (; cp_json_item(j); place++) {
        struct cp_json value = *j;

        for (size_t i = 0; i < n; i++)
            if (positions[i] == place)
                (*columns[i].out)[row] = cp_json_index(&value);
        cp_json_skip(j);
    }
}

static uint32_t read_rows(struct cp_json schema, struct cp_json data,
                          const struct column *columns, size_t n,
                          struct cp_arena *arena)
{
    uint32_t positions[MAX_COLUMNS], n_rows = 0;
    size_t caps[MAX_COLUMNS] = { 0 };

    read_schema(schema, columns, n, positions);
    for (size_t i = 0; i < n; i++)
        *columns[i].out = NULL;
    if (!cp_json_enter(&data, CP_JSON_ARRAY))
        return 0;
    while (cp_json_item(&data)) {
        for (size_t i = 0; i < n; i++)
            if (cp_arena_reserve(arena, columns[i].out, n_rows, &caps[i],
                                 (size_t)n_rows + 1, sizeof(uint32_t),
                                 &data.doc->err) != CP_OK)
                return 0;
        read_row(&data, columns, n, positions, n_rows++);
    }
    return n_rows;
}

/* Reads a table in either form; returns its number of rows. */
static uint32_t read_table(struct cp_json j, const struct column *columns,
                           size_t n, struct cp_arena *arena)
{
    static const char *const names[] = { "schema", "data" };
    struct cp_json at[2], copy = j;

    cp_json_pick(&copy, names, 2, at);
    if (cp_json_is(&at[0], CP_JSON_OBJECT) && cp_json_is(&at[1], CP_JSON_ARRAY))
        return read_rows(at[0], at[1], columns, n, arena);
    return read_columns(j, columns, n, arena);
}

static void read_stacks(struct cp_gecko_tables *t, struct cp_json j,
                        struct cp_arena *arena)
{
    uint32_t *offset = NULL;
    const struct column columns[] = { { "frame", &t->stack_frame },
                                      { "prefix", &t->prefix },
                                      { "prefixOffset", &offset } };

    t->n_stacks = read_table(j, columns, 3, arena);
    t->is_offset = !t->prefix && offset;
    if (t->is_offset)
        t->prefix = offset;
    if (t->n_stacks && (!t->prefix || !t->stack_frame))
        cp_json_fail(&j, "stackTable has no frame or prefix");
    t->stack_nodes = cp_arena_alloc(arena, t->n_stacks, sizeof(*t->stack_nodes),
                                    &j.doc->err);
    if (t->stack_nodes)
        memset(t->stack_nodes, 0xff, t->n_stacks * sizeof(*t->stack_nodes));
}

static void read_frames(struct cp_gecko_tables *t, struct cp_json j,
                        struct cp_arena *arena)
{
    const struct column columns[] = { { "func", &t->func },
                                      { "address", &t->address },
                                      { "line", &t->frame_line },
                                      { "column", &t->frame_column },
                                      { "location", &t->text } };

    t->n_frames = read_table(j, columns, 5, arena);
    if (t->n_frames && !t->func && !t->text)
        cp_json_fail(&j, "frameTable has no func");
    t->frame_locations = cp_arena_alloc(
        arena, t->n_frames, sizeof(*t->frame_locations), &j.doc->err);
    if (t->frame_locations)
        memset(t->frame_locations, 0xff,
               t->n_frames * sizeof(*t->frame_locations));
}

static void read_funcs(struct cp_gecko_tables *t, struct cp_json j,
                       struct cp_arena *arena)
{
    const struct column columns[] = { { "name", &t->func_name },
                                      { "fileName", &t->func_file },
                                      { "source", &t->func_source },
                                      { "resource", &t->func_resource },
                                      { "lineNumber", &t->func_line } };

    t->n_funcs = read_table(j, columns, 5, arena);
}

void cp_gecko_tables_read(struct cp_gecko_tables *t, struct cp_json j,
                          struct cp_arena *arena)
{
    static const char *const names[] = { "stackTable",  "frameTable",
                                         "funcTable",   "stringArray",
                                         "stringTable", "resourceTable",
                                         "sources" };
    const struct column resources[] = { { "lib", &t->resource_lib } };
    const struct column sources[] = { { "filename", &t->source_file } };
    struct cp_json at[7];

    cp_json_pick(&j, names, 7, at);
    if (j.doc->err.status != CP_OK)
        return;
    for (int i = 3; i <= 4; i++)
        if (cp_json_is(&at[i], CP_JSON_ARRAY))
            t->strings = cp_json_strings(&at[i], arena, &t->n_strings);
    if (cp_json_is(&at[5], CP_JSON_OBJECT))
        t->n_resources = read_table(at[5], resources, 1, arena);
    if (cp_json_is(&at[6], CP_JSON_OBJECT))
        t->n_sources = read_table(at[6], sources, 1, arena);
    if (!cp_json_is(&at[0], CP_JSON_OBJECT))
        return;
    if (!cp_json_is(&at[1], CP_JSON_OBJECT)) {
        cp_json_fail(&at[0], "stackTable without frameTable");
        return;
    }
    /*
     * Stacks, frames and functions refer to each other, so all three are
     * replaced.
     */
    t->n_funcs = 0;
    if (cp_json_is(&at[2], CP_JSON_OBJECT))
        read_funcs(t, at[2], arena);
    read_frames(t, at[1], arena);
    read_stacks(t, at[0], arena);
}

static struct cp_gecko_lib read_lib(struct cp_json *j, struct cp_arena *arena)
{
    static const char *const names[] = { "path", "name", "codeId", "start",
                                         "end" };
    struct cp_gecko_lib lib = { 0 };
    struct cp_json at[5];

    cp_json_pick(j, names, 5, at);
    if (cp_json_is(&at[0], CP_JSON_STRING))
        lib.path = cp_json_text(&at[0], arena);
    if (lib.path.pos == lib.path.end && cp_json_is(&at[1], CP_JSON_STRING))
        lib.path = cp_json_text(&at[1], arena);
    if (cp_json_is(&at[2], CP_JSON_STRING))
        lib.build_id = cp_json_text(&at[2], arena);
    if (cp_json_is(&at[3], CP_JSON_NUMBER))
        lib.start = (uint64_t)cp_json_int(&at[3]);
    if (cp_json_is(&at[4], CP_JSON_NUMBER))
        lib.end = (uint64_t)cp_json_int(&at[4]);
    return lib;
}

static int by_start(const void *x, const void *y)
{
    const struct cp_gecko_lib *a = x, *b = y;

    return (a->start > b->start) - (a->start < b->start);
}

void cp_gecko_libs_read(struct cp_gecko_libs *libs, struct cp_json j,
                        struct cp_arena *arena)
{
    size_t cap = 0;

    *libs = (struct cp_gecko_libs){ 0 };
    if (!cp_json_enter(&j, CP_JSON_ARRAY))
        return;
    while (cp_json_item(&j)) {
        if (cp_arena_reserve(arena, &libs->items, libs->n, &cap,
                             (size_t)libs->n + 1, sizeof(*libs->items),
                             &j.doc->err) != CP_OK)
            return;
        libs->items[libs->n++] = read_lib(&j, arena);
    }
    libs->sorted =
        cp_arena_alloc(arena, libs->n, sizeof(*libs->sorted), &j.doc->err);
    if (!libs->sorted || libs->n == 0)
        return;
    memcpy(libs->sorted, libs->items, libs->n * sizeof(*libs->sorted));
    qsort(libs->sorted, libs->n, sizeof(*libs->sorted), by_start);
}

/* Returns the library that contains a memory address, or NULL. */
static const struct cp_gecko_lib *lib_at(const struct cp_gecko_libs *libs,
                                         uint64_t address)
{
    const struct cp_gecko_lib *sorted = libs->sorted;
    size_t n = 0;

    if (libs->n > 0)
        n = cp_search_above(&sorted->start, sizeof(*sorted), libs->n, address);
    return n > 0 && address < sorted[n - 1].end ? &sorted[n - 1] : NULL;
}

static uint32_t index_at(const uint32_t *list, uint32_t n, uint32_t i)
{
    return list && i < n ? list[i] : CP_NONE;
}

static struct cp_text string_at(const struct cp_gecko_tables *t, uint32_t i)
{
    return i < t->n_strings ? t->strings[i] : (struct cp_text){ 0 };
}

/* Returns a line or column number; 0 if unknown. */
static int64_t number_at(const uint32_t *list, uint32_t n, uint32_t i)
{
    uint32_t value = index_at(list, n, i);

    return value < CP_NONE - 1 ? value : 0;
}

/* Sets the address and mapping of a frame from a library and an offset. */
static enum cp_status set_address(struct cp_gather *g,
                                  const struct cp_gecko_lib *lib,
                                  uint64_t offset, struct cp_gather_frame *f,
                                  struct cp_error *err)
{
    struct cp_mapping *m;

    f->mapping = cp_gather_mapping(g, lib->path, lib->build_id, err);
    if (f->mapping == CP_NONE)
        return CP_ENOMEM;
    m = &g->b.profile->mappings[f->mapping];
    if (m->limit == 0) {
        m->start = ((uint64_t)(f->mapping & 0xffff) + 1) << LIB_SHIFT;
        m->limit = m->start + ((uint64_t)1 << LIB_SHIFT);
    }
    if (offset >> LIB_SHIFT == 0)
        f->address = m->start + offset;
    return CP_OK;
}

/* Returns the location of a frame in the processed form. */
static uint32_t processed_frame(struct cp_gecko_tables *t,
                                const struct cp_gecko_libs *libs,
                                struct cp_gather *g, uint32_t i,
                                struct cp_error *err)
{
    struct cp_gather_frame f = { .function = CP_NONE, .mapping = CP_NONE };
    uint32_t func = index_at(t->func, t->n_frames, i);
    uint32_t source = index_at(t->func_source, t->n_funcs, func);
    uint32_t file = index_at(t->func_file, t->n_funcs, func);
    uint32_t resource = index_at(t->func_resource, t->n_funcs, func);
    uint32_t lib = index_at(t->resource_lib, t->n_resources, resource);
    uint32_t address = index_at(t->address, t->n_frames, i);
    struct cp_text name =
        string_at(t, index_at(t->func_name, t->n_funcs, func));

    if (file == CP_NONE)
        file = index_at(t->source_file, t->n_sources, source);
    if (lib < libs->n &&
        set_address(g, &libs->items[lib],
                    address < CP_NONE - 1 ? address : UINT64_MAX, &f,
                    err) != CP_OK)
        return CP_NONE;
    f.line = number_at(t->frame_line, t->n_frames, i);
    f.column = number_at(t->frame_column, t->n_frames, i);
    if (f.address && cp_text_starts(name, "0x"))
        return cp_gather_frame(g, &f, err); /* not symbolized */
    f.function =
        cp_gather_function(g, name, string_at(t, file),
                           number_at(t->func_line, t->n_funcs, func), err);
    if (f.function == CP_NONE)
        return CP_NONE;
    if (f.mapping != CP_NONE)
        g->b.profile->mappings[f.mapping].has_functions = true;
    return cp_gather_frame(g, &f, err);
}

/* Removes a trailing ":12" and returns the number; -1 if there is none. */
static int64_t cut_number(struct cp_text *text)
{
    struct cp_text digits = { text->end, text->end };
    int64_t value;

    while (digits.pos > text->pos && cp_text_is_digit(digits.pos[-1]))
        digits.pos--;
    if (digits.pos == text->pos || digits.pos[-1] != ':' ||
        !cp_text_to_int(digits, &value))
        return -1;
    text->end = digits.pos - 1;
    return value;
}

/* Splits "file:line:column" or "file:line". */
static void read_place(struct cp_text *file, struct cp_gather_frame *f)
{
    int64_t last = cut_number(file), before = last < 0 ? -1 : cut_number(file);

    f->line = before >= 0 ? before : last >= 0 ? last : 0;
    f->column = before >= 0 ? last : 0;
}

/* Returns the location of a frame in the recorded form, which is one string. */
static uint32_t recorded_frame(struct cp_gecko_tables *t,
                               const struct cp_gecko_libs *libs,
                               struct cp_gather *g, uint32_t i,
                               struct cp_error *err)
{
    struct cp_gather_frame f = { .function = CP_NONE, .mapping = CP_NONE };
    struct cp_text name = string_at(t, t->text[i]), file = { 0 }, digits = name;
    const struct cp_gecko_lib *lib;
    const char *open;
    uint64_t address;

    if (cp_text_consume(&digits, "0x") && cp_text_to_hex(digits, &address)) {
        lib = lib_at(libs, address);
        if (lib && set_address(g, lib, address - lib->start, &f, err) != CP_OK)
            return CP_NONE;
        if (!f.address)
            f.address = address;
        return cp_gather_frame(g, &f, err);
    }
    open = cp_text_find(name, " (");
    if (open && name.end[-1] == ')') {
        file = (struct cp_text){ open + 2, name.end - 1 };
        name.end = open;
        read_place(&file, &f);
        if (cp_text_starts(file, "in "))
            file.end = file.pos; /* the name of a library, not of a file */
    } else {
        f.line = number_at(t->frame_line, t->n_frames, i);
        f.column = number_at(t->frame_column, t->n_frames, i);
    }
    f.function = cp_gather_function(g, name, file, 0, err);
    return f.function == CP_NONE ? CP_NONE : cp_gather_frame(g, &f, err);
}

static uint32_t frame_location(struct cp_gecko_tables *t,
                               const struct cp_gecko_libs *libs,
                               struct cp_gather *g, uint32_t i,
                               struct cp_error *err)
{
    if (i >= t->n_frames) {
        (void)cp_error_set(err, CP_EFORMAT, "frame %u does not exist", i);
        return CP_NONE;
    }
    if (t->frame_locations[i] == CP_NONE)
        t->frame_locations[i] = t->text ? recorded_frame(t, libs, g, i, err)
                                        : processed_frame(t, libs, g, i, err);
    return t->frame_locations[i];
}

/* Returns the parent of stack i, which must have a lower index; or CP_NONE. */
static uint32_t caller(const struct cp_gecko_tables *t, uint32_t i)
{
    if (!t->is_offset)
        return t->prefix[i];
    return t->prefix[i] == 0 ? CP_NONE : i - t->prefix[i];
}

uint32_t cp_gecko_stack(struct cp_gecko_tables *t,
                        const struct cp_gecko_libs *libs, struct cp_gather *g,
                        uint32_t stack, struct cp_error *err)
{
    uint32_t below = CP_NONE, at = stack, node, next;

    /*
     * Walks up to the first known ancestor; stack_nodes temporarily holds the
     * way back.
     */
    while (at != CP_NONE && t->stack_nodes[at] == CP_NONE) {
        next = caller(t, at);
        if (next != CP_NONE && next >= at) {
            (void)cp_error_set(err, CP_EFORMAT,
                               "the prefix of stack %u does not precede it",
                               at);
            return CP_NONE;
        }
        t->stack_nodes[at] = below;
        below = at;
        at = next;
    }
    node = at == CP_NONE ? CP_GATHER_ROOT : t->stack_nodes[at];
    /* Walks down again and creates the nodes. */
    for (; below != CP_NONE; below = next) {
        uint32_t location =
            frame_location(t, libs, g, t->stack_frame[below], err);

        next = t->stack_nodes[below];
        node = location == CP_NONE ? CP_NONE
                                   : cp_gather_call(g, node, location, err);
        if (node == CP_NONE)
            return CP_NONE;
        t->stack_nodes[below] = node;
    }
    return node;
}
