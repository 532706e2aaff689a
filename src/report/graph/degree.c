/* degree.c - marks the lightest edges of crowded nodes dead. */
#include "report/graph/degree.h"

#include "base/alloc.h"
#include "report/graph/graph.h"

struct degrees {
    uint32_t *in, *out; /* edges kept so far, by node */
};

static bool is_kept(const struct degrees *d, const struct cp_edge *e,
                    uint32_t max_degree)
{
    if (d->in[e->dst] == 0)
        return true;
    return d->in[e->dst] < max_degree && d->out[e->src] < max_degree;
}

static void choose(struct cp_graph *g, const uint32_t *list, uint32_t n,
                   const struct degrees *d, uint32_t max_degree)
{
    for (uint32_t i = 0; i < n; i++) {
        struct cp_edge *e = &g->edges[list[i]];

        if (!is_kept(d, e, max_degree)) {
            e->is_dead = true;
            continue;
        }
        d->in[e->dst]++;
        d->out[e->src]++;
    }
}

enum cp_status cp_degree_limit(struct cp_graph *g, uint32_t max_degree,
                               struct cp_error *err)
{
    struct degrees d = {
        .in = cp_alloc(g->n_nodes, sizeof(*d.in), err),
        .out = cp_alloc(g->n_nodes, sizeof(*d.out), err),
    };
    enum cp_status status = d.in && d.out ? CP_OK : CP_ENOMEM;
    uint32_t *list, n;

    if (status == CP_OK)
        status = cp_graph_sorted_all(g, &list, &n, err);
    if (status == CP_OK)
        choose(g, list, n, &d, max_degree);
    cp_free(d.in);
    cp_free(d.out);
    return status;
}
