/*
 * walk_stack - adds up the stacks of one share of the samples.
 *
 * The inner loop of every report. walk.c allocates the tables before and joins
 * them afterwards. One thread adds to the tables of one share.
 *
 * A kept node has an index, dense from 0; nodes that are dropped have none.
 */
#ifndef CP_WALK_STACK_H
#define CP_WALK_STACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/parallel.h"
#include "report/graph/graph.h"
#include "report/graph/walk_edges.h"

struct cp_frames;
struct cp_report;
struct cp_walk_sums;

#define CP_WALK_SEVERAL (CP_NONE - 1) /* location with several nodes */

/* The fields of a node that every frame touches. */
struct cp_walk_hot {
    int64_t cum;
    uint32_t stamp;     /* last sample counted in cum */
    uint32_t is_wanted; /* has wanted edges; 0 if wants_all */
};

/* Tables are by node index. */
struct cp_walk_share {
    struct cp_walk_hot *hot; /* NULL if the sums are known */
    int64_t *flat;
    struct cp_walk_sums *divs; /* NULL without -mean */
    struct cp_edge_table edges;
    uint32_t from, to; /* current range of samples */
    struct cp_error err;
};

struct cp_walk_job {
    const struct cp_report *r;
    const struct cp_frames *f;
    struct cp_graph_want want;
    uint32_t n_kept;    /* kept nodes */
    uint32_t *index_of; /* indexed by info; CP_NONE for dropped nodes */
    uint32_t *info_of;  /* indexed by node index */
    uint8_t *wanted;    /* indexed by node index: CP_WANT_ bits of its edges */
    bool wants_all;     /* every edge is wanted */
    uint32_t *single;   /* by location: index, CP_NONE or CP_WALK_SEVERAL */
    bool is_plain; /* every location has exactly one node, and it is kept */
    bool *
        has_wanted; /* indexed by location: one of its nodes has wanted edges */
    atomic_uint_fast64_t next; /* next sample to claim */
    struct cp_walk_share shares[CP_PARALLEL_MAX];
};

/*
 * Adds up the samples from..to of a share. Sets s->err if memory is exhausted.
 */
void cp_walk_stacks(const struct cp_walk_job *job, struct cp_walk_share *s);

#endif
