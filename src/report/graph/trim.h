/* trim - builds a graph and drops its light nodes and edges. */
#ifndef CP_TRIM_H
#define CP_TRIM_H

#include <stdint.h>

#include "report/graph/graph.h"
#include "report/graph/nodelets.h"

struct cp_regex;
struct cp_report;

/* Initialize with { 0 }, or with `only` set. */
struct cp_trimmed {
    struct cp_regex *only; /* only nodes that match need edges */
    struct cp_frames frames;
    struct cp_graph graph;
    struct cp_nodelets nodelets; /* used by dot only */
    uint32_t n_before;           /* nodes before node_count cut the list */
    uint32_t dropped_nodes, dropped_edges;
};

/*
 * Builds the graph, drops nodes and edges by node_fraction, node_count and
 * edge_fraction, sorts it, and chooses the unit of the report.
 */
enum cp_status cp_trim_build(struct cp_trimmed *t, struct cp_report *r,
                             struct cp_error *err);
void cp_trim_release(struct cp_trimmed *t);

#endif
