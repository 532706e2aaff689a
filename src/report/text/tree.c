/*
 * tree.c - the reports "tree" and "peek": each node with callers and callees.
 */
#include "report/text/tree.h"

#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "regex/regex.h"
#include "report/core/formats.h"
#include "report/graph/legend.h"
#include "report/graph/trim.h"
#include "report/text/top.h"

static const char separator[] =
    "----------------------------------------------------------+-------------"
    "\n";
static const char columns[] =
    "      flat  flat%   sum%        cum   cum%   calls calls% + context "
    "\t \t \n";

static enum cp_status write_edges(const struct cp_report *r, struct cp_graph *g,
                                  uint32_t node, bool incoming,
                                  struct cp_out *out, struct cp_error *err)
{
    int64_t cum = cp_node_cum(&g->nodes[node]);
    char text[CP_LABEL_BYTES];
    uint32_t *edges, n;

    if (cp_graph_sorted_edges(g, node, incoming, &edges, &n, err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        const struct cp_edge *e = &g->edges[edges[i]];

        cp_report_value(r, e->weight, text);
        cp_out_right(out, text, 50);
        cp_percentage(e->weight, cum, text);
        cp_out_printf(out, " %s |   ", text);
        cp_out_str(out, cp_graph_name(g, incoming ? e->src : e->dst));
        cp_out_cstr(out, e->is_inline ? " (inline)\n" : "\n");
    }
    return CP_OK;
}

static void write_node(const struct cp_report *r, struct cp_graph *g,
                       uint32_t node, int64_t *sum, struct cp_out *out)
{
    cp_top_columns(r, &g->nodes[node], sum, out);
    cp_out_cstr(out, "                | ");
    cp_out_str(out, cp_graph_name(g, node));
    cp_out_char(out, '\n');
}

static enum cp_status write_text(const struct cp_report *r,
                                 struct cp_trimmed *t, const bool *keep,
                                 struct cp_out *out, struct cp_error *err)
{
    struct cp_graph *g = &t->graph;
    int64_t sum = 0;

    cp_legend_graph(r, t, false, out);
    cp_out_cstr(out, separator);
    cp_out_cstr(out, columns);
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t node = g->order[i];

        if (!keep[i])
            continue;
        cp_out_cstr(out, separator);
        if (write_edges(r, g, node, true, out, err) != CP_OK)
            return CP_ENOMEM;
        write_node(r, g, node, &sum, out);
        if (write_edges(r, g, node, false, out, err) != CP_OK)
            return CP_ENOMEM;
    }
    if (g->n_order > 0)
        cp_out_cstr(out, separator);
    return CP_OK;
}

/* Sets `keep` for the nodes to write: all, or those that match for peek. */
static enum cp_status choose(struct cp_trimmed *t, const char *pattern,
                             bool *keep, struct cp_error *err)
{
    struct cp_graph *g = &t->graph;
    bool any = false;

    if (!t->only) {
        memset(keep, true, g->n_order * sizeof(*keep));
        return CP_OK;
    }
    for (uint32_t i = 0; i < g->n_order; i++) {
        struct cp_str name = cp_graph_name(g, g->order[i]);

        keep[i] = cp_regex_match(t->only, name.ptr, name.len);
        any |= keep[i];
    }
    if (cp_regex_check(t->only, err) != CP_OK)
        return CP_EUSAGE;
    return any ? CP_OK
               : cp_error_set(err, CP_EUSAGE, "no matches found for regexp: %s",
                              pattern);
}

static enum cp_status write_styled(struct cp_report *r, struct cp_trimmed *t,
                                   const bool *keep, struct cp_out *out,
                                   struct cp_error *err)
{
    switch (r->options.style) {
    case CP_STYLE_JSON:
        return cp_write_tree_json(r, t, keep, out, err);
    case CP_STYLE_CSV:
        return cp_write_tree_csv(r, t, keep, out, err);
    case CP_STYLE_TEXT:
    case CP_STYLE_JEPROF:
        break;
    }
    return write_text(r, t, keep, out, err);
}

static enum cp_status write_chosen(struct cp_report *r, struct cp_trimmed *t,
                                   struct cp_out *out, struct cp_error *err)
{
    enum cp_status status = cp_trim_build(t, r, err);
    bool *keep;

    if (status != CP_OK)
        return status;
    keep = cp_alloc(t->graph.n_order, sizeof(*keep), err);
    status = keep ? choose(t, r->options.argument, keep, err) : CP_ENOMEM;
    if (status == CP_OK)
        status = write_styled(r, t, keep, out, err);
    cp_free(keep);
    cp_trim_release(t);
    return status;
}

enum cp_status cp_write_tree(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err)
{
    const char *pattern = r->options.argument;
    struct cp_trimmed t = { 0 };
    struct cp_regex *re = NULL;
    enum cp_status status;

    if (r->options.format == CP_FORMAT_PEEK) {
        re = cp_regex_new(pattern, strlen(pattern), err);
        if (!re) {
            cp_error_prefix(err, "parsing argument regexp %s: ", pattern);
            return CP_EUSAGE;
        }
    }
    t.only = re;
    status = write_chosen(r, &t, out, err);
    cp_regex_free(re);
    return status;
}
