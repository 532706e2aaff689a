/*
 * walk_edges - the table of edges during a walk.
 *
 * For few nodes it is a square matrix with an entry for every pair of nodes;
 * otherwise it is a hash table with open addressing. The matrix also counts
 * entries that are not edges (from the root, from a node to itself) and skips
 * them at the end. That is cheaper than a test for each call. Used by walk.c.
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

/* Properties that a call has had at least once. */
enum cp_edge_marks {
    CP_EDGE_RESIDUAL = 1,
    CP_EDGE_CALLED = 2, /* not inlined */
};

struct cp_edge_sum {
    int64_t weight;
    uint32_t stamp; /* last sample counted; 0 means never */
    uint8_t marks;
};

struct cp_edge_ends {
    uint32_t src, dst;
};

/* The most recent edge from a location. */
struct cp_edge_cache {
    uint32_t dst, edge;
};

/* Initialize with { 0 }. */
struct cp_edge_table {
    uint32_t n_nodes;
    struct cp_edge_sum *square; /* n_nodes + 1 rows; the last is for the root */
    /*
     * By number, in the order of first use, so that frequent edges are
     * adjacent.
     */
    struct cp_edge_sum *sums;
    struct cp_edge_ends *ends;
    uint32_t n_edges;
    uint32_t *slots; /* number + 1, hashed by the ends; 0 means free */
    uint32_t n_slots;
    /* By location: nearly every call site calls only one function. */
    struct cp_edge_cache *cache;
    uint32_t n_locations;
    int64_t *divs; /* by index in square or by number; NULL without means */
};

/* Initializes a hash table for calls from n_locations, or a matrix. */
enum cp_status cp_edge_table_init(struct cp_edge_table *t, uint32_t n_locations,
                                  bool has_divs, struct cp_error *err);
enum cp_status cp_edge_table_init_dense(struct cp_edge_table *t,
                                        uint32_t n_nodes, bool has_divs,
                                        struct cp_error *err);
void cp_edge_table_release(struct cp_edge_table *t);

/* Adds the sums of `from`. Both must be of the same kind. */
enum cp_status cp_edge_table_join(struct cp_edge_table *t,
                                  const struct cp_edge_table *from,
                                  struct cp_error *err);

/* Returns a list of all edges; the caller frees it. */
enum cp_status cp_edge_table_list(const struct cp_edge_table *t,
                                  struct cp_edge **list, uint32_t *n,
                                  struct cp_error *err);

/* Counts a call once per sample, without a branch: it would be mispredicted. */
static inline void cp_edge_count(struct cp_edge_sum *e, uint32_t stamp,
                                 int64_t value, uint8_t marks)
{
    uint64_t is_new = -(uint64_t)(e->stamp != stamp);

    e->stamp = stamp;
    e->weight = cp_add(e->weight, value & (int64_t)is_new);
    e->marks |= marks & (uint8_t)is_new;
}

/*
 * Like cp_edge_count, with a divisor, for means. `e` is t's entry at that
 * index.
 */
static inline void cp_edge_count_div(struct cp_edge_table *t, size_t place,
                                     struct cp_edge_sum *e, uint32_t stamp,
                                     int64_t value, int64_t div, uint8_t marks)
{
    if (t->divs && e->stamp != stamp)
        t->divs[place] = cp_add(t->divs[place], div);
    cp_edge_count(e, stamp, value, marks);
}

/*
 * Returns the number of an edge, created with weight 0 if new; CP_NONE on
 * failure.
 */
uint32_t cp_edge_find(struct cp_edge_table *t, uint32_t src, uint32_t dst,
                      struct cp_error *err);

/*
 * Like cp_edge_find, for a call from a location (CP_NONE if unknown); uses the
 * cache.
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
