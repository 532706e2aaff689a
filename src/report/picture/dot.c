/*
 * dot.c - the report "dot": the call graph in Graphviz's language.
 *
 * The font size shows flat, the colour cum: red for large values, green for
 * negative values of a diff, grey for small values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/path.h"
#include "base/units.h"
#include "report/core/formats.h"
#include "report/core/short_name.h"
#include "report/graph/legend.h"
#include "report/graph/trim.h"
#include "report/picture/dot_tags.h"
#include "report/picture/dot_text.h"

#define BASE_FONT 8
#define FONT_GROWTH 16.0

struct drawing {
    struct cp_report *r;
    struct cp_trimmed *t;
    struct cp_out *out;
    uint32_t *id;       /* indexed by node, from 1; 0 if not drawn */
    bool *has_nodelets; /* indexed by node */
    double max_flat;
    struct cp_arena arena;
    struct cp_error *err;
};

static void put_raw(const struct drawing *d, struct cp_str text)
{
    cp_dot_raw(d->out, text, d->r->options.is_drawn);
}

/* Writes a value with its unit, which comes from the profile. */
static void put_value(const struct drawing *d, const char *text)
{
    put_raw(d, (struct cp_str){ text, (uint32_t)strlen(text) });
}

static unsigned to_byte(double part)
{
    return isnan(part) ? 0 : (unsigned)(part * 255.0) & 0xff;
}

/* Writes a colour for a share of the total between -1 and 1. */
static void colour(struct cp_out *out, double score, bool is_background)
{
    double saturation = is_background ? 0.1 : 1.0;
    double value = is_background ? 0.93 : 0.7;
    double red = value, green = value;

    if (score > 1)
        score = 1;
    if (score < -1)
        score = -1;
    if (fabs(score) < 0.2)
        saturation *= fabs(score) / 0.2;
    if (score > 0)
        score = pow(score, 1.0 - 0.7);
    else if (score < 0)
        score = -pow(-score, 1.0 - 0.7);
    if (score < 0)
        red = value * (1 + saturation * score);
    else
        green = value * (1 - saturation * score);
    cp_out_printf(out, "#%02x%02x%02x", to_byte(red), to_byte(green),
                  to_byte(value * (1 - saturation)));
}

static void share_colour(const struct drawing *d, int64_t value,
                         bool is_background)
{
    colour(d->out, (double)value / (double)cp_abs(d->r->total), is_background);
}

static struct cp_str title(const struct cp_profile *p)
{
    if (p->n_mappings == 0 || p->mappings[0].file == 0)
        return (struct cp_str){ "", 0 };
    return cp_path_base(cp_profile_str(p, p->mappings[0].file));
}

/* Returns the first entry of the legend: a comment may have several lines. */
static struct cp_str first_entry(const struct cp_profile *p,
                                 const struct cp_out *legend)
{
    const char *end = memchr(legend->buf, '\n', legend->len);
    bool is_binary =
        p->n_mappings > 0 && (p->mappings[0].file || p->mappings[0].build_id);

    for (uint32_t i = 0; !is_binary && i < p->n_comments; i++) {
        struct cp_str comment = cp_profile_str(p, p->comments[i]);

        if (comment.len == 0 || comment.ptr[0] != '#')
            return comment;
    }
    return (struct cp_str){ legend->buf, (uint32_t)(end - legend->buf) };
}

