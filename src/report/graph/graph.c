/* graph.c - builds a graph from the sums of a walk, and sorts its edges. */
#include "report/graph/graph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"
#include "report/graph/walk.h"

static struct cp_node node_of(const struct cp_walk *w,
                              const struct cp_graph_want *want, uint32_t i)
{
    struct cp_node node = { .info = i };

    if (want->known && (!want->kept || want->kept[i])) {
        node = want->known[i];
        node.name = (struct cp_str){ NULL, 0 };
    } else if (!want->known) {
        node.flat = w->values[i].flat;
        node.cum = w->values[i].cum;
        node.flat_div = w->divs ? w->divs[i].flat : 0;
        node.cum_div = w->divs ? w->divs[i].cum : 0;
    }
    return node;
}

static enum cp_status take_nodes(struct cp_graph *g, const struct cp_walk *w,
                                 const struct cp_graph_want *want,
                                 struct cp_error *err)
{
    g->n_nodes = g->frames->n_infos;
    g->nodes = cp_arena_alloc(&g->arena, g->n_nodes, sizeof(*g->nodes), err);
    if (!g->nodes)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        g->nodes[i] = node_of(w, want, i);
    return CP_OK;
}

/*
 * Sorts the edges by caller and callee, because the order of the hash table is
 * arbitrary.
 */
static enum cp_status sort_edges(struct cp_graph *g, const struct cp_walk *w,
                                 struct cp_error *err)
{
    struct cp_sort_pair *order = cp_alloc(w->n_edges, sizeof(*order), err);
    enum cp_status status = CP_ENOMEM;

    g->edges = cp_arena_alloc(&g->arena, w->n_edges, sizeof(*g->edges), err);
    for (uint32_t i = 0; order && i < w->n_edges; i++)
        order[i] = (struct cp_sort_pair){
            (uint64_t)w->edges[i].src * g->n_nodes + w->edges[i].dst, i
        };
    if (order && g->edges)
        status = cp_sort_pairs(order, w->n_edges, err);
    if (status == CP_OK)
        g->n_edges = w->n_edges;
    for (uint32_t i = 0; i < g->n_edges; i++)
        g->edges[i] = w->edges[order[i].value];
    cp_free(order);
    return status;
}

enum cp_status cp_graph_build(struct cp_graph *g, const struct cp_report *r,
                              const struct cp_frames *f,
                              struct cp_graph_want want, struct cp_error *err)
{
    struct cp_walk walk = { 0 };
    enum cp_status status = cp_walk(&walk, r, f, want, err);

    if (status != CP_OK)
        return status;
    *g = (struct cp_graph){ .report = r, .frames = f };
    if (take_nodes(g, &walk, &want, err) != CP_OK ||
        sort_edges(g, &walk, err) != CP_OK ||
        cp_graph_index_edges(g, err) != CP_OK ||
        cp_graph_select(g, err) != CP_OK) {
        cp_graph_release(g);
        status = CP_ENOMEM;
    }
    cp_walk_release(&walk);
    return status;
}

void cp_graph_release(struct cp_graph *g)
{
    cp_arena_release(&g->arena);
    *g = (struct cp_graph){ 0 };
}

/* Lists edge numbers by one of their ends. */
static enum cp_status index_by(struct cp_graph *g, bool incoming,
                               struct cp_error *err)
{
    uint32_t *first =
        cp_arena_alloc(&g->arena, (size_t)g->n_nodes + 2, sizeof(*first), err);
    uint32_t *list = cp_arena_alloc(&g->arena, g->n_edges, sizeof(*list), err);

    if (!first || !list)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < g->n_edges; i++)
        if (!g->edges[i].is_dead)
            first[(incoming ? g->edges[i].dst : g->edges[i].src) + 2]++;
    for (uint32_t i = 2; i < g->n_nodes + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < g->n_edges; i++)
        if (!g->edges[i].is_dead)
            list[first[(incoming ? g->edges[i].dst : g->edges[i].src) + 1]++] =
                i;
    *(incoming ? &g->first_in : &g->first_out) = first;
    *(incoming ? &g->in : &g->out) = list;
    return CP_OK;
}

enum cp_status cp_graph_index_edges(struct cp_graph *g, struct cp_error *err)
{
    if (index_by(g, true, err) != CP_OK)
        return CP_ENOMEM;
    return index_by(g, false, err);
}

enum cp_status cp_graph_select(struct cp_graph *g, struct cp_error *err)
{
    bool drop_negative = g->report->options.drop_negative;

    g->order = cp_arena_alloc(&g->arena, g->n_nodes, sizeof(*g->order), err);
    if (!g->order)
        return CP_ENOMEM;
    g->n_order = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct cp_node *n = &g->nodes[i];

        if (n->flat == 0 && n->cum == 0)
            continue;
        if (drop_negative && (n->flat < 0 || (n->flat == 0 && n->cum < 0)))
            continue;
        g->order[g->n_order++] = i;
    }
    return CP_OK;
}

struct cp_str cp_graph_name(struct cp_graph *g, uint32_t node)
{
    struct cp_node *n = &g->nodes[node];

    if (!n->name.ptr)
        n->name = cp_frames_name(g->report->profile, &g->frames->infos[n->info],
                                 &g->arena, NULL);
    if (n->name.ptr)
        return n->name;
    g->is_short_of_memory = true;
    return (struct cp_str){ "", 0 };
}

static int by_weight(const void *a, const void *b, void *context)
{
    struct cp_graph *g = context;
    const struct cp_edge *x = &g->edges[*(const uint32_t *)a];
    const struct cp_edge *y = &g->edges[*(const uint32_t *)b];
    int order;

    if (cp_abs(x->weight) != cp_abs(y->weight))
        return cp_abs(x->weight) > cp_abs(y->weight) ? -1 : 1;
    if (x->weight != y->weight) /* google/pprof leaves this order undefined */
        return x->weight > y->weight ? -1 : 1;
    order = cp_str_cmp(cp_graph_name(g, x->src), cp_graph_name(g, y->src));
    if (order == 0)
        order = cp_str_cmp(cp_graph_name(g, x->dst), cp_graph_name(g, y->dst));
    if (order == 0)
        order = x < y ? -1 : 1;
    return order;
}

/* Copies the live ones of n edges (all edges if NULL) and sorts them. */
static enum cp_status sorted_copy(struct cp_graph *g, const uint32_t *edges,
                                  uint32_t n_all, uint32_t **list, uint32_t *n,
                                  struct cp_error *err)
{
    *n = 0;
    *list = cp_arena_alloc(&g->arena, n_all, sizeof(**list), err);
    if (!*list)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n_all; i++) {
        uint32_t edge = edges ? edges[i] : i;

        if (!g->edges[edge].is_dead)
            (*list)[(*n)++] = edge;
    }
    qsort_r(*list, *n, sizeof(**list), by_weight, g);
    return CP_OK;
}

enum cp_status cp_graph_sorted_edges(struct cp_graph *g, uint32_t node,
                                     bool incoming, uint32_t **list,
                                     uint32_t *n, struct cp_error *err)
{
    const uint32_t *first = incoming ? g->first_in : g->first_out;

    return sorted_copy(g, (incoming ? g->in : g->out) + first[node],
                       first[node + 1] - first[node], list, n, err);
}

enum cp_status cp_graph_sorted_all(struct cp_graph *g, uint32_t **list,
                                   uint32_t *n, struct cp_error *err)
{
    return sorted_copy(g, NULL, g->n_edges, list, n, err);
}
