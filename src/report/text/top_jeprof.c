/*
 * top_jeprof.c - the table of functions in the layout of jeprof and the Perl
 * pprof.
 *
 *   Total: 44.5 MB
 *       35.0  78.7%  78.7%     35.0  78.7% make_big
 *
 * The columns are flat, its share, the running share, cum, its share, and the
 * name. Scripts parse this table, so it matches jeprof: rows are sorted by
 * signed value, then by name; shares refer to the filtered samples, the total
 * to all samples. An address without a name is a row.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "profile/legacy/heap_values.h"
#include "report/graph/trim.h"
#include "report/text/top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL 32

struct row {
    int64_t first; /* sort key */
    struct cp_str name;
    uint32_t node;
};

/* Unit of the shown values. */
struct scale {
    double divisor;
    int decimals;
    const char *unit;
};

static bool is_type(const struct cp_report *r, const char *end)
{
    size_t len = strlen(r->sample_type), n = strlen(end);

    return len >= n && strcmp(r->sample_type + len - n, end) == 0;
}

static struct scale scale_of(const struct cp_report *r)
{
    bool is_byte_part;
    struct scale s = { .divisor = cp_legacy_heap_unit_parts(r->sample_unit,
                                                            &is_byte_part) };

    s.divisor *= r->options.divide_by;
    if (is_byte_part || strcmp(r->sample_unit, "bytes") == 0) {
        s.unit = r->options.show_bytes ? "B" : "MB";
        s.divisor *= r->options.show_bytes ? 1 : 1 << 20;
        s.decimals = r->options.show_bytes ? 0 : 1;
    } else if (strcmp(r->sample_unit, "nanoseconds") == 0) {
        s.unit = "seconds";
        s.divisor *= 1e9;
        s.decimals = 3;
    } else {
        s.unit = is_type(r, "objects") ? "objects" : "samples";
    }
    return s;
}

/* Formats a value: truncated to an integer, or rounded to decimals. */
static void value_text(const struct scale *s, int64_t value, char *out)
{
    double scaled = (double)value / s->divisor;

    if (s->decimals == 0)
        (void)snprintf(out, CELL, "%lld", (long long)cp_to_int64(scaled));
    else
        (void)snprintf(out, CELL, "%.*f", s->decimals, scaled);
}

static void share_text(int64_t value, int64_t total, char *out)
{
    if (total != 0)
        (void)snprintf(out, CELL, "%.1f%%",
                       (double)value * 100 / (double)total);
    else
        (void)snprintf(out, CELL, "%s", value == 0 ? "nan" : "+inf");
}

/* Formats "00005608a63ec1ab make_big leaky.c:6"; unknown parts are omitted. */
static struct cp_str row_name(struct cp_graph *g, uint32_t node,
                              struct cp_arena *arena, struct cp_error *err)
{
    const struct cp_profile *p = g->report->profile;
    const struct cp_node_info *i = &g->frames->infos[g->nodes[node].info];
    enum cp_granularity by = g->report->options.granularity;
    bool has_file = i->file != 0 || by < CP_BY_FILES;
    char address[CELL] = "", nameless[CELL] = "";
    const char *text;

    if ((i->name != 0 || i->address == 0) && has_file)
        return cp_graph_name(g, node);
    if (by == CP_BY_ADDRESSES)
        (void)snprintf(address, sizeof(address), "%016llx ",
                       (unsigned long long)i->address);
    if (i->name == 0 && i->address != 0)
        (void)snprintf(nameless, sizeof(nameless), "0x%016llx",
                       (unsigned long long)i->address);
    text = cp_arena_printf(
        arena, err, "%s%s%s%s", address,
        i->name != 0 ? cp_profile_cstr(p, i->name) : nameless,
        has_file || (i->name == 0 && i->address == 0) ? "" : " ",
        has_file                          ? ""
        : i->name != 0 || i->address == 0 ? "??:?"
                                          : "??:0");
    return (struct cp_str){ text, text ? (uint32_t)strlen(text) : 0 };
}

static int by_value(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order;

    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    order = cp_str_cmp(x->name, y->name);
    return order ? order : x->node < y->node ? -1 : 1;
}

static void write_row(const struct cp_graph *g, const struct row *row,
                      const struct scale *s, int64_t sums[2],
                      struct cp_out *out)
{
    const struct cp_node *n = &g->nodes[row->node];
    int64_t flat = cp_node_flat(n), cum = cp_node_cum(n);
    char cells[5][CELL];

    sums[0] = cp_add(sums[0], flat);
    value_text(s, flat, cells[0]);
    share_text(flat, sums[1], cells[1]);
    share_text(sums[0], sums[1], cells[2]);
    value_text(s, cum, cells[3]);
    share_text(cum, sums[1], cells[4]);
    cp_out_printf(out, "%8s %6s %6s %8s %6s ", cells[0], cells[1], cells[2],
                  cells[3], cells[4]);
    cp_out_str(out, row->name);
    cp_out_char(out, '\n');
}

/* Returns the sum of the filtered samples. */
static int64_t sum_of_samples(const struct cp_report *r)
{
    int64_t sum = 0, all_div = 0;

    for (uint32_t i = 0; i < r->profile->n_samples; i++) {
        int64_t div;

        sum = cp_add(sum, cp_report_sample(r, i, &div));
        all_div = cp_add(all_div, div);
    }
    return cp_report_mean(sum, all_div);
}

static void write_total(const struct cp_report *r, const struct scale *s,
                        struct cp_out *out)
{
    const char *thread = r->options.thread;
    char text[CELL];

    value_text(s, r->net, text);
    cp_out_cstr(out, "Total");
    if (*thread)
        cp_out_printf(out, " (t%s)", thread);
    cp_out_printf(out, ": %s %s\n", text, s->unit);
}

enum cp_status cp_write_top_jeprof(struct cp_report *r, struct cp_trimmed *t,
                                   struct cp_out *out, struct cp_error *err)
{
    struct cp_graph *g = &t->graph;
    struct row *rows = cp_alloc(g->n_order, sizeof(*rows), err);
    struct scale s = scale_of(r);
    int64_t sums[2] = { 0, sum_of_samples(r) };

    if (!rows)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < g->n_order; i++) {
        const struct cp_node *n = &g->nodes[g->order[i]];

        rows[i] =
            (struct row){ .node = g->order[i],
                          .name = row_name(g, g->order[i], &r->arena, err),
                          .first = r->options.cum_sort ? cp_node_cum(n)
                                                       : cp_node_flat(n) };
        if (!rows[i].name.ptr) {
            cp_free(rows);
            return CP_ENOMEM;
        }
    }
    qsort(rows, g->n_order, sizeof(*rows), by_value);
    write_total(r, &s, out);
    for (uint32_t i = 0; i < g->n_order; i++)
        write_row(g, &rows[i], &s, sums, out);
    cp_free(rows);
    return CP_OK;
}
