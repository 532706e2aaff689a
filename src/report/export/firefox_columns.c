/* firefox_columns.c - writes stackTable, frameTable, funcTable and strings. */
#include "report/export/firefox_columns.h"

#include <string.h>

#include "base/index.h"
#include "base/out.h"
#include "profile/model/profile.h"
#include "report/core/escape.h"
#include "report/core/frames.h"
#include "report/export/firefox_libs.h"
#include "report/export/firefox_tables.h"

struct columns {
    const struct cp_firefox_tables *tables;
    const struct cp_firefox_libs *libs;
    struct cp_out *out;
    struct cp_error *err;
};

/* Content of a column. */
enum column {
    COL_TEXT, /* constant text */
    COL_STACK_FRAME,
    COL_STACK_PREFIX,
    COL_SELF, /* the row's number; names are the first strings */
    COL_FILE,
    COL_LINE,
    COL_COLUMN,
    COL_START_LINE,
    COL_LIB,
    COL_CATEGORY,
    COL_LIB_NAME,
};

struct table_column {
    const char *name;
    enum column what;
    const char *text; /* used by COL_TEXT */
};

static bool is_kernel(const struct columns *w, const struct cp_node_info *info)
{
    return strncmp(cp_profile_cstr(w->libs->profile, info->objfile), "[kernel",
                   7) == 0;
}

static void write_or(struct cp_out *out, int64_t value, bool is_there,
                     const char *otherwise)
{
    if (is_there)
        cp_out_i64(out, value);
    else
        cp_out_cstr(out, otherwise);
}

static void write_cell(const struct columns *w, const struct table_column *c,
                       uint32_t row)
{
    const struct cp_firefox_tables *t = w->tables;
    const struct cp_node_info *info =
        c->what >= COL_SELF && row < t->n_frames
            ? &w->tables->frames->infos[t->infos[row]]
            : NULL;
    struct cp_out *out = w->out;

    switch (c->what) {
    case COL_TEXT:
        cp_out_cstr(out, c->text);
        break;
    case COL_STACK_FRAME:
        cp_out_u64(out, t->stacks[row].frame);
        break;
    case COL_STACK_PREFIX:
        write_or(out, t->stacks[row].prefix, t->stacks[row].prefix != CP_NONE,
                 "null");
        break;
    case COL_SELF:
        cp_out_u64(out, row);
        break;
    case COL_FILE:
        write_or(out, (int64_t)t->n_frames + row,
                 info && info->name && info->file, "null");
        break;
    case COL_LINE:
        write_or(out, info ? info->line : 0,
                 info && info->name && info->line > 0, "null");
        break;
    case COL_COLUMN:
        write_or(out, info ? info->column : 0,
                 info && info->name && info->column > 0, "null");
        break;
    case COL_START_LINE:
        write_or(out, info ? info->start_line : 0, info && info->start_line > 0,
                 "null");
        break;
    case COL_LIB: {
        uint32_t lib = info ? w->libs->of_file[info->objfile] : CP_NONE;

        write_or(out, lib, lib != CP_NONE, "-1");
        break;
    }
    case COL_CATEGORY:
        cp_out_char(out, info && is_kernel(w, info) ? '2' : '1');
        break;
    case COL_LIB_NAME:
        cp_out_u64(out, t->n_frames * 2 + row);
        break;
    }
}

static void write_table(const struct columns *w, const char *name,
                        const struct table_column *columns, size_t n_columns,
                        uint32_t n_rows)
{
    cp_out_printf(w->out, ",\n\"%s\":{\"length\":%u", name, n_rows);
    for (size_t c = 0; c < n_columns; c++) {
        cp_out_printf(w->out, ",\"%s\":[", columns[c].name);
        for (uint32_t i = 0; i < n_rows; i++) {
            if (i)
                cp_out_char(w->out, ',');
            write_cell(w, &columns[c], i);
        }
        cp_out_char(w->out, ']');
    }
    cp_out_char(w->out, '}');
}

