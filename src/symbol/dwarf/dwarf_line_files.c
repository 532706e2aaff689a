/*
 * dwarf_line_files.c - directories and files of a line table.
 *
 * Before version 5: two lists of strings, directories and files, both numbered
 * from 1; each file has three numbers. Version 5: two tables that describe
 * their columns, numbered from 0; directory 0 is the compilation directory.
 */

#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "symbol/dwarf/dwarf_form.h"
#include "symbol/dwarf/dwarf_line.h"
#include "symbol/dwarf/dwarf_names.h"

#define MAX_COLUMNS 16

static bool add_dir(struct cp_line *l, const char *name)
{
    if (cp_reserve(&l->dirs, &l->dirs_cap, l->n_dirs + 1, sizeof(*l->dirs),
                   NULL) != CP_OK)
        return false;
    l->dirs[l->n_dirs++] = name;
    return true;
}

static bool add_file(struct cp_line *l, const char *name, uint64_t dir)
{
    if (cp_reserve(&l->files, &l->files_cap, l->n_files + 1, sizeof(*l->files),
                   NULL) != CP_OK)
        return false;
    l->files[l->n_files++] = (struct cp_line_file){ name, dir, NULL };
    return true;
}

static void read_lists(struct cp_line *l, struct cp_cursor *c)
{
    const char *name;

    (void)add_dir(l, l->unit.comp_dir);
    (void)add_file(l, l->unit.name, 0);
    while ((name = cp_cursor_str(c)) && *name)
        if (!add_dir(l, name))
            return;
    while ((name = cp_cursor_str(c)) && *name) {
        uint64_t dir = cp_cursor_uleb(c);

        (void)cp_cursor_uleb(c);
        (void)cp_cursor_uleb(c);
        if (!add_file(l, name, dir))
            return;
    }
}

/* Reads one row of a table: its path, and its directory if it has one. */
static bool read_row(struct cp_line *l, struct cp_cursor *c,
                     const struct cp_attr *columns, unsigned n_columns,
                     struct cp_line_file *out)
{
    const uint8_t *start = c->pos;

    *out = (struct cp_line_file){ 0 };
    for (unsigned i = 0; i < n_columns; i++) {
        struct cp_value v = { 0 };

        cp_form_read(&l->unit, &columns[i], c, &v);
        if (columns[i].name == DW_LNCT_path)
            out->name = cp_form_text(&l->unit, &v);
        else if (columns[i].name == DW_LNCT_directory_index)
            out->dir = v.number;
    }
    return !c->failed && c->pos > start;
}

static bool read_table(struct cp_line *l, struct cp_cursor *c, bool is_files)
{
    struct cp_attr columns[MAX_COLUMNS] = { 0 };
    unsigned n_columns = cp_cursor_u8(c);
    uint64_t n_rows;
    struct cp_line_file row;

    if (n_columns > MAX_COLUMNS)
        return false;
    for (unsigned i = 0; i < n_columns; i++) {
        uint64_t name = cp_cursor_uleb(c);

        columns[i].name = name > UINT16_MAX ? 0 : (uint16_t)name;
        columns[i].form = (uint16_t)cp_cursor_uleb(c);
        columns[i].size = cp_abbrev_form_size(&l->unit, columns[i].form);
    }
    n_rows = cp_cursor_uleb(c);
    for (uint64_t i = 0; i < n_rows; i++)
        if (!read_row(l, c, columns, n_columns, &row) ||
            !(is_files ? add_file(l, row.name, row.dir) : add_dir(l, row.name)))
            return false;
    return true;
}

static void read_files(struct cp_line *l)
{
    struct cp_cursor c = l->tables;

    l->has_files = true;
    l->fuel -= (int64_t)cp_cursor_left(&c);
    if (l->fuel < 0)
        return;
    if (l->version < 5)
        read_lists(l, &c);
    else if (read_table(l, &c, false))
        (void)read_table(l, &c, true);
}

/*
 * Finds the directories to prepend to a file name: of the table and of the
 * unit.
 */
static void find_dirs(const struct cp_line *l, const struct cp_line_file *f,
                      const char **out_outer, const char **out_inner)
{
    const char *comp_dir = l->unit.comp_dir;
    const char *dir = f->dir < l->n_dirs ? l->dirs[f->dir] : NULL;

    *out_outer = *out_inner = NULL;
    if (f->name[0] == '/')
        return;
    if (f->dir == 0 && comp_dir)
        dir = comp_dir;
    else if (!dir || dir[0] != '/')
        *out_outer = comp_dir;
    *out_inner = dir && *dir ? dir : NULL;
    if (*out_outer && !**out_outer)
        *out_outer = NULL;
}

const char *cp_line_path(struct cp_line *l, uint64_t file,
                         struct cp_arena *arena)
{
    const char *outer, *inner;
    struct cp_line_file *f;

    if (!l->has_files)
        read_files(l);
    if (file >= l->n_files || !l->files[file].name)
        return NULL;
    f = &l->files[file];
    if (f->path)
        return f->path;
    find_dirs(l, f, &outer, &inner);
    l->fuel -= (int64_t)(strlen(f->name) + (outer ? strlen(outer) : 0) +
                         (inner ? strlen(inner) : 0));
    if (l->fuel < 0)
        return NULL;
    f->path = cp_arena_printf(arena, NULL, "%s%s%s%s%s", outer ? outer : "",
                              outer ? "/" : "", inner ? inner : "",
                              inner ? "/" : "", f->name);
    return f->path;
}
