/*
 * list.c - the report "list": source lines with what was spent on each.
 *
 * Functions are chosen by name and shown by name, then by file; a function
 * whose name occurs in several files has a part for each. Every number has a
 * unit of its own, so the graph needs neither trimming nor sorting.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/regex.h"
#include "report/formats.h"
#include "report/graph.h"
#include "report/source.h"

#define CONTEXT_LINES 5

/* A node that is shown: some line of some function. */
struct entry {
    struct cp_str name, file;
    int64_t start_line, line, flat, cum;
};

struct lister {
    const struct cp_report *r;
    struct cp_frames frames;
    struct cp_graph graph;
    struct cp_source source;
    struct entry *entries; /* by name, file and line */
    size_t n_entries;
    struct cp_out *out;
    struct cp_error *err;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = cp_str_cmp(x->name, y->name);

    if (order == 0)
        order = cp_str_cmp(x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    return order;
}

static void add_entry(struct lister *l, const struct cp_node *node)
{
    const struct cp_profile *p = l->r->profile;
    const struct cp_node_info *info = &l->frames.infos[node->info];

    l->entries[l->n_entries++] =
        (struct entry){ .name = cp_profile_str(p, info->name),
                        .file = cp_profile_str(p, info->file),
                        .start_line = info->start_line,
                        .line = info->line,
                        .flat = node->flat,
                        .cum = node->cum };
}

/* Adds the nodes whose function matches; each name is matched once. */
static enum cp_status add_matching(struct lister *l, struct cp_regex *re)
{
    enum { UNKNOWN, NO, YES };
    const struct cp_profile *p = l->r->profile;
    const struct cp_graph *g = &l->graph;
    char *answers = cp_alloc(p->strings.n, 1, l->err);

    l->entries = cp_alloc(g->n_order, sizeof(*l->entries), l->err);
    for (uint32_t i = 0; answers && l->entries && i < g->n_order; i++) {
        const struct cp_node *node = &g->nodes[g->order[i]];
        uint32_t id = l->frames.infos[node->info].name;
        struct cp_str name = cp_profile_str(p, id);

        if (answers[id] == UNKNOWN)
            answers[id] = cp_regex_match(re, name.ptr, name.len) ? YES : NO;
        if (answers[id] == YES)
            add_entry(l, node);
    }
    cp_free(answers);
    return answers && l->entries ? cp_regex_check(re, l->err) : CP_ENOMEM;
}

static enum cp_status choose(struct lister *l)
{
    const char *pattern = l->r->options.argument;
    struct cp_regex *re = cp_regex_new(pattern, strlen(pattern), l->err);
    enum cp_status status;

    if (!re) {
        cp_error_prefix(l->err, "parsing argument regexp %s: ", pattern);
        return CP_EUSAGE;
    }
    status = add_matching(l, re);
    cp_regex_free(re);
    if (status == CP_OK && l->n_entries == 0)
        return cp_error_set(l->err, CP_EUSAGE,
                            "no matches found for regexp: %s", pattern);
    if (status == CP_OK)
        qsort(l->entries, l->n_entries, sizeof(*l->entries), compare_entries);
    return status;
}

static void write_text(const struct lister *l, const char *before,
                       struct cp_str text)
{
    cp_out_cstr(l->out, before);
    cp_out_str(l->out, text);
    cp_out_char(l->out, '\n');
}

/* A value in a column of ten; nothing is a dot. */
static void write_value(const struct lister *l, int64_t value)
{
    char text[CP_LABEL_BYTES] = ".";

    if (value != 0)
        cp_report_value(l->r, value, text);
    cp_out_right(l->out, text, 10);
    cp_out_char(l->out, ' ');
}

/* The lines to show, before the file has a say; none when from > to. */
static void find_range(const struct entry *e, const struct entry *end,
                       int64_t *from, int64_t *to)
{
    *from = INT64_MAX;
    *to = cp_add(end[-1].line, CONTEXT_LINES);
    for (; e < end; e++) {
        int64_t start =
            e->start_line ? e->start_line : cp_add(e->line, -CONTEXT_LINES);

        *from = start < *from ? start : *from;
    }
    if (*from < 1)
        *from = 1;
}

static enum cp_status write_lines(struct lister *l, const struct entry *e,
                                  const struct entry *end)
{
    const struct cp_source_file *f;
    int64_t line, to;

    find_range(e, end, &line, &to);
    if (line > to && !cp_source_was_asked(&l->source, e->file))
        return CP_OK; /* nothing to show, so the file is not missed */
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
        write_value(l, flat);
        write_value(l, cum);
        cp_out_i64_right(l->out, line, 6);
        write_text(l, ":", cp_source_line(f, (uint32_t)line));
    }
    return CP_OK;
}

/* One function in one file: the entries from e to end. */
static enum cp_status write_routine(struct lister *l, const struct entry *e,
                                    const struct entry *end)
{
    char text[CP_LABEL_BYTES];
    int64_t flat = 0, cum = 0;

    for (const struct entry *i = e; i < end; i++) {
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

/* All parts of a function; the one without a file comes first. */
static enum cp_status write_function(struct lister *l, const struct entry *e,
                                     const struct entry *end)
{
    const struct entry *next;

    if (end[-1].file.len == 0) {
        write_text(l, "No source information for ", e->name);
        return CP_OK;
    }
    for (; e < end; e = next) {
        for (next = e + 1; next < end; next++)
            if (cp_str_cmp(e->file, next->file) != 0)
                break;
        if (e->file.len > 0 && write_routine(l, e, next) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

static enum cp_status write_all(struct lister *l)
{
    const struct entry *e = l->entries, *end = e + l->n_entries, *next;
    char total[CP_LABEL_BYTES];

    cp_report_value(l->r, l->r->total, total);
    cp_out_printf(l->out, "Total: %s\n", total);
    for (; e < end; e = next) {
        for (next = e + 1; next < end; next++)
            if (cp_str_cmp(e->name, next->name) != 0)
                break;
        if (write_function(l, e, next) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

enum cp_status cp_write_list(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err)
{
    struct lister l = { .r = r, .out = out, .err = err };
    enum cp_status status =
        cp_frames_init(&l.frames, r, CP_KEEP_OBJECT | CP_TRIM_PATHS, err);

    if (status != CP_OK)
        return status;
    cp_source_init(&l.source, r->options.source_path, r->options.trim_path);
    status = cp_graph_build(&l.graph, r, &l.frames, (struct cp_graph_want){ 0 },
                            err);
    if (status == CP_OK)
        status = choose(&l);
    if (status == CP_OK)
        status = write_all(&l);
    cp_free(l.entries);
    cp_source_release(&l.source);
    cp_graph_release(&l.graph);
    cp_frames_release(&l.frames);
    return status;
}
