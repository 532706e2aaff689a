/*
 * nodelets.c - collects tags by node.
 *
 * It processes samples one group (joined text labels) at a time. Within a group
 * the sums are arrays over the wanted nodes; only the result of a group goes
 * through the hash table of tags. So labels cost one more walk.
 *
 * Numbers need a second pass. Without negative values a number cannot weigh
 * more than its group, so the second pass skips groups below the cutoff,
 * usually nearly all of them.
 */
#include "report/graph/nodelets.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/number.h"
#include "report/core/tag_names.h"
#include "report/graph/graph.h"

struct sums {
    int64_t flat, flat_div, cum, cum_div;
    uint32_t stamp; /* last sample counted in cum */
    bool is_touched;
};

struct collector {
    struct cp_nodelets *l;
    const struct cp_graph *g;
    uint32_t *slot_of; /* indexed by node: index in sums, or CP_NONE */
    uint32_t *node_of; /* indexed by slot */
    struct sums *sums;
    uint32_t *touched, n_touched;
    struct cp_tag_names names;
    uint32_t *samples, *first; /* samples by group, then by label set */
    size_t cap_tags;
    uint32_t *slots; /* tag + 1, hashed by node, group and name */
    uint32_t mask;
    int64_t cutoff;
    bool any_negative;
    struct cp_arena scratch;
    struct cp_error *err;
};

/*
 * Returns the sums of a wanted node and marks it as touched; NULL for others.
 */
static struct sums *sums_of(struct collector *c, uint32_t node)
{
    uint32_t slot = c->slot_of[node];

    if (slot == CP_NONE)
        return NULL;
    if (!c->sums[slot].is_touched) {
        c->sums[slot] = (struct sums){ .is_touched = true };
        c->touched[c->n_touched++] = slot;
    }
    return &c->sums[slot];
}

static void add_cum(struct collector *c, uint32_t node, uint32_t stamp,
                    int64_t value, int64_t div)
{
    struct sums *s = sums_of(c, node);

    if (!s || s->stamp == stamp)
        return;
    s->stamp = stamp;
    s->cum = cp_add(s->cum, value);
    s->cum_div = cp_add(s->cum_div, div);
}

static void add_flat(struct collector *c, uint32_t node, int64_t value,
                     int64_t div)
{
    struct sums *s = node == CP_NONE ? NULL : sums_of(c, node);

    if (!s)
        return;
    s->flat = cp_add(s->flat, value);
    s->flat_div = cp_add(s->flat_div, div);
}

static void sum_sample(struct collector *c, uint32_t number)
{
    const struct cp_graph *g = c->g;
    const struct cp_frames *f = g->frames;
    const struct cp_profile *p = g->report->profile;
    const uint32_t *stack = cp_profile_stack(p, number);
    int64_t div, value = cp_report_sample(g->report, number, &div);
    uint32_t leaf = CP_NONE;

    if (value == 0 && div == 0)
        return;
    if (g->tree_leaf) {
        leaf = g->tree_leaf[number];
        for (uint32_t n = leaf; n != CP_NONE; n = g->tree_parent[n])
            add_cum(c, n, number + 1, value, div);
        add_flat(c, leaf, value, div);
        return;
    }
    for (uint32_t k = 0; k < p->samples[number].n_locs; k++)
        for (uint32_t j = f->first[stack[k]]; j < f->first[stack[k] + 1]; j++) {
            if (leaf == CP_NONE)
                leaf = f->nodes[j];
            add_cum(c, f->nodes[j], number + 1, value, div);
        }
    add_flat(c, leaf, value, div);
}

static uint32_t *find_slot(const struct collector *c, const struct cp_tag *tag)
{
    uint64_t h = cp_hash_mix((uint64_t)(uintptr_t)tag->group.ptr,
                             (uint64_t)(uintptr_t)tag->name.ptr);
    uint32_t i = (uint32_t)cp_hash_mix(h, tag->node) & c->mask;

    for (; c->slots[i]; i = (i + 1) & c->mask) {
        const struct cp_tag *have = &c->l->tags[c->slots[i] - 1];

        if (have->node == tag->node && have->group.ptr == tag->group.ptr &&
            have->name.ptr == tag->name.ptr &&
            have->is_number == tag->is_number)
            break;
    }
    return &c->slots[i];
}

static enum cp_status grow_slots(struct collector *c)
{
    uint32_t n = c->slots ? (c->mask + 1) * 2 : 1024;

    if (c->slots && c->l->n_tags < c->mask / 2)
        return CP_OK;
    cp_free(c->slots);
    c->slots = cp_alloc(n, sizeof(*c->slots), c->err);
    if (!c->slots)
        return CP_ENOMEM;
    c->mask = n - 1;
    for (uint32_t i = 0; i < c->l->n_tags; i++)
        *find_slot(c, &c->l->tags[i]) = i + 1;
    return CP_OK;
}

