/*
 * weblist.c - the report "weblist": a page of source lines, which a click
 * expands to their machine code.
 *
 * The costs of lines are those of the report list. Instructions come from every
 * function that the line was compiled into. Inlined calls are shown with their
 * source, indented for each level.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/path.h"
#include "base/units.h"
#include "report/core/escape.h"
#include "report/core/formats.h"
#include "report/graph/legend.h"
#include "report/picture/weblist_code.h"
#include "report/source/source.h"
#include "report/source/source_lines.h"
#include "symbol/object.h"
#include "symbol/table/frame.h"

#define INDENT 4
#define CODE_COLUMN 43 /* column where instructions start */
#define CODE_COLUMNS 72

/* assets/weblist.css and .js, embedded by scripts/embed. */
extern const char cp_asset_weblist_css[];
extern const char cp_asset_weblist_js[];

struct page {
    const struct cp_report *r;
    struct cp_source_lines lines;
    struct cp_weblist_code code;
    struct cp_source source;
    struct cp_out *out;
    struct cp_error *err;
};

static void write_text(const struct page *p, const char *text)
{
    cp_escape_xml(p->out, (struct cp_str){ text, (uint32_t)strlen(text) });
}

static void write_head(struct page *p)
{
    struct cp_out legend = { .fd = -1 };
    char total[CP_LABEL_BYTES];

    cp_out_cstr(p->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                        "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                        "content=\"width=device-width\">\n<title>");
    write_text(p, p->r->options.argument);
    cp_out_cstr(p->out, " - ");
    write_text(p, p->r->sample_type);
    cp_out_printf(p->out, "</title>\n<style>\n%s</style>\n</head>\n",
                  cp_asset_weblist_css);
    cp_out_cstr(p->out, "<body>\n<div class=\"legend\">");
    cp_legend_profile(p->r, &legend);
    for (size_t from = 0, to; from < legend.len; from = to + 1) {
        for (to = from; to < legend.len && legend.buf[to] != '\n'; to++)
            continue;
        cp_escape_xml(p->out, (struct cp_str){ legend.buf + from,
                                               (uint32_t)(to - from) });
        cp_out_cstr(p->out, "<br>\n");
    }
    cp_out_release(&legend);
    cp_report_value(p->r, p->r->total, total);
    cp_out_printf(p->out, "Total: %s", total);
    if (p->code.code.problem.status != CP_OK) {
        cp_out_cstr(p->out, "<br>\nNo machine code: ");
        write_text(p, p->code.code.problem.msg);
    }
    cp_out_cstr(p->out, "</div>\n");
}

/*
 * Finds the text of a source line. Returns false if the file is not available.
 */
static bool source_text(struct page *p, const char *file, int64_t line,
                        struct cp_str *out)
{
    struct cp_str name = { file, (uint32_t)strlen(file) };
    const struct cp_source_file *f;

    name =
        cp_path_trim(name, p->r->options.trim_path, p->r->options.source_path);
    f = cp_source_open(&p->source, name, p->err);
    if (!f || line < 1 || line > (int64_t)f->n_lines)
        return false;
    *out = cp_source_line(f, (uint32_t)line);
    return true;
}

static void write_place(struct page *p, const struct cp_symbol_frame *f)
{
    struct cp_str file = { f->file, (uint32_t)strlen(f->file) };

    cp_out_cstr(p->out, " <span class=unimportant>");
    cp_escape_xml(p->out, cp_path_base(file));
    cp_out_printf(p->out, ":%" PRIu32 "</span>\n", f->line);
}