#define WRITE_TABLE(w, name, columns, n_rows)                                  \
    write_table(w, name, columns, sizeof(columns) / sizeof(columns[0]), n_rows)

static void write_tables(const struct columns *w)
{
    static const struct table_column stacks[] = {
        { "frame", COL_STACK_FRAME, NULL }, { "prefix", COL_STACK_PREFIX, NULL }
    };
    static const struct table_column frames[] = {
        { "address", COL_TEXT, "-1" },
        { "inlineDepth", COL_TEXT, "0" },
        { "category", COL_CATEGORY, NULL },
        { "subcategory", COL_TEXT, "0" },
        { "func", COL_SELF, NULL },
        { "nativeSymbol", COL_TEXT, "null" },
        { "innerWindowID", COL_TEXT, "null" },
        { "line", COL_LINE, NULL },
        { "column", COL_COLUMN, NULL },
    };
    static const struct table_column funcs[] = {
        { "name", COL_SELF, NULL },
        { "isJS", COL_TEXT, "false" },
        { "relevantForJS", COL_TEXT, "false" },
        { "resource", COL_LIB, NULL },
        { "fileName", COL_FILE, NULL },
        { "lineNumber", COL_START_LINE, NULL },
        { "columnNumber", COL_TEXT, "null" },
    };
    static const struct table_column resources[] = {
        { "lib", COL_SELF, NULL },
        { "name", COL_LIB_NAME, NULL },
        { "host", COL_TEXT, "null" },
        { "type", COL_TEXT, "1" },
    };

    WRITE_TABLE(w, "stackTable", stacks, w->tables->n_stacks);
    WRITE_TABLE(w, "frameTable", frames, w->tables->n_frames);
    WRITE_TABLE(w, "funcTable", funcs, w->tables->n_frames);
    cp_out_cstr(
        w->out,
        ",\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],"
        "\"address\":[],\"name\":[],\"functionSize\":[]},\n"
        "\"markers\":{\"length\":0,\"data\":[],\"name\":[],"
        "\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]}");
    WRITE_TABLE(w, "resourceTable", resources, w->libs->n);
}

/* Writes the names of the frames. */
static enum cp_status write_names(const struct columns *w)
{
    const struct cp_firefox_tables *t = w->tables;
    const struct cp_profile *p = w->libs->profile;
    struct cp_arena scratch = { 0 };
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; status == CP_OK && i < t->n_frames; i++) {
        const struct cp_node_info *info = &t->frames->infos[t->infos[i]];
        struct cp_str name = info->name
                                 ? cp_profile_str(p, info->name)
                                 : cp_frames_name(p, info, &scratch, w->err);

        status = name.ptr ? CP_OK : CP_ENOMEM;
        cp_out_cstr(w->out, i ? ",\n" : "");
        cp_escape_json(w->out, name);
    }
    cp_arena_release(&scratch);
    return status;
}

static enum cp_status write_strings(const struct columns *w)
{
    const struct cp_firefox_tables *t = w->tables;
    enum cp_status status;

    cp_out_cstr(w->out, ",\n\"stringArray\":[");
    status = write_names(w);
    for (uint32_t i = 0; i < t->n_frames; i++) {
        uint32_t file = t->frames->infos[t->infos[i]].file;

        cp_out_cstr(w->out, ",\n");
        cp_escape_json(w->out, cp_profile_str(w->libs->profile, file));
    }
    for (uint32_t i = 0; i < w->libs->n; i++) {
        cp_out_cstr(w->out, t->n_frames || i ? ",\n" : "");
        cp_escape_json(w->out, cp_firefox_libs_name(w->libs, i));
    }
    cp_out_char(w->out, ']');
    return status;
}

enum cp_status cp_firefox_columns_write(const struct cp_firefox_tables *tables,
                                        const struct cp_firefox_libs *libs,
                                        struct cp_out *out,
                                        struct cp_error *err)
{
    struct columns w = { tables, libs, out, err };

    write_tables(&w);
    return write_strings(&w);
}
