/*
 * source_lines.c - selects functions by regular expression and sorts their
 * lines.
 */
#include "report/source/source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "regex/regex.h"

#define CONTEXT_LINES 5

static int compare_entries(const void *a, const void *b)
{
    const struct cp_source_entry *x = a, *y = b;
    int order = cp_str_cmp(x->name, y->name);

    if (order == 0)
        order = cp_str_cmp(x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    return order;
}

static void add_entry(struct cp_source_lines *l, const struct cp_profile *p,
                      const struct cp_node *node)
{
    const struct cp_node_info *info = &l->frames.infos[node->info];

    l->entries[l->n++] =
        (struct cp_source_entry){ .name = cp_profile_str(p, info->name),
                                  .file = cp_profile_str(p, info->file),
                                  .start_line = info->start_line,
                                  .line = info->line,
                                  .flat = node->flat,
                                  .cum = node->cum };
}

/*
 * Whether a string of the profile matches. Caches the result for each string.
 */
static bool matches(const struct cp_profile *p, struct cp_regex *re,
                    char *answers, uint32_t id)
{
    enum { UNKNOWN, NO, YES };
    struct cp_str text = cp_profile_str(p, id);

    if (answers[id] == UNKNOWN)
        answers[id] = cp_regex_match(re, text.ptr, text.len) ? YES : NO;
    return answers[id] == YES;
}

static enum cp_status add_matching(struct cp_source_lines *l,
                                   const struct cp_report *r, bool with_files,
                                   struct cp_regex *re, struct cp_error *err)
{
    const struct cp_profile *p = r->profile;
    const struct cp_graph *g = &l->graph;
    char *answers = cp_alloc(p->strings.n, 1, err);

    l->entries = cp_alloc(g->n_order, sizeof(*l->entries), err);
    for (uint32_t i = 0; answers && l->entries && i < g->n_order; i++) {
        const struct cp_node *node = &g->nodes[g->order[i]];
        const struct cp_node_info *info = &l->frames.infos[node->info];

        if (matches(p, re, answers, info->name) ||
            (with_files && info->name && info->file &&
             matches(p, re, answers, info->file)))
            add_entry(l, p, node);
    }
    cp_free(answers);
    return answers && l->entries ? cp_regex_check(re, err) : CP_ENOMEM;
}

static enum cp_status choose(struct cp_source_lines *l,
                             const struct cp_report *r, bool with_files,
                             struct cp_error *err)
{
    const char *pattern = r->options.argument;
    struct cp_regex *re = cp_regex_new(pattern, strlen(pattern), err);
    enum cp_status status;

    if (!re) {
        cp_error_prefix(err, "parsing argument regexp %s: ", pattern);
        return CP_EUSAGE;
    }
    status = add_matching(l, r, with_files, re, err);
    cp_regex_free(re);
    if (status == CP_OK && l->n == 0)
        return cp_error_set(err, CP_EUSAGE, "no matches found for regexp: %s",
                            pattern);
    if (status == CP_OK)
        qsort(l->entries, l->n, sizeof(*l->entries), compare_entries);
    return status;
}

enum cp_status cp_source_lines_init(struct cp_source_lines *l,
                                    const struct cp_report *r, bool with_files,
                                    struct cp_error *err)
{
    enum cp_status status =
        cp_frames_init(&l->frames, r, CP_KEEP_OBJECT | CP_TRIM_PATHS, err);

    if (status != CP_OK)
        return status;
    status = cp_graph_build(&l->graph, r, &l->frames,
                            (struct cp_graph_want){ 0 }, err);
    if (status == CP_OK)
        status = choose(l, r, with_files, err);
    if (status != CP_OK)
        cp_source_lines_release(l);
    return status;
}

void cp_source_lines_release(struct cp_source_lines *l)
{
    cp_free(l->entries);
    cp_graph_release(&l->graph);
    cp_frames_release(&l->frames);
    *l = (struct cp_source_lines){ 0 };
}

const struct cp_source_entry *
cp_source_lines_function(const struct cp_source_lines *l,
                         const struct cp_source_entry *e)
{
    const struct cp_source_entry *next = e + 1, *end = l->entries + l->n;

    while (next < end && cp_str_cmp(e->name, next->name) == 0)
        next++;
    return next;
}

const struct cp_source_entry *
cp_source_lines_file(const struct cp_source_lines *l,
                     const struct cp_source_entry *e)
{
    const struct cp_source_entry *next = e + 1;
    const struct cp_source_entry *end = cp_source_lines_function(l, e);

    while (next < end && cp_str_cmp(e->file, next->file) == 0)
        next++;
    return next;
}

void cp_source_lines_range(const struct cp_source_entry *e,
                           const struct cp_source_entry *end, int64_t *from,
                           int64_t *to)
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
