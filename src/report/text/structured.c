/*
 * structured.c - "top" and "tree" as JSON and CSV.
 *
 * JSON is one object, with one node on each line:
 *
 *   {"file":"a.out","build_id":null,"type":"cpu","unit":"nanoseconds",
 *    "time":"2023-11-14T22:13:20Z","duration_ns":1000,"total":10,
 *    "showing":10,"dropped_nodes":0,"nodes_before":1,"nodes":[
 *   {"name":"main","function":"main","file":null,"line":0,"column":0,
 *    "address":null,"flat":10,"flat_percent":100.00,"sum_percent":100.00,
 *    "cum":10,"cum_percent":100.00,"inline":"no"}
 *   ]}
 *
 * In a tree each node also has "callers" and "callees", lists of
 * {"name","weight","percent","inline","residual"}. CSV has a row for each node;
 * in a tree it has a row for each caller, node and callee. docs/formats.md
 * describes both for users. Values are integers in the sample unit, after mean
 * and divide_by.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/path.h"
#include "report/core/escape.h"
#include "report/graph/trim.h"
#include "report/text/top.h"
#include "report/text/tree.h"

/* A node as all styles show it. */
struct row {
    struct cp_str name;
    const struct cp_node_info *info;
    int64_t flat, cum;
    double flat_percent, sum_percent, cum_percent;
    const char *inlined;
};

/* Returns the percentage with the sign of the value; never -0. */
static double percent(int64_t value, int64_t total)
{
    double p = total ? 100 * (double)value / fabs((double)total) : 0;

    return fabs(p) < 0.005 ? 0 : p;
}

static const char *inline_word(const struct cp_graph *g, uint32_t node)
{
    const char *mark = cp_top_inline_mark(g, node);

    if (*mark == '\0')
        return "no";
    return mark[2] == 'p' ? "partial" : "yes";
}

/* Returns the row of a node; *sum accumulates flat values over the rows. */
static struct row row_of(const struct cp_report *r, struct cp_graph *g,
                         uint32_t node, int64_t *sum)
{
    int64_t flat = cp_node_flat(&g->nodes[node]);
    int64_t cum = cp_node_cum(&g->nodes[node]);

    *sum = cp_add(*sum, flat);
    return (struct row){
        .name = cp_graph_name(g, node),
        .info = &g->frames->infos[g->nodes[node].info],
        .flat = cp_report_divide(r, flat),
        .cum = cp_report_divide(r, cum),
        .flat_percent = percent(flat, r->total),
        .sum_percent = percent(*sum, r->total),
        .cum_percent = percent(cum, r->total),
        .inlined = inline_word(g, node),
    };
}

static struct cp_str text(const char *cstr)
{
    return (struct cp_str){ cstr, (uint32_t)strlen(cstr) };
}

static void json_or_null(const struct cp_profile *p, uint32_t string,
                         struct cp_out *out)
{
    if (string == 0)
        cp_out_cstr(out, "null");
    else
        cp_escape_json(out, cp_profile_str(p, string));
}

/* Writes RFC 3339 in UTC, with as many decimals as necessary. */
static void json_time(int64_t unix_ns, struct cp_out *out)
{
    int64_t ns = unix_ns % 1000000000;
    time_t seconds = (time_t)(unix_ns / 1000000000);
    char day[32] = "", part[16] = "";
    struct tm tm = { 0 };

    if (unix_ns == 0) {
        cp_out_cstr(out, "null");
        return;
    }
    if (ns < 0) {
        ns += 1000000000;
        seconds--;
    }
    (void)gmtime_r(&seconds, &tm);
    (void)strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
    if (ns != 0)
        (void)snprintf(part, sizeof(part), ".%09d", (int)ns);
    for (size_t n = strlen(part); n > 0 && part[n - 1] == '0'; n--)
        part[n - 1] = '\0';
    cp_out_printf(out, "\"%s%sZ\"", day, part);
}

static void json_head(const struct cp_report *r, const struct cp_trimmed *t,
                      struct cp_out *out)
{
    const struct cp_profile *p = r->profile;
    const struct cp_graph *g = &t->graph;
    const struct cp_mapping *m = p->n_mappings ? p->mappings : NULL;
    int64_t sum = 0;