static void write_head(struct drawing *d)
{
    struct cp_str name = title(d->r->profile);
    struct cp_out legend = { .fd = -1 };

    cp_legend_graph(d->r, d->t, true, &legend);
    cp_out_cstr(&legend,
                "\nSee https://git.io/JfYMW for how to read the graph\n");
    cp_out_cstr(d->out, "digraph \"");
    put_raw(d, name.len ? name : (struct cp_str){ "unnamed", 7 });
    cp_out_cstr(d->out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n");
    if (legend.err.status == CP_OK) {
        cp_out_cstr(d->out, "subgraph cluster_L { \"");
        cp_dot_escape(d->out, first_entry(d->r->profile, &legend));
        cp_out_cstr(d->out, "\" [shape=box fontsize=16 label=\"");
        cp_dot_escape(d->out,
                      (struct cp_str){ legend.buf, (uint32_t)legend.len });
        cp_out_char(d->out, '"');
        if (name.len) {
            cp_out_cstr(d->out, " tooltip=\"");
            put_raw(d, name);
            cp_out_char(d->out, '"');
        }
        cp_out_cstr(d->out, "] }\n");
    } else {
        d->out->err = legend.err;
    }
    cp_out_release(&legend);
}

/* Writes the function's name with each qualifier on its own line. */
static void multiline_name(struct drawing *d, struct cp_str name)
{
    struct cp_out text = { .fd = -1 };

    name = cp_short_name(name, &d->arena, d->err);
    if (name.ptr)
        cp_dot_escape(&text, name);
    if (!name.ptr || text.err.status != CP_OK)
        (void)cp_error_nomem(&d->out->err);
    for (size_t i = 0; i < text.len; i++) {
        size_t left = text.len - i;

        if (left >= 2 && memcmp(text.buf + i, "::", 2) == 0) {
            cp_out_cstr(d->out, "\\n");
            i++;
        } else if (left >= 5 && memcmp(text.buf + i, "[...]", 5) == 0) {
            cp_out_cstr(d->out, "[\xe2\x80\xa6]");
            i += 4;
        } else if (text.buf[i] == '.') {
            cp_out_cstr(d->out, "\\n");
        } else {
            cp_out_char(d->out, text.buf[i]);
        }
    }
    cp_out_release(&text);
}

/* Writes address, name and position, each on a line, and a final newline. */
static void node_label(struct drawing *d, const struct cp_node_info *info)
{
    const struct cp_profile *p = d->r->profile;
    struct cp_str file = cp_profile_str(p, info->file);
    struct cp_str object = cp_path_base(cp_profile_str(p, info->objfile));
    struct cp_out *out = d->out;

    if (info->file)
        file = cp_path_base(file);
    if (info->address)
        cp_out_printf(out, "%016llx\\n", (unsigned long long)info->address);
    if (info->name) {
        multiline_name(d, cp_profile_str(p, info->name));
        cp_out_cstr(out, "\\n");
    }
    if (info->line) {
        put_raw(d, file);
        cp_out_printf(out, ":%lld", (long long)info->line);
        if (info->column)
            cp_out_printf(out, ":%lld", (long long)info->column);
        cp_out_cstr(out, "\\n");
    } else if (info->file) {
        put_raw(d, file);
        cp_out_cstr(out, "\\n");
    } else if (!info->name && info->objfile) {
        cp_out_char(out, '[');
        put_raw(d, object);
        cp_out_cstr(out, "]\\n");
    } else if (!info->name) {
        cp_out_cstr(out, "<unknown>\\n");
    }
}

static void value_label(const struct drawing *d, int64_t value,
                        const char *before, const char *text)
{
    char percent[CP_LABEL_BYTES];

    cp_percentage(value, d->r->total, percent);
    cp_out_cstr(d->out, before);
    put_value(d, text);
    cp_out_printf(d->out, " (%s)", percent + strspn(percent, " "));
}

static int font_size(const struct drawing *d, int64_t flat)
{
    double share;

    if (d->max_flat == 0 || flat == 0)
        return BASE_FONT;
    share = (double)cp_abs(flat) / d->max_flat;
    return BASE_FONT + (int)ceil(FONT_GROWTH * sqrt(share));
}

static void write_node(struct drawing *d, uint32_t node)
{
    struct cp_graph *g = &d->t->graph;
    const struct cp_node *n = &g->nodes[node];
    int64_t flat = cp_node_flat(n), cum = cp_node_cum(n);
    char flat_text[CP_LABEL_BYTES], cum_text[CP_LABEL_BYTES];

    cp_report_value(d->r, flat, flat_text);
    cp_report_value(d->r, cum, cum_text);
    cp_out_printf(d->out, "N%u [label=\"", d->id[node]);
    node_label(d, &d->t->frames.infos[n->info]);
    if (flat != 0)
        value_label(d, flat, "", flat_text);
    else
        cp_out_char(d->out, '0');
    if (cum != flat)
        value_label(d, cum, flat != 0 ? "\\nof " : " of ", cum_text);
    cp_out_printf(d->out, "\" id=\"node%u\" fontsize=%d shape=box tooltip=\"",
                  d->id[node], font_size(d, flat));
    cp_dot_escape(d->out, cp_graph_name(g, node));
    cp_out_cstr(d->out, " (");
    put_value(d, cum_text);
    cp_out_cstr(d->out, ")\" color=\"");
    share_colour(d, cum, false);
    cp_out_cstr(d->out, "\" fillcolor=\"");
    share_colour(d, cum, true);
    cp_out_cstr(d->out, "\"]\n");
}

static int64_t share_of(const struct drawing *d, int64_t weight, int64_t parts)
{
    int64_t product = (int64_t)((uint64_t)weight * (uint64_t)parts);
    int64_t share = product == INT64_MIN && d->r->total == -1
                        ? INT64_MIN
                        : cp_abs(product / d->r->total);

    return share < parts ? share : parts;
}

static void edge_tooltip(struct drawing *d, const struct cp_edge *e,
                         const char *name, const char *weight)
{
    struct cp_graph *g = &d->t->graph;

    cp_out_printf(d->out, " %s=\"", name);
    cp_dot_escape(d->out, cp_graph_name(g, e->src));
    cp_out_cstr(d->out, e->is_residual ? " ... " : " -> ");
    cp_dot_escape(d->out, cp_graph_name(g, e->dst));
    cp_out_cstr(d->out, " (");
    put_value(d, weight);
    cp_out_cstr(d->out, ")\"");
}

static void write_edge(struct drawing *d, const struct cp_edge *e)
{
    int64_t weight = cp_edge_weight(e);
    char text[CP_LABEL_BYTES];

    cp_report_value(d->r, weight, text);
    cp_out_printf(d->out, "N%u -> N%u [label=\" ", d->id[e->src],
                  d->id[e->dst]);
    put_value(d, text);
    cp_out_cstr(d->out, e->is_inline ? "\\n (inline)\"" : "\"");
    if (d->r->total != 0) {
        int64_t heavy = share_of(d, weight, 100);
        int64_t wide = share_of(d, weight, 5);

        if (heavy > 0)
            cp_out_printf(d->out, " weight=%d", (int)heavy + 1);
        if (wide > 0)
            cp_out_printf(d->out, " penwidth=%d", (int)wide + 1);
        cp_out_cstr(d->out, " color=\"");
        share_colour(d, weight, false);
        cp_out_char(d->out, '"');
    }
    edge_tooltip(d, e, "tooltip", text);
    edge_tooltip(d, e, "labeltooltip", text);
    cp_out_cstr(d->out, e->is_residual ? " style=\"dotted\"" : "");
    cp_out_cstr(d->out, d->has_nodelets[e->src] ? " minlen=2" : "");
    cp_out_cstr(d->out, "]\n");
}

/* Writes all edges from drawn nodes, heaviest first. */
static enum cp_status write_edges(struct drawing *d)
{
    struct cp_graph *g = &d->t->graph;
    uint32_t *list, n;

    for (uint32_t i = 0; i < g->n_edges; i++)
        if (d->id[g->edges[i].src] == 0)
            g->edges[i].is_dead = true;
    if (cp_graph_sorted_all(g, &list, &n, d->err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        write_edge(d, &g->edges[list[i]]);
    return CP_OK;
}

static enum cp_status write_nodes(struct drawing *d)
{
    struct cp_graph *g = &d->t->graph;

    for (uint32_t i = 0; i < g->n_order; i++) {
        double flat = (double)cp_abs(cp_node_flat(&g->nodes[g->order[i]]));

        d->id[g->order[i]] = i + 1;
        d->max_flat = flat > d->max_flat ? flat : d->max_flat;
    }
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t node = g->order[i];

        write_node(d, node);
        if (cp_dot_tags(d->r, d->t, node, i + 1, d->out, &d->has_nodelets[node],
                        d->err) != CP_OK)
            return CP_ENOMEM;
    }
    return write_edges(d);
}

enum cp_status cp_write_dot(struct cp_report *r, struct cp_out *out,
                            struct cp_error *err)
{
    struct cp_trimmed t = { 0 };
    struct drawing d = { .r = r, .t = &t, .out = out, .err = err };
    enum cp_status status = cp_trim_build(&t, r, err);

    if (status != CP_OK)
        return status;
    d.id = cp_arena_alloc(&d.arena, t.graph.n_nodes, sizeof(*d.id), err);
    d.has_nodelets =
        cp_arena_alloc(&d.arena, t.graph.n_nodes, sizeof(bool), err);
    status = d.id && d.has_nodelets ? CP_OK : CP_ENOMEM;
    if (status == CP_OK) {
        write_head(&d);
        status = write_nodes(&d);
        cp_out_cstr(out, "}\n");
    }
    cp_arena_release(&d.arena);
    cp_trim_release(&t);
    return status;
}
