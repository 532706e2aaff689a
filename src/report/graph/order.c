/*
 * order.c - compares and sorts nodes.
 *
 * The entropy order prefers nodes whose calls spread out. A node with one
 * caller and one callee adds little to its neighbours.
 */
#include "report/graph/order.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "report/graph/graph.h"

struct key {
    int64_t first, second;
    struct cp_str name;
    uint32_t node;
};

static double term(int64_t weight, int64_t total)
{
    double fraction = (double)cp_abs(weight) / (double)total;

    return -fraction * log2(fraction);
}

static double edge_entropy(const struct cp_graph *g, const uint32_t *edges,
                           uint32_t n, int64_t self)
{
    int64_t total = self;
    double score = 0;

    for (uint32_t i = 0; i < n; i++)
        if (!g->edges[edges[i]].is_dead && g->edges[edges[i]].weight > 0)
            total = cp_add(total, g->edges[edges[i]].weight);
    if (total == 0)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (!g->edges[edges[i]].is_dead)
            score += term(g->edges[edges[i]].weight, total);
    return self > 0 ? score + term(self, total) : score;
}

static uint32_t count_alive(const struct cp_graph *g, const uint32_t *edges,
                            uint32_t n)
{
    uint32_t alive = 0;

    for (uint32_t i = 0; i < n; i++)
        alive += !g->edges[edges[i]].is_dead;
    return alive;
}

static int64_t entropy_score(const struct cp_graph *g, uint32_t node)
{
    const uint32_t *in = g->in + g->first_in[node];
    const uint32_t *out = g->out + g->first_out[node];
    uint32_t n_in = g->first_in[node + 1] - g->first_in[node];
    uint32_t n_out = g->first_out[node + 1] - g->first_out[node];
    const struct cp_node *n = &g->nodes[node];
    double score = 0;

    score += count_alive(g, in, n_in) ? edge_entropy(g, in, n_in, 0) : 1;
    score +=
        count_alive(g, out, n_out) ? edge_entropy(g, out, n_out, n->flat) : 1;
    return cp_add(cp_to_int64(score * (double)n->cum), n->flat);
}

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order;

    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    order = cp_str_cmp(x->name, y->name);
    if (order != 0)
        return order;
    if (x->second != y->second)
        return x->second > y->second ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

enum cp_status cp_graph_sort(struct cp_graph *g, enum cp_order order,
                             struct cp_error *err)
{
    struct key *keys = cp_alloc(g->n_order, sizeof(*keys), err);

    if (!keys)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < g->n_order; i++) {
        const struct cp_node *n = &g->nodes[g->order[i]];
        bool by_cum = order == CP_ORDER_CUM;

        keys[i].node = g->order[i];
        keys[i].name = cp_graph_name(g, keys[i].node);
        keys[i].first = cp_abs(by_cum ? n->cum : n->flat);
        keys[i].second = cp_abs(by_cum ? n->flat : n->cum);
        if (order == CP_ORDER_ENTROPY) {
            keys[i].first = cp_abs(entropy_score(g, keys[i].node));
            keys[i].second = cp_abs(n->flat);
        }
    }
    qsort(keys, g->n_order, sizeof(*keys), by_key);
    for (uint32_t i = 0; i < g->n_order; i++)
        g->order[i] = keys[i].node;
    cp_free(keys);
    return CP_OK;
}