    for (uint32_t i = 0; i < g->n_order; i++)
        sum = cp_add(sum, cp_node_flat(&g->nodes[g->order[i]]));
    cp_out_cstr(out, "{\"file\":");
    if (m && m->file)
        cp_escape_json(out, cp_path_base(cp_profile_str(p, m->file)));
    else
        cp_out_cstr(out, "null");
    cp_out_cstr(out, ",\"build_id\":");
    json_or_null(p, m ? m->build_id : 0, out);
    cp_out_cstr(out, ",\"type\":");
    cp_escape_json(out, text(r->sample_type));
    cp_out_cstr(out, ",\"unit\":");
    cp_escape_json(out, text(r->sample_unit));
    cp_out_cstr(out, ",\"time\":");
    json_time(p->time_ns, out);
    cp_out_printf(
        out,
        ",\"duration_ns\":%lld,\"total\":%lld,\"showing\":%lld,"
        "\"dropped_nodes\":%u,\"nodes_before\":%u,\"nodes\":[",
        (long long)p->duration_ns, (long long)cp_report_divide(r, r->total),
        (long long)cp_report_divide(r, sum), t->dropped_nodes, t->n_before);
}

/* Writes a node without the closing brace. */
static void json_node(const struct cp_profile *p, const struct row *row,
                      struct cp_out *out)
{
    cp_out_cstr(out, "{\"name\":");
    cp_escape_json(out, row->name);
    cp_out_cstr(out, ",\"function\":");
    json_or_null(p, row->info->name, out);
    cp_out_cstr(out, ",\"file\":");
    json_or_null(p, row->info->file, out);
    cp_out_printf(out, ",\"line\":%lld,\"column\":%lld",
                  (long long)row->info->line, (long long)row->info->column);
    if (row->info->address)
        cp_out_printf(out, ",\"address\":\"0x%llx\"",
                      (unsigned long long)row->info->address);
    else
        cp_out_cstr(out, ",\"address\":null");
    cp_out_printf(out,
                  ",\"flat\":%lld,\"flat_percent\":%.2f,\"sum_percent\":%.2f,"
                  "\"cum\":%lld,\"cum_percent\":%.2f,\"inline\":\"%s\"",
                  (long long)row->flat, row->flat_percent, row->sum_percent,
                  (long long)row->cum, row->cum_percent, row->inlined);
}

enum cp_status cp_write_top_json(struct cp_report *r, struct cp_trimmed *t,
                                 struct cp_out *out, struct cp_error *err)
{
    struct cp_graph *g = &t->graph;
    int64_t sum = 0;

    (void)err;
    json_head(r, t, out);
    for (uint32_t i = 0; i < g->n_order; i++) {
        struct row row = row_of(r, g, g->order[i], &sum);

        cp_out_cstr(out, i ? ",\n" : "\n");
        json_node(r->profile, &row, out);
        cp_out_char(out, '}');
    }
    cp_out_cstr(out, "\n]}\n");
    return CP_OK;
}

static enum cp_status json_edges(const struct cp_report *r, struct cp_graph *g,
                                 uint32_t node, bool incoming,
                                 struct cp_out *out, struct cp_error *err)
{
    int64_t cum = cp_node_cum(&g->nodes[node]);
    uint32_t *edges, n;

    if (cp_graph_sorted_edges(g, node, incoming, &edges, &n, err) != CP_OK)
        return CP_ENOMEM;
    cp_out_cstr(out, incoming ? ",\"callers\":[" : ",\"callees\":[");
    for (uint32_t i = 0; i < n; i++) {
        const struct cp_edge *e = &g->edges[edges[i]];
        int64_t weight = cp_edge_weight(e);

        cp_out_cstr(out, i ? ",{\"name\":" : "{\"name\":");
        cp_escape_json(out, cp_graph_name(g, incoming ? e->src : e->dst));
        cp_out_printf(out,
                      ",\"weight\":%lld,\"percent\":%.2f,\"inline\":%s,"
                      "\"residual\":%s}",
                      (long long)cp_report_divide(r, weight),
                      percent(weight, cum), e->is_inline ? "true" : "false",
                      e->is_residual ? "true" : "false");
    }
    cp_out_char(out, ']');
    return CP_OK;
}

enum cp_status cp_write_tree_json(struct cp_report *r, struct cp_trimmed *t,
                                  const bool *keep, struct cp_out *out,
                                  struct cp_error *err)
{
    struct cp_graph *g = &t->graph;
    const char *comma = "\n";
    int64_t sum = 0;

