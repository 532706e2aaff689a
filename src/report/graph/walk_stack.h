/*
 * walk_stack - the way through the stacks of a share of the samples.
 *
 * The inner loop of every report. walk.c makes the tables beforehand and joins
 * them afterwards; here they are only added to, by one thread a share.
 */
#ifndef CP_WALK_STACK_H
#define CP_WALK_STACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/index.h"
#include "base/parallel.h"
#include "report/graph/graph.h"
#include "report/graph/walk_edges.h"

struct cp_frames;
struct cp_report;
struct cp_walk_sums;

#define CP_WALK_SEVERAL (CP_NONE - 1) /* a location of more than one node */

/* The part of a node that every frame touches. */
struct cp_walk_hot {
    int64_t cum;
    uint32_t stamp;     /* last sample counted in cum */
    uint32_t is_wanted; /* some of its edges are, but not all of everybody's */
};

/* Tables are by place. */
struct cp_walk_share {
    struct cp_walk_hot *hot; /* NULL if the sums are known */
    int64_t *flat;
    struct cp_walk_sums *divs; /* NULL without -mean */
    struct cp_edge_table edges;
    uint32_t from, to; /* the samples it has taken */
    struct cp_error err;
};

struct cp_walk_job {
    const struct cp_report *r;
    const struct cp_frames *f;
    struct cp_graph_want want;
    uint32_t n_places;  /* nodes that are kept */
    uint32_t *place_of; /* by info; CP_NONE for those left out */
    uint32_t *info_of;  /* by place */
    uint8_t *wanted;    /* by place: want.edges */
    bool wants_all;     /* every edge, that is */
    uint32_t *single;   /* by location: its place, CP_NONE or CP_WALK_SEVERAL */
    bool is_plain;      /* every location is one node that is kept */
    bool *has_wanted;   /* by location: a node of it has wanted edges */
    atomic_uint_fast64_t next; /* sample to be taken */
    struct cp_walk_share shares[CP_PARALLEL_MAX];
};

/* Counts the samples from..to of a share; s->err is set when there is no
 * memory. */
void cp_walk_stacks(const struct cp_walk_job *job, struct cp_walk_share *s);

#endif
