/*
 * nodelets - the labels of the samples that pass through a node.
 *
 * The text labels of a sample, joined, are one tag. The values of the numeric
 * label "bytes" are tags below it, or below the node if the sample has no text
 * labels. Only pictures show tags, and only for the nodes drawn.
 */
#ifndef CP_NODELETS_H
#define CP_NODELETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"

struct cp_graph;

struct cp_tag {
    uint32_t node;
    struct cp_str group; /* joined text labels, or "" */
    struct cp_str name;  /* the same, or the number as text */
    bool is_number;
    int64_t value; /* value of a number tag */
    int64_t flat, flat_div, cum, cum_div;
};

/* Initialize with { 0 }. */
struct cp_nodelets {
    struct cp_tag *tags; /* by node, then text before numbers, then group */
    uint32_t n_tags;
    struct cp_arena arena;
};

/*
 * Collects the tags of the first n nodes of g->order. Omits tags whose flat and
 * cum are both below the cutoff.
 */
enum cp_status cp_nodelets_collect(struct cp_nodelets *l,
                                   const struct cp_graph *g, uint32_t n,
                                   int64_t cutoff, struct cp_error *err);
void cp_nodelets_release(struct cp_nodelets *l);

/* Returns the tags of a node, and their number. */
const struct cp_tag *cp_nodelets_of(const struct cp_nodelets *l, uint32_t node,
                                    uint32_t *n);

#endif
