/*
 * trim - the part of a graph that is worth showing.
 */
#ifndef CP_TRIM_H
#define CP_TRIM_H

#include <stdint.h>

#include "base/error.h"
#include "report/core/frames.h"
#include "report/graph/graph.h"
#include "report/graph/nodelets.h"

struct cp_regex;
struct cp_report;

/* Starts as { 0 }, or with `only` set. */
struct cp_trimmed {
    struct cp_regex *only; /* edges are needed of matching nodes only */
    struct cp_frames frames;
    struct cp_graph graph;
    struct cp_nodelets nodelets; /* of dot only */
    uint32_t n_before;           /* nodes before node_count cut the list */
    uint32_t dropped_nodes, dropped_edges;
};

/*
 * Builds the graph, drops what node_fraction, node_count and edge_fraction
 * tell to drop, sorts it, and settles the unit of the report.
 */
enum cp_status cp_trim_build(struct cp_trimmed *t, struct cp_report *r,
                             struct cp_error *err);
void cp_trim_release(struct cp_trimmed *t);

#endif