    json_head(r, t, out);
    for (uint32_t i = 0; i < g->n_order; i++) {
        struct row row;

        if (!keep[i])
            continue;
        row = row_of(r, g, g->order[i], &sum);
        cp_out_cstr(out, comma);
        comma = ",\n";
        json_node(r->profile, &row, out);
        if (json_edges(r, g, g->order[i], true, out, err) != CP_OK ||
            json_edges(r, g, g->order[i], false, out, err) != CP_OK)
            return CP_ENOMEM;
        cp_out_char(out, '}');
    }
    cp_out_cstr(out, "\n]}\n");
    return CP_OK;
}

static void csv_field(struct cp_str field, struct cp_out *out)
{
    cp_escape_csv(out, field);
    cp_out_char(out, ',');
}

static void csv_values(const struct row *row, struct cp_out *out)
{
    cp_out_printf(out, "%lld,%.2f,%.2f,%lld,%.2f,", (long long)row->flat,
                  row->flat_percent, row->sum_percent, (long long)row->cum,
                  row->cum_percent);
}

static void csv_unit(const struct cp_report *r, struct cp_out *out)
{
    cp_escape_csv(out, text(r->sample_unit));
    cp_out_char(out, '\n');
}

enum cp_status cp_write_top_csv(struct cp_report *r, struct cp_trimmed *t,
                                struct cp_out *out, struct cp_error *err)
{
    struct cp_graph *g = &t->graph;
    const struct cp_profile *p = r->profile;
    int64_t sum = 0;

    (void)err;
    cp_out_cstr(out, "name,function,file,line,column,address,flat,flat_percent,"
                     "sum_percent,cum,cum_percent,inline,unit\n");
    for (uint32_t i = 0; i < g->n_order; i++) {
        struct row row = row_of(r, g, g->order[i], &sum);

        csv_field(row.name, out);
        csv_field(cp_profile_str(p, row.info->name), out);
        csv_field(cp_profile_str(p, row.info->file), out);
        cp_out_printf(out, "%lld,%lld,", (long long)row.info->line,
                      (long long)row.info->column);
        if (row.info->address)
            cp_out_printf(out, "0x%llx", (unsigned long long)row.info->address);
        cp_out_char(out, ',');
        csv_values(&row, out);
        cp_out_printf(out, "%s,", row.inlined);
        csv_unit(r, out);
    }
    return CP_OK;
}

static enum cp_status csv_edges(const struct cp_report *r, struct cp_graph *g,
                                uint32_t node, bool incoming,
                                struct cp_out *out, struct cp_error *err)
{
    int64_t cum = cp_node_cum(&g->nodes[node]);
    uint32_t *edges, n;

    if (cp_graph_sorted_edges(g, node, incoming, &edges, &n, err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        const struct cp_edge *e = &g->edges[edges[i]];
        int64_t weight = cp_edge_weight(e);

        cp_out_cstr(out, incoming ? "caller," : "callee,");
        csv_field(cp_graph_name(g, node), out);
        csv_field(cp_graph_name(g, incoming ? e->src : e->dst), out);
        cp_out_printf(out, ",,,,,%lld,%.2f,%s,%s,",
                      (long long)cp_report_divide(r, weight),
                      percent(weight, cum), e->is_inline ? "yes" : "no",
                      e->is_residual ? "yes" : "no");
        csv_unit(r, out);
    }
    return CP_OK;
}

enum cp_status cp_write_tree_csv(struct cp_report *r, struct cp_trimmed *t,
                                 const bool *keep, struct cp_out *out,
                                 struct cp_error *err)
{
    struct cp_graph *g = &t->graph;
    int64_t sum = 0;

    cp_out_cstr(out, "kind,node,name,flat,flat_percent,sum_percent,cum,"
                     "cum_percent,weight,percent,inline,residual,unit\n");
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t node = g->order[i];
        struct row row;

        if (!keep[i])
            continue;
        row = row_of(r, g, node, &sum);
        if (csv_edges(r, g, node, true, out, err) != CP_OK)
            return CP_ENOMEM;
        cp_out_cstr(out, "node,");
        csv_field(row.name, out);
        csv_field(row.name, out);
        csv_values(&row, out);
        cp_out_printf(out, ",,%s,,", row.inlined);
        csv_unit(r, out);
        if (csv_edges(r, g, node, false, out, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}
