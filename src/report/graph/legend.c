/* legend.c - writes the heading of a report. Each line ends in a newline. */
#include "report/graph/legend.h"

#include <string.h>

#include "base/number.h"
#include "base/path.h"
#include "base/timefmt.h"
#include "base/units.h"
#include "report/graph/trim.h"

#define MAX_FILTER_BYTES 80

static void duration_line(const struct cp_report *r, struct cp_out *out)
{
    const struct cp_profile *p = r->profile;
    char duration[CP_LABEL_BYTES], total[CP_LABEL_BYTES];
    char percent[CP_LABEL_BYTES];
    const char *unit = "";
    double ns = cp_unit_scale(r->total, r->sample_unit, "nanoseconds", &unit);

    cp_unit_label(p->duration_ns, "nanoseconds", "auto", duration);
    cp_report_value(r, r->total, total);
    cp_out_printf(out, "Duration: %s, Total samples = %s ", duration, total);
    if (strcmp(unit, "ns") == 0 && ns != 0) {
        cp_percentage(cp_to_int64(ns), p->duration_ns, percent);
        cp_out_printf(out, "(%s)", percent);
    }
    cp_out_char(out, '\n');
}

static void binary_lines(const struct cp_profile *p, struct cp_out *out)
{
    const struct cp_mapping *m = p->mappings;

    if (p->n_mappings == 0)
        return;
    if (m->file) {
        cp_out_cstr(out, "File: ");
        cp_out_str(out, cp_path_base(cp_profile_str(p, m->file)));
        cp_out_char(out, '\n');
    }
    if (m->build_id)
        cp_out_printf(out, "Build ID: %s\n", cp_profile_cstr(p, m->build_id));
}

void cp_legend_profile(const struct cp_report *r, struct cp_out *out)
{
    const struct cp_profile *p = r->profile;
    char time[CP_TIME_BYTES];

    binary_lines(p, out);
    for (uint32_t i = 0; i < p->n_comments; i++) {
        struct cp_str comment = cp_profile_str(p, p->comments[i]);

        if (comment.len > 0 && comment.ptr[0] == '#')
            continue;
        cp_out_str(out, comment);
        cp_out_char(out, '\n');
    }
    if (*r->sample_type)
        cp_out_printf(out, "Type: %s\n", r->sample_type);
    if (p->doc_url)
        cp_out_printf(out, "Doc: %s\n", cp_profile_cstr(p, p->doc_url));
    if (p->time_ns) {
        cp_time_text(p->time_ns, time);
        cp_out_printf(out, "Time: %s\n", time);
    }
    if (p->duration_ns)
        duration_line(r, out);
}

static void filter_line(const char *name, const char *value, bool *any,
                        struct cp_out *out)
{
    size_t n_name = strlen(name) + 1, n_value = strlen(value);

    if (n_value == 0)
        return;
    cp_out_cstr(out, *any ? "" : "Active filters:\n");
    *any = true;
    cp_out_printf(out, "   %s=", name);
    if (n_name + n_value > MAX_FILTER_BYTES) {
        cp_out_bytes(out, value, MAX_FILTER_BYTES - n_name);
        cp_out_cstr(out, "\xe2\x80\xa6");
    } else {
        cp_out_bytes(out, value, n_value);
    }
    cp_out_char(out, '\n');
}

static void filter_lines(const struct cp_options *o, struct cp_out *out)
{
    bool any = false;

    filter_line("focus", o->focus, &any, out);
    filter_line("ignore", o->ignore, &any, out);
    filter_line("hide", o->hide, &any, out);
    filter_line("show", o->show, &any, out);
    filter_line("show_from", o->show_from, &any, out);
    filter_line("tagfocus", o->tagfocus, &any, out);
    filter_line("tagignore", o->tagignore, &any, out);
    filter_line("tagshow", o->tagshow, &any, out);
    filter_line("taghide", o->taghide, &any, out);
}

static void dropped_line(const struct cp_report *r, uint32_t n,
                         const char *what, const char *measure, double fraction,
                         struct cp_out *out)
{
    double cut = (double)r->total * fraction;
    char value[CP_LABEL_BYTES];

    if (n == 0)
        return;
    cp_report_value(r, cp_abs(cp_to_int64(cut)), value);
    cp_out_printf(out, "Dropped %u %s%s (%s <= %s)\n", n, what,
                  n > 1 ? "s" : "", measure, value);
}

void cp_legend_graph(const struct cp_report *r, const struct cp_trimmed *t,
                     bool is_full, struct cp_out *out)
{
    const struct cp_graph *g = &t->graph;
    char shown[CP_LABEL_BYTES], total[CP_LABEL_BYTES], percent[CP_LABEL_BYTES];
    int64_t sum = 0;

    if (is_full || !r->options.compact_labels)
        cp_legend_profile(r, out);
    filter_lines(&r->options, out);
    for (uint32_t i = 0; i < g->n_order; i++)
        sum = cp_add(sum, cp_node_flat(&g->nodes[g->order[i]]));
    cp_report_value(r, sum, shown);
    cp_report_value(r, r->total, total);
    cp_percentage(sum, r->total, percent);
    cp_out_printf(out, "Showing nodes accounting for %s, %s of %s total\n",
                  shown, percent + strspn(percent, " "), total);
    if (r->total == 0)
        return;
    dropped_line(r, t->dropped_nodes, "node", "cum", r->options.node_fraction,
                 out);
    if (is_full)
        dropped_line(r, t->dropped_edges, "edge", "freq",
                     r->options.edge_fraction, out);
    if (g->n_order > 0 && g->n_order < t->n_before)
        cp_out_printf(out, "Showing top %u nodes out of %u\n", g->n_order,
                      t->n_before);
}