/* Writes the source of an inlined call, without its indentation. */
static void write_inlined(struct page *p, const struct cp_symbol_frame *f,
                          size_t depth)
{
    struct cp_str text = { "???", 3 };
    size_t width;

    if (!f->file)
        return;
    (void)source_text(p, f->file, f->line, &text);
    while (text.len > 0 && (*text.ptr == ' ' || *text.ptr == '\t')) {
        text.ptr++;
        text.len--;
    }
    width = cp_out_width(text.ptr, text.len) + depth * INDENT;
    cp_out_fill(p->out, ' ', CODE_COLUMN + depth * INDENT);
    cp_out_cstr(p->out, "<span class=inlinesrc>");
    cp_escape_xml(p->out, text);
    cp_out_cstr(p->out, "</span>");
    if (width < CODE_COLUMNS)
        cp_out_fill(p->out, ' ', CODE_COLUMNS - width);
    write_place(p, f);
}

static bool same_place(const struct cp_symbol_frame *a,
                       const struct cp_symbol_frame *b)
{
    return a->line == b->line && a->file && b->file &&
           strcmp(a->file, b->file) == 0;
}

/*
 * Writes the source of inlined calls that the previous instruction was not in.
 */
static void write_calls(struct page *p, const struct cp_weblist_insn *i,
                        const struct cp_weblist_insn *last)
{
    bool is_same = last != NULL;

    for (size_t depth = 1; depth <= i->frame; depth++) {
        const struct cp_symbol_frame *f = &i->insn->frames[i->frame - depth];

        is_same = is_same && depth <= last->frame &&
                  same_place(f, &last->insn->frames[last->frame - depth]);
        if (!is_same)
            write_inlined(p, f, depth);
    }
}

static void write_insn(struct page *p, const struct cp_weblist_insn *i)
{
    const struct cp_symbol_frame *f = &i->insn->frames[0];
    size_t width = strlen(i->insn->text) + i->frame * INDENT;

    cp_out_cstr(p->out, "        ");
    cp_out_char(p->out, ' ');
    cp_report_column(p->r, i->flat, p->out);
    cp_out_char(p->out, ' ');
    cp_report_column(p->r, i->cum, p->out);
    cp_out_printf(p->out, " %10" PRIx64 ": ", i->insn->address);
    cp_out_fill(p->out, ' ', i->frame * INDENT);
    write_text(p, i->insn->text);
    if (width < CODE_COLUMNS)
        cp_out_fill(p->out, ' ', CODE_COLUMNS - width);
    if (f->file)
        write_place(p, f);
    else
        cp_out_char(p->out, '\n');
}

/* Writes the instructions of one line, from i to end. */
static void write_code(struct page *p, const struct cp_weblist_insn *i,
                       const struct cp_weblist_insn *end)
{
    const struct cp_weblist_insn *last = NULL;

    cp_out_cstr(p->out, "<span class=asm>");
    for (; i < end; i++) {
        if (last &&
            last->insn->address + last->insn->size != i->insn->address) {
            cp_out_fill(p->out, ' ', 37);
            cp_out_cstr(p->out, "⋮\n");
        }
        write_calls(p, i, last);
        write_insn(p, i);
        last = i;
    }
    cp_out_cstr(p->out, "</span>");
}

/* Writes one source line: its cost, its text, its code. */
static void write_line(struct page *p, int64_t line, int64_t flat, int64_t cum,
                       struct cp_str text, bool has_code)
{
    const char *class = has_code ? "livesrc" : "nop";
    bool is_hot = flat != 0 || cum != 0;

    if (!has_code && is_hot)
        class = "deadsrc";
    cp_out_printf(p->out, "<span class=line>%7" PRId64 "</span> ", line);
    cp_out_printf(
        p->out, "<span class=\"%s%s\"%s>", class, is_hot ? " hot" : "",
        has_code ? " tabindex=0 role=button aria-expanded=false" : "");
    cp_out_char(p->out, ' ');
    cp_report_column(p->r, flat, p->out);
    cp_out_char(p->out, ' ');
    cp_report_column(p->r, cum, p->out);
    cp_out_cstr(p->out, "  ");
    cp_escape_xml(p->out, text);
    cp_out_cstr(p->out, " </span>\n");
}

