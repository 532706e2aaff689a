/*
 * nodelets - the labels of the samples that pass through a node.
 *
 * The text labels of a sample, joined, are one tag; the values of the numeric
 * label "bytes" are tags below it, or below the node where there is no text.
 * Only pictures show them, and only for the nodes that are drawn.
 */
#ifndef CP_NODELETS_H
#define CP_NODELETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strtab.h"

struct cp_graph;

struct cp_tag {
    uint32_t node;
    struct cp_str group; /* the joined text labels, "" for none */
    struct cp_str name;  /* the same, or the number as text */
    bool is_number;
    int64_t value; /* of a number */
    int64_t flat, flat_div, cum, cum_div;
};

/* Starts as { 0 }. */
struct cp_nodelets {
    struct cp_tag *tags; /* by node, then text before numbers, then group */
    uint32_t n_tags;
    struct cp_arena arena;
};

/*
 * Collects the tags of the first n nodes of g->order, leaving out those whose
 * flat and cum are both below the cutoff.
 */
enum cp_status cp_nodelets_collect(struct cp_nodelets *l,
                                   const struct cp_graph *g, uint32_t n,
                                   int64_t cutoff, struct cp_error *err);
void cp_nodelets_release(struct cp_nodelets *l);

/* The tags of a node, and how many. */
const struct cp_tag *cp_nodelets_of(const struct cp_nodelets *l, uint32_t node,
                                    uint32_t *n);

#endif
