/*
 * dot_tags.c - writes nodelets in Graphviz's language.
 *
 * A node has at max_value four boxes. More than four numbers are grouped into
 * four ranges around the heaviest ones.
 */
#include "report/picture/dot_tags.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/units.h"
#include "report/graph/trim.h"
#include "report/picture/dot_text.h"

#define MAX_TAGS 4

struct tag_writer {
    const struct cp_report *r;
    struct cp_out *out;
    bool by_flat; /* inner nodes show flat, leaves cum */
    struct cp_error *err;
};

/* A box of numbers: one number, or a range. */
struct range {
    char name[2 * CP_LABEL_BYTES + 2];
    int64_t flat, cum;
};

static int by_cum(const void *a, const void *b)
{
    const struct cp_tag *x = a, *y = b;

    if (cp_abs(x->cum) != cp_abs(y->cum))
        return cp_abs(x->cum) > cp_abs(y->cum) ? -1 : 1;
    if (cp_abs(x->flat) != cp_abs(y->flat))
        return cp_abs(x->flat) > cp_abs(y->flat) ? -1 : 1;
    return cp_str_cmp(x->name, y->name);
}

static int by_flat(const void *a, const void *b)
{
    const struct cp_tag *x = a, *y = b;

    if (cp_abs(x->flat) != cp_abs(y->flat))
        return cp_abs(x->flat) > cp_abs(y->flat) ? -1 : 1;
    return cp_str_cmp(x->name, y->name);
}

static int64_t tag_flat(const struct cp_tag *t)
{
    return cp_report_mean(t->flat, t->flat_div);
}

static int64_t tag_cum(const struct cp_tag *t)
{
    return cp_report_mean(t->cum, t->cum_div);
}

static const char *number_unit(const struct cp_report *r)
{
    uint32_t bytes = cp_strtab_find(&r->profile->strings, "bytes", 5);

    return cp_profile_cstr(r->profile, r->label_units.unit[bytes]);
}

static void write_value(const struct tag_writer *w, const char *text)
{
    cp_dot_raw(w->out, (struct cp_str){ text, (uint32_t)strlen(text) },
               w->r->options.is_drawn);
}

static void write_box(const struct tag_writer *w, const char *source,
                      const char *box, struct cp_str name, int64_t value,
                      const char *style)
{
    char text[CP_LABEL_BYTES];

    cp_report_value(w->r, value, text);
    cp_out_printf(w->out, "%s [label = \"", box);
    cp_dot_labels(w->out, name, w->r->options.is_drawn);
    cp_out_printf(w->out, "\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"",
                  box);
    write_value(w, text);
    cp_out_printf(w->out, "\"]\n%s -> %s [label=\" ", source, box);
    write_value(w, text);
    cp_out_cstr(w->out, "\" weight=100 tooltip=\"");
    write_value(w, text);
    cp_out_cstr(w->out, "\" labeltooltip=\"");
    write_value(w, text);
    cp_out_printf(w->out, "\"%s]\n", style);
}

/* Makes the range of the tags whose group is `group`. */
static struct range make_range(const struct tag_writer *w,
                               const struct cp_tag *tags, const uint8_t *groups,
                               uint32_t n, uint8_t group)
{
    const char *unit = number_unit(w->r);
    const struct cp_tag *min_value = NULL, *max_value = NULL;
    int64_t flat = 0, flat_div = 0, cum = 0, cum_div = 0;
    char low[CP_LABEL_BYTES], high[CP_LABEL_BYTES];
    struct range range = { .name = "" };

    for (uint32_t i = 0; i < n; i++) {
        if (groups[i] != group)
            continue;
        if (!min_value || tags[i].value < min_value->value)
            min_value = &tags[i];
        if (!max_value || tags[i].value > max_value->value)
            max_value = &tags[i];
        flat = cp_add(flat, tags[i].flat);
        flat_div = cp_add(flat_div, tags[i].flat_div);
        cum = cp_add(cum, tags[i].cum);
        cum_div = cp_add(cum_div, tags[i].cum_div);
    }
    if (min_value) {
        cp_unit_label(min_value->value, unit, "auto", low);
        cp_unit_label(max_value->value, unit, "auto", high);
        (void)snprintf(range.name, sizeof(range.name), "%s%s%s", low,
                       min_value == max_value ? "" : "..",
                       min_value == max_value ? "" : high);
    }
    range.flat = cp_report_mean(flat, flat_div);
    range.cum = cp_report_mean(cum, cum_div);
    return range;
}

static double distance(int64_t a, int64_t b)
{
    return fabs((double)a - (double)b);
}

/*
 * Returns the index of the nearest seed in value; the first four tags are
 * seeds.
 */
static uint8_t nearest_seed(const struct cp_tag *tags, uint32_t i)
{
    uint8_t best = 0;

    if (i < MAX_TAGS)
        return (uint8_t)i;
    for (uint8_t k = 1; k < MAX_TAGS; k++)
        if (distance(tags[i].value, tags[k].value) <
            distance(tags[i].value, tags[best].value))
            best = k;
    return best;
}

