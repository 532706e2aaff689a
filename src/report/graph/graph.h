/*
 * graph - functions and calls, weighed.
 *
 * Nodes are what frames.h makes of locations; node i is info i, except in a
 * call tree, where an info has a node for each path to it. Flat is what ended
 * in a node, cum what passed through it (once a sample, however deep the
 * recursion). An edge that jumps over nodes left out is residual; one whose
 * every contribution was an inlined call is inline.
 *
 * Edges may lead to nodes that are not in `order` (a diff that cancelled
 * out): the reference shows those too.
 */
#ifndef CP_GRAPH_H
#define CP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strtab.h"
#include "report/core/frames.h"
#include "report/core/report.h"

struct cp_node {
    uint32_t info;
    int64_t flat, flat_div, cum, cum_div;
    struct cp_str name; /* printable; ptr is NULL until asked for */
};

struct cp_edge {
    uint32_t src, dst;
    int64_t weight, weight_div;
    bool is_residual, is_inline, is_dead;
};

/* Starts as { 0 }. */
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
    bool is_short_of_memory;   /* some name could not be made */
    /* Of a tree only, and never trimmed: */
    uint32_t *tree_parent; /* by node, CP_NONE for a root */
    uint32_t *tree_leaf;   /* by sample, CP_NONE for none */
    struct cp_arena arena;
};

enum { CP_WANT_IN = 1, CP_WANT_OUT = 2, CP_WANT_EDGES = 3 };

/* What of a graph is wanted; all are by info. */
struct cp_graph_want {
    const bool *kept;     /* other nodes are passed over; NULL keeps all */
    const uint8_t *edges; /* CP_WANT_ bits; NULL for no edges at all */
    /* The sums of all nodes, of an earlier graph; NULL to find them out. What
     * is kept does not change them. */
    const struct cp_node *known;
};

/*
 * Builds the graph of all samples. Edges cost more than nodes, so no more
 * should be asked for than the report will look at.
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

/* Makes the lists of edges by node anew, without the dead ones. */
enum cp_status cp_graph_index_edges(struct cp_graph *g, struct cp_error *err);

/* Fills `order` with the nodes that have a value. */
enum cp_status cp_graph_select(struct cp_graph *g, struct cp_error *err);

/* The node's printable name; "" when memory runs out, which is noted. */
struct cp_str cp_graph_name(struct cp_graph *g, uint32_t node);

/* Sorted copies of a node's edges, heaviest first, dead ones left out. */
enum cp_status cp_graph_sorted_edges(struct cp_graph *g, uint32_t node,
                                     bool incoming, uint32_t **list,
                                     uint32_t *n, struct cp_error *err);

/* The same for all edges of the graph. */
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
