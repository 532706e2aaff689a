/* top.c - the report "top" (also "text"): the table of functions. */
#include "report/text/top.h"

#include "base/number.h"
#include "base/units.h"
#include "report/core/formats.h"
#include "report/graph/legend.h"
#include "report/graph/trim.h"

const char *cp_top_inline_mark(const struct cp_graph *g, uint32_t node)
{
    bool any_inline = false, any_call = false;

    for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++) {
        const struct cp_edge *e = &g->edges[g->in[k]];

        if (e->is_dead)
            continue;
        any_inline |= e->is_inline;
        any_call |= !e->is_inline;
    }
    if (!any_inline)
        return "";
    return any_call ? " (partial-inline)" : " (inline)";
}

void cp_top_columns(const struct cp_report *r, const struct cp_node *n,
                    int64_t *sum, struct cp_out *out)
{
    int64_t flat = cp_node_flat(n), cum = cp_node_cum(n);
    char text[CP_LABEL_BYTES];

    *sum = cp_add(*sum, flat);
    cp_report_value(r, flat, text);
    cp_out_right(out, text, 10);
    cp_percentage(flat, r->total, text);
    cp_out_printf(out, " %s", text);
    cp_percentage(*sum, r->total, text);
    cp_out_printf(out, " %s ", text);
    cp_report_value(r, cum, text);
    cp_out_right(out, text, 10);
    cp_percentage(cum, r->total, text);
    cp_out_printf(out, " %s", text);
}

static void write_row(const struct cp_report *r, struct cp_graph *g,
                      uint32_t node, int64_t *sum, struct cp_out *out)
{
    cp_top_columns(r, &g->nodes[node], sum, out);
    cp_out_cstr(out, "  ");
    cp_out_str(out, cp_graph_name(g, node));
    cp_out_cstr(out, cp_top_inline_mark(g, node));
    cp_out_char(out, '\n');
}

static void write_text(const struct cp_report *r, struct cp_trimmed *t,
                       struct cp_out *out)
{
    int64_t sum = 0;

    cp_legend_graph(r, t, false, out);
    cp_out_cstr(out, "      flat  flat%   sum%        cum   cum%\n");
    for (uint32_t i = 0; i < t->graph.n_order; i++)
        write_row(r, &t->graph, t->graph.order[i], &sum, out);
}

enum cp_status cp_write_top(struct cp_report *r, struct cp_out *out,
                            struct cp_error *err)
{
    struct cp_trimmed t = { 0 };
    enum cp_status status = cp_trim_build(&t, r, err);

    if (status != CP_OK)
        return status;
    if (r->options.style == CP_STYLE_JSON)
        status = cp_write_top_json(r, &t, out, err);
    else if (r->options.style == CP_STYLE_CSV)
        status = cp_write_top_csv(r, &t, out, err);
    else if (r->options.style == CP_STYLE_JEPROF)
        status = cp_write_top_jeprof(r, &t, out, err);
    else
        write_text(r, &t, out);
    cp_trim_release(&t);
    return status;
}
