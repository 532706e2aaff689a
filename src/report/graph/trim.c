/*
 * trim.c - drops nodes and edges in three steps.
 *
 * First light nodes by cum, then the nodes after node_count in the order of the
 * report, then light edges. After each step a graph is rebuilt from the
 * samples, because only they show which edges connect the remaining nodes. A
 * call tree is spliced instead.
 */
#include "report/graph/trim.h"

#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/units.h"
#include "regex/regex.h"
#include "report/graph/degree.h"
#include "report/graph/order.h"

#define MAX_NODELETS 4

struct trimmer {
    struct cp_trimmed *t;
    struct cp_report *r;
    int64_t node_cut, edge_cut;
    bool is_picture, is_tree;
    enum cp_order order;
    uint8_t *edges;        /* indexed by info: wanted edges; NULL for none */
    bool has_edges;        /* the current graph has edges */
    bool is_cut;           /* nodes were dropped: use kept */
    bool *kept;            /* indexed by node */
    struct cp_node *known; /* sums of all nodes, once computed */
    struct cp_error *err;
};

static int64_t fraction_of(int64_t total, double fraction)
{
    return cp_abs(cp_to_int64((double)total * fraction));
}

static enum cp_status save_sums(struct trimmer *m)
{
    const struct cp_graph *g = &m->t->graph;

    m->known = cp_alloc(g->n_nodes, sizeof(*m->known), m->err);
    if (!m->known)
        return CP_ENOMEM;
    if (g->n_nodes)
        memcpy(m->known, g->nodes, g->n_nodes * sizeof(*m->known));
    return CP_OK;
}

static enum cp_status build(struct trimmer *m, bool with_edges)
{
    struct cp_trimmed *t = m->t;
    struct cp_graph_want want = { .kept = m->is_cut ? m->kept : NULL,
                                  .edges = with_edges ? m->edges : NULL,
                                  .known = m->known };
    enum cp_status status;

    cp_graph_release(&t->graph);
    m->has_edges = with_edges || m->is_tree;
    if (m->is_tree)
        return cp_graph_build_tree(&t->graph, m->r, &t->frames, m->err);
    status = cp_graph_build(&t->graph, m->r, &t->frames, want, m->err);
    return status == CP_OK && !m->known ? save_sums(m) : status;
}

/* Removes dropped nodes from `order`. */
static void filter_order(struct trimmer *m)
{
    struct cp_graph *g = &m->t->graph;
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->n_order; i++)
        if (m->kept[g->order[i]])
            g->order[n++] = g->order[i];
    g->n_order = n;
}

/*
 * Removes the dropped nodes of a tree. Their children move to the nearest kept
 * ancestor, by residual edges.
 */
static enum cp_status splice(struct trimmer *m)
{
    struct cp_graph *g = &m->t->graph;
    uint32_t *edge_of = cp_alloc(g->n_nodes, sizeof(*edge_of), m->err);

    if (!edge_of)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < g->n_edges; i++)
        if (!g->edges[i].is_dead)
            edge_of[g->edges[i].dst] = i + 1;
    for (uint32_t i = 0; i < g->n_nodes; i++) { /* parents come first */
        struct cp_edge *e = edge_of[i] ? &g->edges[edge_of[i] - 1] : NULL;

        if (!e || m->kept[e->src])
            continue;
        if (!edge_of[e->src]) {
            e->is_dead = true;
            edge_of[i] = 0;
            continue;
        }
        const struct cp_edge *up = &g->edges[edge_of[e->src] - 1];
        e->src = up->src;
        e->is_residual = true;
        e->is_inline &= up->is_inline;
    }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!m->kept[i] && edge_of[i])
            g->edges[edge_of[i] - 1].is_dead = true;
    cp_free(edge_of);
    filter_order(m);
    return cp_graph_index_edges(g, m->err);
}

/*
 * Reduces the graph to the kept nodes. Their sums do not change, but the edges
 * become out of date.
 */
static enum cp_status keep_only(struct trimmer *m)
{
    m->is_cut = true;
    if (m->is_tree)
        return splice(m);
    if (m->has_edges)
        return build(m, true);
    filter_order(m);
    return CP_OK;
}

/*
 * Initializes `kept`. Nodes outside `order` count as kept: in a tree they stay.
 */
