/*
 * call_tree.c - builds the call tree: one node for each path from the root.
 *
 * Parents are created before their children, so a node's number is greater than
 * its parent's. trim.c relies on that.
 */

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/number.h"
#include "report/graph/graph.h"

struct tree_builder {
    struct cp_graph *g;
    size_t cap_nodes, cap_edges;
    uint32_t *parent_edge; /* indexed by node, edge + 1 */
    size_t cap_parent;
    uint32_t *slots; /* node + 1, hashed by parent and info */
    uint32_t mask;
    struct cp_error *err;
};

static uint32_t parent_of(const struct tree_builder *t, uint32_t node)
{
    uint32_t edge = t->parent_edge[node];

    return edge ? t->g->edges[edge - 1].src : CP_NONE;
}

static uint32_t *find_slot(const struct tree_builder *t, uint32_t parent,
                           uint32_t info)
{
    uint32_t i = (uint32_t)cp_hash_mix(parent, info) & t->mask;

    for (; t->slots[i]; i = (i + 1) & t->mask) {
        uint32_t node = t->slots[i] - 1;

        if (t->g->nodes[node].info == info && parent_of(t, node) == parent)
            break;
    }
    return &t->slots[i];
}

static enum cp_status grow(struct tree_builder *t)
{
    struct cp_graph *g = t->g;
    uint32_t n = t->slots ? (t->mask + 1) * 2 : 1024;

    if (cp_arena_reserve(&g->arena, &g->nodes, g->n_nodes, &t->cap_nodes,
                         (size_t)g->n_nodes + 1, sizeof(*g->nodes),
                         t->err) != CP_OK ||
        cp_arena_reserve(&g->arena, &g->edges, g->n_edges, &t->cap_edges,
                         (size_t)g->n_edges + 1, sizeof(*g->edges),
                         t->err) != CP_OK ||
        cp_reserve(&t->parent_edge, &t->cap_parent, (size_t)g->n_nodes + 1,
                   sizeof(*t->parent_edge), t->err) != CP_OK)
        return CP_ENOMEM;
    if (t->slots && g->n_nodes < t->mask / 2)
        return CP_OK;
    if (n == 0)
        return cp_error_nomem(t->err);
    cp_free(t->slots);
    t->slots = cp_alloc(n, sizeof(*t->slots), t->err);
    if (!t->slots)
        return CP_ENOMEM;
    t->mask = n - 1;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        *find_slot(t, parent_of(t, i), g->nodes[i].info) = i + 1;
    return CP_OK;
}

/*
 * Returns the child of parent for this info, created if new; CP_NONE on
 * failure.
 */
static uint32_t child(struct tree_builder *t, uint32_t parent, uint32_t info)
{
    struct cp_graph *g = t->g;
    uint32_t *slot;

    if (grow(t) != CP_OK)
        return CP_NONE;
    slot = find_slot(t, parent, info);
    if (*slot)
        return *slot - 1;
    *slot = g->n_nodes + 1;
    g->nodes[g->n_nodes] = (struct cp_node){ .info = info };
    t->parent_edge[g->n_nodes] = 0;
    if (parent != CP_NONE) {
        g->edges[g->n_edges++] = (struct cp_edge){ .src = parent,
                                                   .dst = g->n_nodes,
                                                   .is_inline = true };
        t->parent_edge[g->n_nodes] = g->n_edges;
    }
    return g->n_nodes++;
}

static enum cp_status add_sample(struct tree_builder *t, uint32_t number)
{
    struct cp_graph *g = t->g;
    const struct cp_frames *f = g->frames;
    const struct cp_profile *p = g->report->profile;
    const uint32_t *stack = cp_profile_stack(p, number);
    uint32_t at = CP_NONE;
    int64_t div, value = cp_report_sample(g->report, number, &div);

    g->tree_leaf[number] = CP_NONE;
    if (value == 0 && div == 0)
        return CP_OK;
    for (uint32_t k = p->samples[number].n_locs; k > 0; k--) {
        uint32_t from = f->first[stack[k - 1]], to = f->first[stack[k - 1] + 1];

        for (uint32_t j = to; j > from; j--) {
            at = child(t, at, f->nodes[j - 1]);
            if (at == CP_NONE)
                return CP_ENOMEM;
            g->nodes[at].cum = cp_add(g->nodes[at].cum, value);
            g->nodes[at].cum_div = cp_add(g->nodes[at].cum_div, div);
            if (!t->parent_edge[at])
                continue;
            struct cp_edge *e = &g->edges[t->parent_edge[at] - 1];
            e->weight = cp_add(e->weight, value);
            e->weight_div = cp_add(e->weight_div, div);
            e->is_inline &= j != to;
        }
    }
    g->tree_leaf[number] = at;
    if (at != CP_NONE) {
        g->nodes[at].flat = cp_add(g->nodes[at].flat, value);
        g->nodes[at].flat_div = cp_add(g->nodes[at].flat_div, div);
    }
    return CP_OK;
}

static enum cp_status note_parents(struct tree_builder *t)
{
    struct cp_graph *g = t->g;

    g->tree_parent =
        cp_arena_alloc(&g->arena, g->n_nodes, sizeof(*g->tree_parent), t->err);
    for (uint32_t i = 0; g->tree_parent && i < g->n_nodes; i++)
        g->tree_parent[i] = parent_of(t, i);
    return g->tree_parent ? CP_OK : CP_ENOMEM;
}

enum cp_status cp_graph_build_tree(struct cp_graph *g,
                                   const struct cp_report *r,
                                   const struct cp_frames *f,
                                   struct cp_error *err)
{
    struct tree_builder t = { .g = g, .err = err };
    enum cp_status status = CP_OK;

    *g = (struct cp_graph){ .report = r, .frames = f };
    g->tree_leaf = cp_arena_alloc(&g->arena, r->profile->n_samples,
                                  sizeof(*g->tree_leaf), err);
    if (!g->tree_leaf)
        return CP_ENOMEM;
    for (uint32_t i = 0; status == CP_OK && i < r->profile->n_samples; i++)
        status = add_sample(&t, i);
    if (status == CP_OK)
        status = note_parents(&t);
    if (status == CP_OK)
        status = cp_graph_index_edges(g, err);
    if (status == CP_OK)
        status = cp_graph_select(g, err);
    cp_free(t.parent_edge);
    cp_free(t.slots);
    if (status != CP_OK)
        cp_graph_release(g);
    return status;
}
