/* walk_edges.c - grows, searches, joins and lists tables of edges. */
#include "report/graph/walk_edges.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "report/graph/graph.h"

#define FIRST_SLOTS 1024

/* Grows an array to `need` entries; new entries are zero. */
static enum cp_status grow_array(void *array, size_t cap, size_t need,
                                 size_t size, struct cp_error *err)
{
    char *old, *grown;

    memcpy(&old, array, sizeof(old));
    grown = cp_resize(old, need, size, err);
    if (!grown)
        return CP_ENOMEM;
    memset(grown + cap * size, 0, (need - cap) * size);
    memcpy(array, &grown, sizeof(grown));
    return CP_OK;
}

/* Allocates arrays for the edges that n_slots slots may hold. */
static enum cp_status make_room(struct cp_edge_table *t, uint32_t n_slots,
                                bool has_divs, struct cp_error *err)
{
    size_t cap = t->n_slots / 2, need = n_slots / 2;

    if (n_slots == 0)
        return cp_error_nomem(err);
    if (grow_array(&t->sums, cap, need, sizeof(*t->sums), err) != CP_OK ||
        grow_array(&t->ends, cap, need, sizeof(*t->ends), err) != CP_OK ||
        (has_divs &&
         grow_array(&t->divs, cap, need, sizeof(*t->divs), err) != CP_OK))
        return CP_ENOMEM;
    cp_free(t->slots);
    t->slots = cp_alloc(n_slots, sizeof(*t->slots), err);
    t->n_slots = t->slots ? n_slots : 0;
    return t->slots ? CP_OK : CP_ENOMEM;
}

enum cp_status cp_edge_table_init(struct cp_edge_table *t, uint32_t n_locations,
                                  bool has_divs, struct cp_error *err)
{
    *t = (struct cp_edge_table){ .n_locations = n_locations };
    t->cache = cp_alloc(n_locations, sizeof(*t->cache), err);
    if (!t->cache)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n_locations; i++)
        t->cache[i].dst = CP_NONE;
    return make_room(t, FIRST_SLOTS, has_divs, err);
}

enum cp_status cp_edge_table_init_dense(struct cp_edge_table *t,
                                        uint32_t n_nodes, bool has_divs,
                                        struct cp_error *err)
{
    size_t n = ((size_t)n_nodes + 1) * n_nodes;

    *t = (struct cp_edge_table){ .n_nodes = n_nodes };
    t->square = cp_alloc_table(n, sizeof(*t->square), err);
    t->divs = has_divs ? cp_alloc(n, sizeof(*t->divs), err) : NULL;
    return t->square && (t->divs || !has_divs) ? CP_OK : CP_ENOMEM;
}

void cp_edge_table_release(struct cp_edge_table *t)
{
    cp_free(t->square);
    cp_free(t->sums);
    cp_free(t->ends);
    cp_free(t->slots);
    cp_free(t->cache);
    cp_free(t->divs);
    *t = (struct cp_edge_table){ 0 };
}

/* Returns the slot of an edge, or the free slot for it. */
static uint32_t *find_slot(const struct cp_edge_table *t, uint32_t src,
                           uint32_t dst)
{
    uint32_t mask = t->n_slots - 1;
    uint32_t i = (uint32_t)cp_hash_mix(src, dst) & mask;

    while (t->slots[i] && (t->ends[t->slots[i] - 1].src != src ||
                           t->ends[t->slots[i] - 1].dst != dst))
        i = (i + 1) & mask;
    return &t->slots[i];
}

static enum cp_status grow(struct cp_edge_table *t, struct cp_error *err)
{
    if (make_room(t, t->n_slots * 2, t->divs != NULL, err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < t->n_edges; i++)
        *find_slot(t, t->ends[i].src, t->ends[i].dst) = i + 1;
    return CP_OK;
}

uint32_t cp_edge_find(struct cp_edge_table *t, uint32_t src, uint32_t dst,
                      struct cp_error *err)
{
    uint32_t *slot;

    if (t->n_edges >= t->n_slots / 2 && grow(t, err) != CP_OK)
        return CP_NONE;
    slot = find_slot(t, src, dst);
    if (*slot == 0) {
        t->ends[t->n_edges] = (struct cp_edge_ends){ src, dst };
        *slot = ++t->n_edges;
    }
    return *slot - 1;
}

static void join_sum(struct cp_edge_table *t, size_t to,
                     struct cp_edge_sum *mine, const struct cp_edge_table *from,
                     size_t place, const struct cp_edge_sum *other)
{
    mine->weight = cp_add(mine->weight, other->weight);
    mine->stamp |= other->stamp; /* after a join only 0 (never) matters */
    mine->marks |= other->marks;
    if (t->divs)
        t->divs[to] = cp_add(t->divs[to], from->divs[place]);
}

enum cp_status cp_edge_table_join(struct cp_edge_table *t,
                                  const struct cp_edge_table *from,
                                  struct cp_error *err)
{
    size_t n = ((size_t)t->n_nodes + 1) * t->n_nodes;

    for (size_t i = 0; t->square && i < n; i++)
        join_sum(t, i, &t->square[i], from, i, &from->square[i]);
    for (uint32_t i = 0; !t->square && i < from->n_edges; i++) {
        uint32_t edge =
            cp_edge_find(t, from->ends[i].src, from->ends[i].dst, err);

        if (edge == CP_NONE)
            return CP_ENOMEM;
        join_sum(t, edge, &t->sums[edge], from, i, &from->sums[i]);
    }
    return CP_OK;
}

static struct cp_edge edge_of(uint32_t src, uint32_t dst,
                              const struct cp_edge_sum *sum, int64_t div)
{
    return (struct cp_edge){ .src = src,
                             .dst = dst,
                             .weight = sum->weight,
                             .weight_div = div,
                             .is_residual = sum->marks & CP_EDGE_RESIDUAL,
                             .is_inline = !(sum->marks & CP_EDGE_CALLED) };
}

static uint32_t list_square(const struct cp_edge_table *t, struct cp_edge *list)
{
    uint32_t n = 0;

    for (uint32_t src = 0; src < t->n_nodes; src++)
        for (uint32_t dst = 0; dst < t->n_nodes; dst++) {
            size_t i = (size_t)src * t->n_nodes + dst;

            if (src == dst || t->square[i].stamp == 0)
                continue;
            if (list)
                list[n] =
                    edge_of(src, dst, &t->square[i], t->divs ? t->divs[i] : 0);
            n++;
        }
    return n;
}

enum cp_status cp_edge_table_list(const struct cp_edge_table *t,
                                  struct cp_edge **list, uint32_t *n,
                                  struct cp_error *err)
{
    *n = t->square ? list_square(t, NULL) : t->n_edges;
    *list = cp_alloc(*n, sizeof(**list), err);
    if (!*list)
        return CP_ENOMEM;
    if (t->square) {
        (void)list_square(t, *list);
        return CP_OK;
    }
    for (uint32_t i = 0; i < t->n_edges; i++)
        (*list)[i] = edge_of(t->ends[i].src, t->ends[i].dst, &t->sums[i],
                             t->divs ? t->divs[i] : 0);
    return CP_OK;
}
