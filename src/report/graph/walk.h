/*
 * walk - adds samples up into nodes and edges, on all cores.
 *
 * The inner loop of every report reads each frame of each sample here. Used by
 * graph.c.
 */
#ifndef CP_WALK_H
#define CP_WALK_H

#include <stdint.h>

#include "report/graph/graph.h"

struct cp_frames;
struct cp_report;

struct cp_walk_sums {
    int64_t flat, cum;
};

/* Initialize with { 0 }. */
struct cp_walk {
    struct cp_walk_sums *values; /* indexed by info; NULL if already known */
    struct cp_walk_sums
        *divs;             /* indexed by info; NULL if known or without -mean */
    struct cp_edge *edges; /* unsorted */
    uint32_t n_edges;
};

/* Walks all samples of the report. */
enum cp_status cp_walk(struct cp_walk *w, const struct cp_report *r,
                       const struct cp_frames *f, struct cp_graph_want want,
                       struct cp_error *err);
void cp_walk_release(struct cp_walk *w);

#endif
