/*
 * walk_edges - the edges while samples are being walked.
 *
 * Either a square with a place for every pair, for few nodes, or a hash table.
 * The square also takes what is no edge (from nowhere, from a node to itself)
 * and leaves it out at the end: cheaper than asking each time. Used by walk.c.
 */
#ifndef CP_WALK_EDGES_H
#define CP_WALK_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/index.h"
#include "base/number.h"

struct cp_edge;

/* What a call has been at least once. */
enum cp_edge_marks {
    CP_EDGE_RESIDUAL = 1,
    CP_EDGE_CALLED = 2, /* not inlined */
};

struct cp_edge_sum {
    int64_t weight;
    uint32_t stamp; /* last sample counted; 0 for never */
    uint8_t marks;
};

struct cp_edge_ends {
    uint32_t src, dst;
};

/* The edge used last from a location. */
struct cp_edge_cache {
    uint32_t dst, edge;
};

/* Starts as { 0 }. */
struct cp_edge_table {
    uint32_t n_nodes;
    struct cp_edge_sum *square; /* n_nodes + 1 rows, the last for nowhere */
    /* By number, in the order of first use: what is used most lies together. */
    struct cp_edge_sum *sums;
    struct cp_edge_ends *ends;
    uint32_t n_edges;
    uint32_t *slots; /* the number plus one, found by the ends; 0 is free */
    uint32_t n_slots;
    /* By location: nearly every call site calls one function only. */
    struct cp_edge_cache *cache;
    uint32_t n_locations;
    int64_t *divs; /* by place in square or by number; NULL without means */
};

/* A hash table for calls from n_locations, or a square. */
enum cp_status cp_edge_table_init(struct cp_edge_table *t, uint32_t n_locations,
                                  bool has_divs, struct cp_error *err);
enum cp_status cp_edge_table_init_dense(struct cp_edge_table *t,
                                        uint32_t n_nodes, bool has_divs,
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

/* Counts a call, once a sample: whether it is the first cannot be guessed. */
static inline void cp_edge_count(struct cp_edge_sum *e, uint32_t stamp,
                                 int64_t value, uint8_t marks)
{
    uint64_t is_new = -(uint64_t)(e->stamp != stamp);

    e->stamp = stamp;
    e->weight = cp_add(e->weight, value & (int64_t)is_new);
    e->marks |= marks & (uint8_t)is_new;
}

/* The same with a divisor, for means. `e` is t's at that place. */
static inline void cp_edge_count_div(struct cp_edge_table *t, size_t place,
                                     struct cp_edge_sum *e, uint32_t stamp,
                                     int64_t value, int64_t div, uint8_t marks)
{
    if (t->divs && e->stamp != stamp)
        t->divs[place] = cp_add(t->divs[place], div);
    cp_edge_count(e, stamp, value, marks);
}

/* The number of an edge, made with no weight if new; CP_NONE on failure. */
uint32_t cp_edge_find(struct cp_edge_table *t, uint32_t src, uint32_t dst,
                      struct cp_error *err);

/*
 * The same for the call from a location, CP_NONE where that is not known.
 */
static inline uint32_t cp_edge_find_call(struct cp_edge_table *t,
                                         uint32_t location, uint32_t src,
                                         uint32_t dst, struct cp_error *err)
{
    struct cp_edge_cache *cache;
    uint32_t edge;

    if (location == CP_NONE)
        return cp_edge_find(t, src, dst, err);
    cache = &t->cache[location];
    if (cache->dst == dst)
        return cache->edge;
    edge = cp_edge_find(t, src, dst, err);
    *cache = (struct cp_edge_cache){ edge == CP_NONE ? CP_NONE : dst, edge };
    return edge;
}

#endif
