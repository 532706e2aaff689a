/* walk_edges.c - see walk_edges.h. */
#include "report/walk_edges.h"

#include "base/alloc.h"
#include "base/hash.h"

#define FIRST_SLOTS 1024

static enum cp_status make_slots(struct cp_edge_table *t, uint32_t n,
                                 bool has_divs, struct cp_error *err)
{
    if (n == 0)
        return cp_error_nomem(err);
    t->n_slots = n;
    t->slots = cp_alloc(n, sizeof(*t->slots), err);
    t->divs = has_divs ? cp_alloc(n, sizeof(*t->divs), err) : NULL;
    if (!t->slots || (has_divs && !t->divs))
        return CP_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        t->slots[i].src = CP_NONE;
    return CP_OK;
}

static void forget_places(struct cp_edge_table *t)
{
    for (uint32_t i = 0; i < t->n_locations; i++)
        t->cache[i].dst = CP_NONE;
}

enum cp_status cp_edge_table_init(struct cp_edge_table *t, uint32_t n_locations,
                                  bool has_divs, struct cp_error *err)
{
    *t = (struct cp_edge_table){ .n_locations = n_locations };
    t->cache = cp_alloc(n_locations, sizeof(*t->cache), err);
    if (!t->cache)
        return CP_ENOMEM;
    forget_places(t);
    return make_slots(t, FIRST_SLOTS, has_divs, err);
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
    cp_free(t->slots);
    cp_free(t->cache);
    cp_free(t->divs);
    *t = (struct cp_edge_table){ 0 };
}

/* The slot of an edge, or the free one where it belongs. */
static uint32_t find_slot(const struct cp_edge_table *t, uint32_t src,
                          uint32_t dst)
{
    uint32_t mask = t->n_slots - 1;
    uint32_t i = (uint32_t)cp_hash_mix(src, dst) & mask;

    while (t->slots[i].src != CP_NONE &&
           (t->slots[i].src != src || t->slots[i].dst != dst))
        i = (i + 1) & mask;
    return i;
}

/* Doubles the table; edges move, so nodes forget where theirs were. */
static enum cp_status grow(struct cp_edge_table *t, struct cp_error *err)
{
    struct cp_edge_table old = *t;
    enum cp_status status =
        make_slots(t, old.n_slots * 2, old.divs != NULL, err);

    for (uint32_t i = 0; status == CP_OK && i < old.n_slots; i++) {
        if (old.slots[i].src == CP_NONE)
            continue;
        uint32_t to = find_slot(t, old.slots[i].src, old.slots[i].dst);

        t->slots[to] = old.slots[i];
        if (t->divs)
            t->divs[to] = old.divs[i];
    }
    cp_free(old.slots);
    cp_free(old.divs);
    forget_places(t);
    return status;
}

uint32_t cp_edge_find(struct cp_edge_table *t, uint32_t src, uint32_t dst,
                      struct cp_error *err)
{
    uint32_t slot;

    if (t->n_edges >= t->n_slots / 2 && grow(t, err) != CP_OK)
        return CP_NONE;
    slot = find_slot(t, src, dst);
    if (t->slots[slot].src == CP_NONE) {
        t->slots[slot] = (struct cp_edge_slot){ .src = src, .dst = dst };
        t->n_edges++;
    }
    return slot;
}

static void join_sum(struct cp_edge_table *t, size_t to,
                     struct cp_edge_sum *mine, const struct cp_edge_table *from,
                     size_t place, const struct cp_edge_sum *other)
{
    mine->weight = cp_add(mine->weight, other->weight);
    mine->stamp |= other->stamp; /* only "never" matters from here on */
    mine->is_residual |= other->is_residual;
    mine->is_called |= other->is_called;
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
    for (uint32_t i = 0; !t->square && i < from->n_slots; i++) {
        const struct cp_edge_slot *s = &from->slots[i];
        uint32_t slot;

        if (s->src == CP_NONE)
            continue;
        slot = cp_edge_find(t, s->src, s->dst, err);
        if (slot == CP_NONE)
            return CP_ENOMEM;
        join_sum(t, slot, &t->slots[slot].sum, from, i, &s->sum);
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
                             .is_residual = sum->is_residual,
                             .is_inline = !sum->is_called };
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
    for (uint32_t i = 0, k = 0; i < t->n_slots; i++)
        if (t->slots[i].src != CP_NONE)
            (*list)[k++] = edge_of(t->slots[i].src, t->slots[i].dst,
                                   &t->slots[i].sum, t->divs ? t->divs[i] : 0);
    return CP_OK;
}
