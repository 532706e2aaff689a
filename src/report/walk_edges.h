/*
 * walk_edges - the edges while samples are being walked.
 *
 * Either a square with a place for every pair, for few nodes, or a hash table.
 * The square also takes what is no edge (from nowhere, from a node to itself)
 * and leaves it out at the end: cheaper than asking each time. Used by walk.c.
 */
#ifndef CP_WALK_EDGES_H
#define CP_WALK_EDGES_H

#include "report/graph.h"

struct cp_edge_sum {
    int64_t weight;
    uint32_t stamp;              /* last sample counted; 0 for never */
    bool is_residual, is_called; /* called: not inlined, at least once */
};

/* A sum and whose it is, in the hash table. */
struct cp_edge_slot {
    uint32_t src, dst; /* src is CP_NONE in a free slot */
    struct cp_edge_sum sum;
};

/* Where the edges used last from a node are. */
struct cp_edge_cache {
    uint32_t dst[2], slot[2];
};

/* Starts as { 0 }. */
struct cp_edge_table {
    uint32_t n_nodes;
    struct cp_edge_sum *square; /* n_nodes + 1 rows, the last for nowhere */
    struct cp_edge_slot *slots;
    struct cp_edge_cache *cache;
    uint32_t n_slots, n_edges;
    int64_t *divs; /* by place in square or slots; NULL without means */
};

enum cp_status cp_edge_table_init(struct cp_edge_table *t, uint32_t n_nodes,
                                  bool is_dense, bool has_divs,
                                  struct cp_error *err);
void cp_edge_table_release(struct cp_edge_table *t);

/* Adds what `from` has. Both must be of the same kind. */
enum cp_status cp_edge_table_join(struct cp_edge_table *t,
                                  const struct cp_edge_table *from,
                                  struct cp_error *err);

/* A list of all edges, to be freed by the caller. */
enum cp_status cp_edge_table_list(const struct cp_edge_table *t,
                                  struct cp_edge **list, uint32_t *n,
                                  struct cp_error *err);

/* Counts a call in the square, once a sample. */
static inline void cp_edge_add_dense(struct cp_edge_table *t, uint32_t src,
                                     uint32_t dst, uint32_t stamp,
                                     int64_t value, int64_t div,
                                     bool is_residual, bool is_inline)
{
    size_t place = (size_t)src * t->n_nodes + dst;
    struct cp_edge_sum *e = &t->square[place];
    bool is_new = e->stamp != stamp;

    e->stamp = stamp;
    e->weight = cp_add(e->weight, value & -(int64_t)is_new);
    e->is_residual |= is_residual & is_new;
    e->is_called |= !is_inline & is_new;
    if (t->divs)
        t->divs[place] = cp_add(t->divs[place], div & -(int64_t)is_new);
}

/* The same in the hash table. False when out of memory. */
bool cp_edge_add_sparse(struct cp_edge_table *t, uint32_t src, uint32_t dst,
                        uint32_t stamp, int64_t value, int64_t div,
                        bool is_residual, bool is_inline, struct cp_error *err);

#endif