static bool is_heavy(const struct collector *c, const struct sums *s)
{
    return cp_abs(s->flat) >= c->cutoff || cp_abs(s->cum) >= c->cutoff;
}

static enum cp_status add_tag(struct collector *c, struct cp_tag tag,
                              const struct sums *s)
{
    struct cp_nodelets *l = c->l;
    uint32_t *slot;

    if (grow_slots(c) != CP_OK ||
        cp_arena_reserve(&l->arena, &l->tags, l->n_tags, &c->cap_tags,
                         (size_t)l->n_tags + 1, sizeof(*l->tags),
                         c->err) != CP_OK)
        return CP_ENOMEM;
    slot = find_slot(c, &tag);
    if (!*slot) {
        l->tags[l->n_tags++] = tag;
        *slot = l->n_tags;
    }
    struct cp_tag *to = &l->tags[*slot - 1];
    to->flat = cp_add(to->flat, s->flat);
    to->flat_div = cp_add(to->flat_div, s->flat_div);
    to->cum = cp_add(to->cum, s->cum);
    to->cum_div = cp_add(to->cum_div, s->cum_div);
    return CP_OK;
}

/* Adds the sums of one group to each touched node, as text tags. */
static enum cp_status add_texts(struct collector *c, uint32_t group)
{
    struct cp_str text = c->names.strings.items[group];
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; i < c->n_touched; i++) {
        struct sums *s = &c->sums[c->touched[i]];
        struct cp_tag tag = { .node = c->node_of[c->touched[i]],
                              .group = text,
                              .name = text };

        s->is_touched = false;
        if (status == CP_OK && is_heavy(c, s))
            status = add_tag(c, tag, s);
    }
    c->n_touched = 0;
    return status;
}

/*
 * Adds the sums of one label set of that group to each touched node, as number
 * tags.
 */
static enum cp_status add_numbers(struct collector *c, uint32_t group)
{
    const struct cp_str *text = c->names.strings.items;
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; i < c->n_touched; i++) {
        struct sums *s = &c->sums[c->touched[i]];
        struct cp_tag tag = { .node = c->node_of[c->touched[i]],
                              .group = text[group],
                              .name = text[group] };
        bool is_wanted = group == 0 || c->any_negative || *find_slot(c, &tag);

        s->is_touched = false;
        tag.is_number = true;
        for (uint32_t k = 0;
             is_wanted && status == CP_OK && k < c->names.n_numbers; k++) {
            tag.name = text[c->names.numbers[k]];
            tag.value = c->names.values[k];
            status = add_tag(c, tag, s);
        }
    }
    c->n_touched = 0;
    return status;
}

/* Groups samples by the number that `of` assigns to each. */
static enum cp_status group_samples(struct collector *c, const uint32_t *of,
                                    uint32_t n)
{
    const struct cp_profile *p = c->g->report->profile;
    uint32_t *first =
        cp_arena_alloc(&c->scratch, (size_t)n + 2, sizeof(*first), c->err);

    if (!c->samples)
        c->samples =
            cp_arena_alloc(&c->scratch, p->n_samples, sizeof(uint32_t), c->err);
    if (!first || !c->samples)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_samples; i++)
        first[of[p->samples[i].label_set] + 2]++;
    for (uint32_t i = 2; i < n + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < p->n_samples; i++)
        c->samples[first[of[p->samples[i].label_set] + 1]++] = i;
    c->first = first;
    return CP_OK;
}

static void sum_samples(struct collector *c, uint32_t number)
{
    for (uint32_t i = c->first[number]; i < c->first[number + 1]; i++)
        sum_sample(c, c->samples[i]);
}

static enum cp_status make_slots(struct collector *c, uint32_t n)
{
    const struct cp_graph *g = c->g;

    c->slot_of =
        cp_arena_alloc(&c->scratch, g->n_nodes, sizeof(uint32_t), c->err);
    c->node_of = cp_arena_alloc(&c->scratch, n, sizeof(uint32_t), c->err);
    c->sums = cp_arena_alloc(&c->scratch, n, sizeof(*c->sums), c->err);
    c->touched = cp_arena_alloc(&c->scratch, n, sizeof(uint32_t), c->err);
    if (!c->slot_of || !c->node_of || !c->sums || !c->touched)
        return CP_ENOMEM;
    memset(c->slot_of, 0xff, g->n_nodes * sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) {
        c->slot_of[g->order[i]] = i;
        c->node_of[i] = g->order[i];
    }
    return CP_OK;
}

static bool has_negative(const struct cp_report *r)
{
    int64_t div;

    for (uint32_t i = 0; i < r->profile->n_samples; i++)
        if (cp_report_sample(r, i, &div) < 0)
            return true;
    return false;
}

/*
 * Whether any node could show a group. Without negative values no node weighs
 * more than all samples of the group.
 */