static enum cp_status write_lines(struct page *p,
                                  const struct cp_weblist_section *s)
{
    const struct cp_source_entry *e = s->from;
    const struct cp_weblist_insn *i = s->insns, *end = i + s->n, *next;
    int64_t line, to;

    cp_source_lines_range(s->from, s->to, &line, &to);
    for (; line <= to; line++) {
        const struct cp_source_file *f =
            cp_source_open(&p->source, s->from->file, p->err);
        struct cp_str text = { "???", 3 };
        int64_t flat = 0, cum = 0;

        if (!f)
            return CP_ENOMEM;
        if (f->n_lines > 0 && line > (int64_t)f->n_lines)
            break;
        if (f->n_lines > 0)
            text = cp_source_line(f, (uint32_t)line);
        for (; e < s->to && e->line <= line; e++) {
            flat = e->line == line ? cp_add(flat, e->flat) : 0;
            cum = e->line == line ? cp_add(cum, e->cum) : 0;
        }
        while (i < end && i->line < line)
            i++;
        for (next = i; next < end && next->line == line; next++)
            continue;
        if (f->n_lines == 0 && flat == 0 && cum == 0 && next == i)
            continue; /* no information about it */
        write_line(p, line, flat, cum, text, next > i);
        if (next > i)
            write_code(p, i, next);
    }
    return CP_OK;
}

static enum cp_status write_section(struct page *p,
                                    const struct cp_weblist_section *s)
{
    const struct cp_source_file *f;
    int64_t flat = 0, cum = 0;
    char text[CP_LABEL_BYTES];
    enum cp_status status;

    for (const struct cp_source_entry *e = s->from; e < s->to; e++) {
        flat = cp_add(flat, e->flat);
        cum = cp_add(cum, e->cum);
    }
    cp_out_cstr(p->out, "<h2>");
    cp_escape_xml(p->out, s->from->name);
    cp_out_cstr(p->out, "</h2>\n<p class=\"filename\">");
    cp_escape_xml(p->out, s->from->file);
    f = cp_source_open(&p->source, s->from->file, p->err);
    if (f && f->problem.len > 0) {
        cp_out_cstr(p->out, "<br>");
        cp_escape_xml(p->out, f->problem);
    }
    cp_percentage(cum, p->r->total, text);
    cp_out_cstr(p->out, "</p>\n<pre>\n  Total:");
    cp_out_char(p->out, ' ');
    cp_report_column(p->r, flat, p->out);
    cp_out_char(p->out, ' ');
    cp_report_column(p->r, cum, p->out);
    cp_out_printf(p->out, " (flat, cum) %s\n", text);
    status = write_lines(p, s);
    cp_out_cstr(p->out, "</pre>\n");
    return status;
}

static enum cp_status write_all(struct page *p)
{
    enum cp_status status = CP_OK;
    size_t n = 0;

    write_head(p);
    for (size_t i = 0; status == CP_OK && i < p->code.n_sections; i++) {
        if (p->code.sections[i].from->file.len == 0)
            continue;
        status = write_section(p, &p->code.sections[i]);
        n++;
    }
    if (status == CP_OK && n == 0)
        return cp_error_set(p->err, CP_EUSAGE, "no source information for %s",
                            p->r->options.argument);
    cp_out_printf(p->out, "<script>\n%s</script>\n</body>\n</html>\n",
                  cp_asset_weblist_js);
    return status;
}

enum cp_status cp_write_weblist(struct cp_report *r, struct cp_out *out,
                                struct cp_error *err)
{
    struct page p = { .r = r, .out = out, .err = err };
    enum cp_status status = cp_source_lines_init(&p.lines, r, true, err);

    if (status != CP_OK)
        return status;
    cp_source_init(&p.source, r->options.source_path, r->options.trim_path);
    status = cp_weblist_code_init(&p.code, r, &p.lines, err);
    if (status == CP_OK)
        status = write_all(&p);
    cp_weblist_code_release(&p.code);
    cp_source_release(&p.source);
    cp_source_lines_release(&p.lines);
    return status;
}
