/*
 * walk - adds samples up into nodes and edges, on all cores.
 *
 * The inner loop of every report: each frame of each sample comes by here.
 * Used by graph.c.
 */
#ifndef CP_WALK_H
#define CP_WALK_H

#include "report/graph.h"

struct cp_walk_sums {
    int64_t flat, cum;
};

struct cp_walk_edge {
    uint32_t src, dst; /* src is CP_NONE in a free place of the table */
    int64_t weight;
    uint32_t stamp; /* last sample counted in weight */
    bool is_residual, is_inline;
};

/* Starts as { 0 }. */
struct cp_walk {
    struct cp_walk_sums *values; /* by info */
    struct cp_walk_sums *divs;   /* by info; NULL without -mean */

    struct cp_walk_edge *edges; /* a hash table by source and destination */
    int64_t *edge_divs;         /* by place in it; NULL without -mean */
    uint32_t n_places, n_edges;
    struct cp_walk_hot *hot; /* by info; while walking */
};

/* Walks all samples of the report. */
enum cp_status cp_walk(struct cp_walk *w, const struct cp_report *r,
                       const struct cp_frames *f, struct cp_graph_want want,
                       struct cp_error *err);
void cp_walk_release(struct cp_walk *w);

#endif