static bool may_be_heavy(const struct collector *c, uint32_t group)
{
    uint64_t total = 0;
    int64_t div;

    if (c->any_negative || c->cutoff <= 0)
        return true;
    for (uint32_t i = c->first[group]; i < c->first[group + 1]; i++) {
        total += (uint64_t)cp_report_sample(c->g->report, c->samples[i], &div);
        if (total >= (uint64_t)c->cutoff)
            return true;
    }
    return false;
}

static enum cp_status collect_texts(struct collector *c)
{
    uint32_t n = c->names.strings.n;
    enum cp_status status = group_samples(c, c->names.group_of, n);

    if (status == CP_OK)
        status = grow_slots(c);
    for (uint32_t group = 1; status == CP_OK && group < n; group++) {
        if (!may_be_heavy(c, group))
            continue;
        sum_samples(c, group);
        status = add_texts(c, group);
    }
    return status;
}

/* Computes which groups a node shows, so that their numbers may be shown. */
static bool *shown_groups(struct collector *c, uint32_t n)
{
    bool *shown = cp_arena_alloc(&c->scratch, n, sizeof(*shown), c->err);

    for (uint32_t i = 0; shown && i < c->l->n_tags; i++) {
        struct cp_str text = c->l->tags[i].group;

        shown[cp_strtab_find(&c->names.strings, text.ptr, text.len)] = true;
    }
    for (uint32_t i = 0; shown && i < n; i++)
        shown[i] |= i == 0 || c->any_negative;
    return shown;
}

static enum cp_status collect_numbers(struct collector *c)
{
    uint32_t n_sets = c->g->report->profile->n_label_sets;
    bool *shown = shown_groups(c, c->names.strings.n);
    uint32_t *itself =
        cp_arena_alloc(&c->scratch, n_sets, sizeof(*itself), c->err);
    enum cp_status status = shown && itself ? CP_OK : CP_ENOMEM;

    for (uint32_t set = 0; status == CP_OK && set < n_sets; set++)
        itself[set] = set;
    if (status == CP_OK)
        status = group_samples(c, itself, n_sets);
    for (uint32_t set = 1; status == CP_OK && set < n_sets; set++) {
        if (!shown[c->names.group_of[set]])
            continue;
        status = cp_tag_names_read(&c->names, c->g->report, set, c->err);
        if (status != CP_OK || c->names.n_numbers == 0)
            continue;
        sum_samples(c, set);
        status = add_numbers(c, c->names.group_of[set]);
    }
    return status;
}

static int by_node(const void *a, const void *b)
{
    const struct cp_tag *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->is_number != y->is_number)
        return x->is_number ? 1 : -1;
    return cp_str_cmp(x->group, y->group);
}

static void drop_light(struct cp_nodelets *l, int64_t cutoff)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->n_tags; i++)
        if (cp_abs(l->tags[i].flat) >= cutoff ||
            cp_abs(l->tags[i].cum) >= cutoff)
            l->tags[n++] = l->tags[i];
    l->n_tags = n;
}

enum cp_status cp_nodelets_collect(struct cp_nodelets *l,
                                   const struct cp_graph *g, uint32_t n,
                                   int64_t cutoff, struct cp_error *err)
{
    const struct cp_profile *p = g->report->profile;
    struct collector c = { .l = l, .g = g, .err = err };
    enum cp_status status;

    *l = (struct cp_nodelets){ 0 };
    if (p->n_label_sets == 1)
        return CP_OK;
    c.cutoff = cutoff;
    c.any_negative = has_negative(g->report);
    status = cp_tag_names_init(&c.names, g->report, &l->arena, err);
    if (status == CP_OK)
        status = make_slots(&c, n);
    if (status == CP_OK)
        status = collect_texts(&c);
    if (status == CP_OK)
        status = collect_numbers(&c);
    cp_free(c.slots);
    cp_tag_names_release(&c.names);
    cp_arena_release(&c.scratch);
    if (status != CP_OK) {
        cp_nodelets_release(l);
        return status;
    }
    drop_light(l, cutoff);
    if (l->n_tags)
        qsort(l->tags, l->n_tags, sizeof(*l->tags), by_node);
    return CP_OK;
}

void cp_nodelets_release(struct cp_nodelets *l)
{
    cp_arena_release(&l->arena);
    *l = (struct cp_nodelets){ 0 };
}

const struct cp_tag *cp_nodelets_of(const struct cp_nodelets *l, uint32_t node,
                                    uint32_t *n)
{
    uint32_t low = 0, high = l->n_tags;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (l->tags[mid].node < node)
            low = mid + 1;
        else
            high = mid;
    }
    for (*n = 0; low + *n < l->n_tags && l->tags[low + *n].node == node;)
        (*n)++;
    return *n ? l->tags + low : NULL;
}