static enum cp_status begin_kept(struct trimmer *m)
{
    const struct cp_graph *g = &m->t->graph;

    cp_free(m->kept);
    m->kept = cp_alloc(g->n_nodes, sizeof(*m->kept), m->err);
    if (!m->kept)
        return CP_ENOMEM;
    for (uint32_t i = 0; m->is_tree && i < g->n_nodes; i++)
        m->kept[i] = true;
    for (uint32_t i = 0; i < g->n_order; i++)
        m->kept[g->order[i]] = false;
    return CP_OK;
}

static enum cp_status drop_light_nodes(struct trimmer *m)
{
    struct cp_graph *g = &m->t->graph;
    uint32_t n = 0;

    if (m->node_cut <= 0)
        return CP_OK;
    if (begin_kept(m) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < g->n_order; i++) {
        if (cp_abs(g->nodes[g->order[i]].cum) < m->node_cut)
            continue;
        m->kept[g->order[i]] = true;
        n++;
    }
    if (n == g->n_order)
        return CP_OK;
    m->t->dropped_nodes = g->n_order - n;
    return keep_only(m);
}

static uint32_t drop_light_edges(struct trimmer *m)
{
    struct cp_graph *g = &m->t->graph;
    uint32_t dropped = 0;

    if (!m->has_edges)
        return 0;
    for (uint32_t i = 0; i < g->n_order; i++) {
        uint32_t node = g->order[i];

        for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++) {
            struct cp_edge *e = &g->edges[g->in[k]];

            if (e->is_dead || cp_abs(e->weight) >= m->edge_cut)
                continue;
            e->is_dead = true;
            dropped++;
        }
    }
    return dropped;
}

/* Returns how many of the first nodes fit the limit, each with its nodelets. */
static uint32_t count_fitting(const struct trimmer *m)
{
    const struct cp_graph *g = &m->t->graph;
    uint32_t max_nodes = (uint32_t)m->r->options.node_count, count = 0;

    for (uint32_t i = 0; m->is_picture && i < g->n_order; i++) {
        uint32_t n, shown = 0;
        const struct cp_tag *tags =
            cp_nodelets_of(&m->t->nodelets, g->order[i], &n);

        for (uint32_t k = 0; k < n; k++)
            shown += tags[k].flat != 0;
        count += (shown < MAX_NODELETS ? shown : MAX_NODELETS) + 1;
        if (count >= max_nodes) {
            max_nodes = i + 1;
            break;
        }
    }
    return max_nodes < g->n_order ? max_nodes : g->n_order;
}

static enum cp_status collect_nodelets(struct trimmer *m, uint32_t n)
{
    struct cp_graph *g = &m->t->graph;

    cp_nodelets_release(&m->t->nodelets);
    return cp_nodelets_collect(&m->t->nodelets, g,
                               n < g->n_order ? n : g->n_order, m->node_cut,
                               m->err);
}

static enum cp_status cut_list(struct trimmer *m)
{
    struct cp_graph *g = &m->t->graph;
    uint32_t n;

    if (m->r->options.node_count <= 0)
        return m->is_picture ? collect_nodelets(m, UINT32_MAX) : CP_OK;
    if (m->is_picture &&
        collect_nodelets(m, (uint32_t)m->r->options.node_count) != CP_OK)
        return CP_ENOMEM;
    (void)drop_light_edges(m);
    n = count_fitting(m);
    if (n == g->n_order)
        return CP_OK;
    if (begin_kept(m) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        m->kept[g->order[i]] = true;
    if (keep_only(m) != CP_OK)
        return CP_ENOMEM;
    return cp_graph_sort(g, m->order, m->err);
}

/* Whether src reaches dst by edges other than `without`. */
static bool is_redundant(const struct cp_graph *g, uint32_t without, bool *seen,
                         uint32_t *queue)
{
    uint32_t src = g->edges[without].src, head = 0, tail = 0;
    bool found = false;

    queue[tail++] = g->edges[without].dst;
    seen[g->edges[without].dst] = true;
    while (head < tail && !found) {
        uint32_t node = queue[head++];

        for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++) {
            const struct cp_edge *e = &g->edges[g->in[k]];

            if (e->is_dead || g->in[k] == without || seen[e->src])
                continue;
            if (e->src == src) {
                found = true;
                break;
            }
            seen[e->src] = true;
            queue[tail++] = e->src;
        }
    }
    while (tail > 0)
        seen[queue[--tail]] = false;
    return found;
}

