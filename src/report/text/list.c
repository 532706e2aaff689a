/*
 * list.c - the report "list": source lines with their costs.
 *
 * Functions are chosen by name and sorted by name, then by file. A function
 * whose name occurs in several files has a part for each. Each number chooses
 * its own unit, so the graph needs neither trimming nor sorting.
 */

#include "base/number.h"
#include "base/units.h"
#include "report/core/formats.h"
#include "report/source/source.h"
#include "report/source/source_lines.h"

struct lister {
    const struct cp_report *r;
    struct cp_source_lines lines;
    struct cp_source source;
    struct cp_out *out;
    struct cp_error *err;
};

static void write_text(const struct lister *l, const char *before,
                       struct cp_str text)
{
    cp_out_cstr(l->out, before);
    cp_out_str(l->out, text);
    cp_out_char(l->out, '\n');
}

static enum cp_status write_lines(struct lister *l,
                                  const struct cp_source_entry *e,
                                  const struct cp_source_entry *end)
{
    const struct cp_source_file *f;
    int64_t line, to;

    cp_source_lines_range(e, end, &line, &to);
    if (line > to && !cp_source_was_tried(&l->source, e->file))
        return CP_OK; /* nothing to show: a missing file does not matter */
    f = cp_source_open(&l->source, e->file, l->err);
    if (!f)
        return CP_ENOMEM;
    if (f->problem.len > 0)
        write_text(l, " Error: ", f->problem);
    for (; line <= to && line <= (int64_t)f->n_lines; line++) {
        int64_t flat = 0, cum = 0;

        for (; e < end && e->line <= line; e++) {
            flat = e->line == line ? cp_add(flat, e->flat) : 0;
            cum = e->line == line ? cp_add(cum, e->cum) : 0;
        }
        cp_report_column(l->r, flat, l->out);
        cp_out_char(l->out, ' ');
        cp_report_column(l->r, cum, l->out);
        cp_out_char(l->out, ' ');
        cp_out_i64_right(l->out, line, 6);
        write_text(l, ":", cp_source_line(f, (uint32_t)line));
    }
    return CP_OK;
}

/* Writes one function in one file: the entries from e to end. */
static enum cp_status write_routine(struct lister *l,
                                    const struct cp_source_entry *e,
                                    const struct cp_source_entry *end)
{
    char text[CP_LABEL_BYTES];
    int64_t flat = 0, cum = 0;

    for (const struct cp_source_entry *i = e; i < end; i++) {
        flat = cp_add(flat, i->flat);
        cum = cp_add(cum, i->cum);
    }
    cp_out_cstr(l->out, "ROUTINE ======================== ");
    cp_out_str(l->out, e->name);
    write_text(l, " in ", e->file);
    cp_report_value(l->r, flat, text);
    cp_out_right(l->out, text, 10);
    cp_out_char(l->out, ' ');
    cp_report_value(l->r, cum, text);
    cp_out_right(l->out, text, 10);
    cp_percentage(cum, l->r->total, text);
    cp_out_printf(l->out, " (flat, cum) %s of Total\n", text);
    return write_lines(l, e, end);
}

/* Writes all parts of a function, first the part without a file. */
static enum cp_status write_function(struct lister *l,
                                     const struct cp_source_entry *e,
                                     const struct cp_source_entry *end)
{
    const struct cp_source_entry *next;

    if (end[-1].file.len == 0) {
        write_text(l, "No source information for ", e->name);
        return CP_OK;
    }
    for (; e < end; e = next) {
        next = cp_source_lines_file(&l->lines, e);
        if (e->file.len > 0 && write_routine(l, e, next) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

static enum cp_status write_all(struct lister *l)
{
    const struct cp_source_entry *e = l->lines.entries, *next;
    const struct cp_source_entry *end = e + l->lines.n;
    char total[CP_LABEL_BYTES];

    cp_report_value(l->r, l->r->total, total);
    cp_out_printf(l->out, "Total: %s\n", total);
    for (; e < end; e = next) {
        next = cp_source_lines_function(&l->lines, e);
        if (write_function(l, e, next) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

enum cp_status cp_write_list(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err)
{
    struct lister l = { .r = r, .out = out, .err = err };
    enum cp_status status = cp_source_lines_init(&l.lines, r, false, err);

    if (status != CP_OK)
        return status;
    cp_source_init(&l.source, r->options.source_path, r->options.trim_path);
    status = write_all(&l);
    cp_source_release(&l.source);
    cp_source_lines_release(&l.lines);
    return status;
}
