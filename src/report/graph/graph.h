/*
 * graph - functions and calls, with weights.
 *
 * frames.h maps locations to infos. Node i is info i, except in a call tree,
 * where an info has a node for each path to it. Flat is the value of samples
 * that end in a node; cum is the value of samples that contain it, counted once
 * per sample even if it recurses. An edge that skips dropped nodes is residual.
 * An edge is inline if all its calls were inlined.
 *
 * Edges may lead to nodes that are not in `order` (a diff that cancels out);
 * google/pprof shows those too.
 */
#ifndef CP_GRAPH_H
#define CP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "report/core/frames.h"
#include "report/core/report.h"

struct cp_node {
    uint32_t info;
    int64_t flat, flat_div, cum, cum_div;
    struct cp_str name; /* printable; ptr is NULL until first used */
};

struct cp_edge {
    uint32_t src, dst;
    int64_t weight, weight_div;
    bool is_residual, is_inline, is_dead;
};

/* Initialize with { 0 }. */
struct cp_graph {
    const struct cp_report *report;
    const struct cp_frames *frames;
    struct cp_node *nodes;
    uint32_t n_nodes;
    uint32_t *order; /* nodes with a value, in the order of the report */
    uint32_t n_order;
    struct cp_edge *edges;
    uint32_t n_edges;
    uint32_t *first_in, *in;   /* edges by destination, n_nodes + 1 */
    uint32_t *first_out, *out; /* edges by source */
    bool is_short_of_memory;   /* a name could not be allocated */
    /* Only for a tree, and never trimmed: */
    uint32_t *tree_parent; /* indexed by node, CP_NONE for a root */
    uint32_t *tree_leaf;   /* indexed by sample, CP_NONE for none */
    struct cp_arena arena;
};

enum { CP_WANT_IN = 1, CP_WANT_OUT = 2, CP_WANT_EDGES = 3 };

/* Which parts of a graph to build; arrays are by info. */
struct cp_graph_want {
    const bool *kept;     /* drops other nodes; NULL keeps all */
    const uint8_t *edges; /* CP_WANT_ bits; NULL for no edges */
    /*
     * Sums of all nodes from an earlier graph, which do not depend on `kept`;
     * NULL to compute them.
     */
    const struct cp_node *known;
};

/*
 * Builds the graph of all samples. Edges cost more than nodes, so request only
 * the edges that the report needs.
 */
enum cp_status cp_graph_build(struct cp_graph *g, const struct cp_report *r,
                              const struct cp_frames *f,
                              struct cp_graph_want want, struct cp_error *err);

/* Builds the call tree: a node for each path. */
enum cp_status cp_graph_build_tree(struct cp_graph *g,
                                   const struct cp_report *r,
                                   const struct cp_frames *f,
                                   struct cp_error *err);

void cp_graph_release(struct cp_graph *g);

/* Rebuilds the lists of edges by node, without dead edges. */
enum cp_status cp_graph_index_edges(struct cp_graph *g, struct cp_error *err);

/* Fills `order` with the nodes that have a value. */
enum cp_status cp_graph_select(struct cp_graph *g, struct cp_error *err);

/*
 * Returns the node's printable name. If memory is exhausted, returns "" and
 * sets is_short_of_memory.
 */
struct cp_str cp_graph_name(struct cp_graph *g, uint32_t node);

/* Returns sorted copies of a node's live edges, heaviest first. */
enum cp_status cp_graph_sorted_edges(struct cp_graph *g, uint32_t node,
                                     bool incoming, uint32_t **list,
                                     uint32_t *n, struct cp_error *err);

/* Returns sorted copies of all live edges of the graph, heaviest first. */
enum cp_status cp_graph_sorted_all(struct cp_graph *g, uint32_t **list,
                                   uint32_t *n, struct cp_error *err);

static inline int64_t cp_node_flat(const struct cp_node *n)
{
    return cp_report_mean(n->flat, n->flat_div);
}

static inline int64_t cp_node_cum(const struct cp_node *n)
{
    return cp_report_mean(n->cum, n->cum_div);
}

static inline int64_t cp_edge_weight(const struct cp_edge *e)
{
    return cp_report_mean(e->weight, e->weight_div);
}

#endif