/* Drops residual edges that a different path explains. */
static enum cp_status drop_redundant_edges(struct trimmer *m)
{
    struct cp_graph *g = &m->t->graph;
    bool *seen = cp_alloc(g->n_nodes, sizeof(*seen), m->err);
    uint32_t *queue = cp_alloc(g->n_nodes, sizeof(*queue), m->err);
    enum cp_status status = seen && queue ? CP_OK : CP_ENOMEM;

    for (uint32_t i = g->n_order; status == CP_OK && i > 0; i--) {
        uint32_t *in, n;

        status =
            cp_graph_sorted_edges(g, g->order[i - 1], true, &in, &n, m->err);
        for (; status == CP_OK && n > 0; n--) {
            if (!g->edges[in[n - 1]].is_residual)
                break;
            if (is_redundant(g, in[n - 1], seen, queue))
                g->edges[in[n - 1]].is_dead = true;
        }
    }
    cp_free(seen);
    cp_free(queue);
    return status;
}

/* Chooses one unit for the whole report, from its smallest and total value. */
static void choose_unit(struct trimmer *m)
{
    struct cp_report *r = m->r;
    const struct cp_graph *g = &m->t->graph;
    int64_t min_value = 0, max_value = r->total;
    const char *unit, *max_unit;

    if (strcmp(r->out_unit, "minimum") != 0 || g->n_order == 0)
        return;
    for (uint32_t i = 0; i < g->n_order; i++) {
        const struct cp_node *n = &g->nodes[g->order[i]];
        int64_t value = cp_abs(cp_node_flat(n));

        if (value == 0)
            value = cp_abs(cp_node_cum(n));
        if (value > 0 && (min_value == 0 || value < min_value))
            min_value = value;
    }
    if (min_value == 0)
        min_value = max_value;
    min_value = cp_report_divide(r, min_value);
    max_value = cp_report_divide(r, max_value);
    (void)cp_unit_scale(min_value, r->sample_unit, "minimum", &unit);
    (void)cp_unit_scale(max_value, r->sample_unit, "minimum", &max_unit);
    int64_t hundred = (int64_t)((uint64_t)min_value * 100);
    if (strcmp(unit, max_unit) != 0 && hundred < max_value &&
        r->options.format != CP_FORMAT_CALLGRIND)
        (void)cp_unit_scale(hundred, r->sample_unit, "minimum", &unit);
    r->out_unit = *unit ? unit : r->sample_unit;
}

/*
 * Wants the edges of nodes that are inlined somewhere, to mark them as inline.
 */
static void want_inlined(struct trimmer *m)
{
    const struct cp_frames *f = &m->t->frames;

    for (uint32_t l = 0; l < m->r->profile->n_locations; l++)
        for (uint32_t j = f->first[l]; j + 1 < f->first[l + 1]; j++)
            m->edges[f->nodes[j]] = CP_WANT_IN;
}

static enum cp_status want_matching(struct trimmer *m)
{
    struct cp_arena arena = { 0 };

    for (uint32_t i = 0; i < m->t->frames.n_infos; i++) {
        struct cp_str name = cp_frames_name(
            m->r->profile, &m->t->frames.infos[i], &arena, m->err);

        if (!name.ptr) {
            cp_arena_release(&arena);
            return CP_ENOMEM;
        }
        if (cp_regex_match(m->t->only, name.ptr, name.len))
            m->edges[i] = CP_WANT_EDGES;
    }
    cp_arena_release(&arena);
    return CP_OK;
}

/* Chooses the edges that the report needs. */
static enum cp_status choose_edges(struct trimmer *m)
{
    const struct cp_frames *f = &m->t->frames;
    enum cp_format format = m->r->options.format;

    if (format == CP_FORMAT_TOPPROTO || format == CP_FORMAT_LIST ||
        (format == CP_FORMAT_TOP && !f->any_inline))
        return CP_OK;
    m->edges = cp_alloc(f->n_infos, sizeof(*m->edges), m->err);
    if (!m->edges)
        return CP_ENOMEM;
    if (format == CP_FORMAT_TOP)
        want_inlined(m);
    else if (m->t->only)
        return want_matching(m);
    else
        memset(m->edges, CP_WANT_EDGES, f->n_infos);
    return CP_OK;
}