static bool range_before(const struct tag_writer *w, const struct range *a,
                         const struct range *b)
{
    if (!w->by_flat && cp_abs(a->cum) != cp_abs(b->cum))
        return cp_abs(a->cum) > cp_abs(b->cum);
    if (cp_abs(a->flat) != cp_abs(b->flat))
        return cp_abs(a->flat) > cp_abs(b->flat);
    return strcmp(a->name, b->name) < 0;
}

static void sort_ranges(const struct tag_writer *w, struct range *ranges)
{
    for (int i = 1; i < MAX_TAGS; i++) {
        struct range r = ranges[i];
        int k = i;

        for (; k > 0 && range_before(w, &r, &ranges[k - 1]); k--)
            ranges[k] = ranges[k - 1];
        ranges[k] = r;
    }
}

static bool write_number(const struct tag_writer *w, const char *source,
                         uint32_t i, struct cp_str name, int64_t flat,
                         int64_t cum)
{
    bool is_flat = w->by_flat || flat == cum;
    char box[64];

    if ((is_flat ? flat : cum) == 0)
        return false;
    (void)snprintf(box, sizeof(box), "N%s_%u", source, i);
    write_box(w, source, box, name, is_flat ? flat : cum,
              is_flat ? "" : " style=\"dotted\"");
    return true;
}

/* Writes the numbers below `source`; tags are sorted. */
static bool write_numbers(const struct tag_writer *w, const char *source,
                          const struct cp_tag *tags, uint32_t n)
{
    struct range ranges[MAX_TAGS];
    uint8_t *groups;
    bool any = false;

    if (n <= MAX_TAGS) {
        for (uint32_t i = 0; i < n; i++)
            any |= write_number(w, source, i, tags[i].name, tag_flat(&tags[i]),
                                tag_cum(&tags[i]));
        return any;
    }
    groups = cp_alloc(n, 1, &w->out->err);
    if (!groups)
        return false;
    for (uint32_t i = 0; i < n; i++)
        groups[i] = nearest_seed(tags, i);
    for (uint8_t k = 0; k < MAX_TAGS; k++)
        ranges[k] = make_range(w, tags, groups, n, k);
    cp_free(groups);
    sort_ranges(w, ranges);
    for (uint32_t k = 0; k < MAX_TAGS; k++) {
        struct cp_str name = { ranges[k].name,
                               (uint32_t)strlen(ranges[k].name) };

        any |= write_number(w, source, k, name, ranges[k].flat, ranges[k].cum);
    }
    return any;
}

/* Finds the tags of one group of numbers in a list sorted by group. */
static struct cp_tag *find_group(struct cp_tag *tags, uint32_t n,
                                 struct cp_str group, uint32_t *n_found)
{
    struct cp_tag *found = NULL;

    *n_found = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!tags[i].is_number || cp_str_cmp(tags[i].group, group) != 0)
            continue;
        found = found ? found : &tags[i];
        (*n_found)++;
    }
    return found;
}

static bool write_group(const struct tag_writer *w, const char *source,
                        struct cp_tag *tags, uint32_t n, struct cp_str group)
{
    uint32_t n_found;
    struct cp_tag *found = find_group(tags, n, group, &n_found);

    if (!found)
        return false;
    qsort(found, n_found, sizeof(*found), w->by_flat ? by_flat : by_cum);
    return write_numbers(w, source, found, n_found);
}

/* Writes text boxes with their numbers, then the numbers of the node itself. */
static bool write_all(const struct tag_writer *w, uint32_t number,
                      struct cp_tag *tags, uint32_t n)
{
    struct cp_str none = { "", 0 };
    char source[32], box[48];
    uint32_t n_text = 0;
    bool any = false;

    (void)snprintf(source, sizeof(source), "N%u", number);
    while (n_text < n && !tags[n_text].is_number)
        n_text++;
    qsort(tags, n_text, sizeof(*tags), w->by_flat ? by_flat : by_cum);
    for (uint32_t i = 0; i < n_text && i < MAX_TAGS; i++) {
        int64_t value = w->by_flat ? tag_flat(&tags[i]) : tag_cum(&tags[i]);

        if (value == 0)
            continue;
        (void)snprintf(box, sizeof(box), "N%u_%u", number, i);
        write_box(w, source, box, tags[i].name, value, "");
        (void)write_group(w, box, tags, n, tags[i].name);
        any = true;
    }
    return write_group(w, source, tags, n, none) || any;
}

enum cp_status cp_dot_tags(const struct cp_report *r,
                           const struct cp_trimmed *t, uint32_t node,
                           uint32_t number, struct cp_out *out, bool *any,
                           struct cp_error *err)
{
    const struct cp_graph *g = &t->graph;
    struct tag_writer w = { .r = r, .out = out, .err = err };
    struct cp_tag *copy;
    uint32_t n;
    const struct cp_tag *tags = cp_nodelets_of(&t->nodelets, node, &n);

    *any = false;
    if (n == 0)
        return CP_OK;
    copy = cp_alloc(n, sizeof(*copy), err);
    if (!copy)
        return CP_ENOMEM;
    memcpy(copy, tags, n * sizeof(*copy));
    for (uint32_t k = g->first_out[node]; k < g->first_out[node + 1]; k++)
        w.by_flat |= !g->edges[g->out[k]].is_dead;
    *any = write_all(&w, number, copy, n);
    cp_free(copy);
    return CP_OK;
}