/* Formats all names, so that no later step can run out of memory. */
static enum cp_status name_nodes(struct trimmer *m)
{
    struct cp_graph *g = &m->t->graph;

    for (uint32_t i = 0; i < g->n_order; i++)
        (void)cp_graph_name(g, g->order[i]);
    for (uint32_t i = 0; i < g->n_edges; i++) {
        if (g->edges[i].is_dead)
            continue;
        (void)cp_graph_name(g, g->edges[i].src);
        (void)cp_graph_name(g, g->edges[i].dst);
    }
    return g->is_short_of_memory ? cp_error_nomem(m->err) : CP_OK;
}

/* Drops nodes by their sums before it counts edges, because edges cost more. */
static enum cp_status trim(struct trimmer *m)
{
    const struct cp_options *o = &m->r->options;
    struct cp_graph *g = &m->t->graph;
    int64_t total = 0;
    enum cp_status status = build(m, m->edges && o->node_fraction == 0 &&
                                         (m->is_picture || !o->node_count));

    if (status != CP_OK)
        return status;
    for (uint32_t i = 0; i < g->n_order; i++)
        total = cp_add(total, g->nodes[g->order[i]].flat);
    m->node_cut = fraction_of(total, o->node_fraction);
    m->edge_cut = fraction_of(total, o->edge_fraction);
    status = drop_light_nodes(m);
    if (status == CP_OK && m->is_picture && !m->has_edges)
        status = build(m, true); /* the entropy order needs edges */
    if (status != CP_OK)
        return status;
    m->t->n_before = g->n_order;
    if (cp_graph_sort(g, m->order, m->err) != CP_OK || cut_list(m) != CP_OK)
        return CP_ENOMEM;
    if (m->edges && !m->has_edges &&
        (build(m, true) != CP_OK ||
         cp_graph_sort(g, m->order, m->err) != CP_OK))
        return CP_ENOMEM;
    m->t->dropped_edges = drop_light_edges(m);
    if (m->is_picture)
        status = drop_redundant_edges(m);
    if (m->is_picture && status == CP_OK && o->max_degree > 0)
        status = cp_degree_limit(g, (uint32_t)o->max_degree, m->err);
    choose_unit(m);
    return status == CP_OK ? name_nodes(m) : status;
}

/* Properties that distinguish nodes in this format, beyond the granularity. */
static int keep_for(const struct cp_options *o)
{
    int nameless = o->style == CP_STYLE_JEPROF ? CP_KEEP_NAMELESS : 0;

    switch (o->format) {
    case CP_FORMAT_LIST:
    case CP_FORMAT_CALLGRIND:
        return CP_KEEP_OBJECT | CP_TRIM_PATHS;
    default:
        return CP_TRIM_PATHS | nameless;
    }
}

enum cp_status cp_trim_build(struct cp_trimmed *t, struct cp_report *r,
                             struct cp_error *err)
{
    const struct cp_options *o = &r->options;
    struct trimmer m = { .t = t, .r = r, .err = err };
    enum cp_status status;

    status = cp_frames_init(&t->frames, r, keep_for(o), err);
    if (status != CP_OK)
        return status;
    m.is_picture = o->format == CP_FORMAT_DOT;
    m.is_tree =
        o->call_tree && (m.is_picture || o->format == CP_FORMAT_CALLGRIND);
    m.order = m.is_picture  ? CP_ORDER_ENTROPY
              : o->cum_sort ? CP_ORDER_CUM
                            : CP_ORDER_FLAT;
    status = choose_edges(&m);
    if (status == CP_OK)
        status = trim(&m);
    cp_free(m.edges);
    cp_free(m.kept);
    cp_free(m.known);
    if (status != CP_OK)
        cp_trim_release(t);
    return status;
}

void cp_trim_release(struct cp_trimmed *t)
{
    cp_nodelets_release(&t->nodelets);
    cp_graph_release(&t->graph);
    cp_frames_release(&t->frames);
    *t = (struct cp_trimmed){ 0 };
}
