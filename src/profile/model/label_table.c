/* label_table.c - hash table with open addressing over sorted label sets. */
#include "profile/model/label_table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "profile/model/profile.h"

uint32_t cp_label_table_hash(const struct cp_label *labels, uint32_t n)
{
    uint64_t h = n;

    for (uint32_t i = 0; i < n; i++) {
        h = cp_hash_mix(h ^ labels[i].key, labels[i].str);
        h = cp_hash_mix(h ^ labels[i].unit, (uint64_t)labels[i].num);
    }
    return (uint32_t)h;
}

static bool same_label(const struct cp_label *a, const struct cp_label *b)
{
    return a->key == b->key && a->str == b->str && a->unit == b->unit &&
           a->num == b->num;
}

static bool same_labels(const struct cp_profile *p, uint32_t set,
                        const struct cp_label *labels, uint32_t n)
{
    const struct cp_label *have = p->labels + p->label_sets[set].labels;

    if (p->label_sets[set].n_labels != n)
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (!same_label(&have[k], &labels[k]))
            return false;
    return true;
}

static struct cp_label_slot *find_slot(const struct cp_label_table *t,
                                       const struct cp_label *labels,
                                       uint32_t n, uint32_t hash)
{
    uint32_t i = hash & t->mask;

    for (; t->slots[i].set; i = (i + 1) & t->mask)
        if (t->slots[i].hash == hash &&
            same_labels(t->profile, t->slots[i].set, labels, n))
            break;
    return &t->slots[i];
}

static enum cp_status resize(struct cp_label_table *t, size_t n,
                             struct cp_error *err)
{
    const struct cp_profile *p = t->profile;
    size_t n_slots = 64;
    struct cp_label_slot *slots;

    while (n_slots < n * 2)
        n_slots *= 2;
    if (n_slots > UINT32_MAX / 2)
        return cp_error_nomem(err);
    slots = cp_alloc_table(n_slots, sizeof(*slots), err);
    if (!slots)
        return CP_ENOMEM;
    cp_free(t->slots);
    t->slots = slots;
    t->mask = (uint32_t)(n_slots - 1);
    for (uint32_t i = 1; i < p->n_label_sets; i++) {
        const struct cp_label *labels = p->labels + p->label_sets[i].labels;
        uint32_t n_labels = p->label_sets[i].n_labels;
        uint32_t hash = cp_label_table_hash(labels, n_labels);

        *find_slot(t, labels, n_labels, hash) =
            (struct cp_label_slot){ hash, i };
    }
    return CP_OK;
}

enum cp_status cp_label_table_init(struct cp_label_table *t,
                                   struct cp_profile *profile,
                                   struct cp_error *err)
{
    *t = (struct cp_label_table){ .profile = profile };
    t->cap_sets = profile->n_label_sets;
    t->cap_labels = profile->n_labels;
    return resize(t, profile->n_label_sets, err);
}

enum cp_status cp_label_table_expect(struct cp_label_table *t, size_t n_sets,
                                     size_t n_labels, struct cp_error *err)
{
    struct cp_profile *p = t->profile;

    n_sets += p->n_label_sets;
    if (cp_arena_reserve(&p->arena, &p->labels, p->n_labels, &t->cap_labels,
                         p->n_labels + n_labels, sizeof(*p->labels),
                         err) != CP_OK ||
        cp_arena_reserve(&p->arena, &p->label_sets, p->n_label_sets,
                         &t->cap_sets, n_sets, sizeof(*p->label_sets),
                         err) != CP_OK)
        return CP_ENOMEM;
    return n_sets < t->mask / 2 ? CP_OK : resize(t, n_sets, err);
}

static bool is_after(const struct cp_profile *p, const struct cp_label *a,
                     const struct cp_label *b)
{
    bool a_is_num = a->str == CP_NONE, b_is_num = b->str == CP_NONE;

    if (a_is_num != b_is_num)
        return a_is_num;
    return a->key != b->key &&
           cp_str_cmp(cp_profile_str(p, a->key), cp_profile_str(p, b->key)) > 0;
}

/* Stable merge sort of n labels in `a`; `scratch` has space for n more. */
static void sort_labels(const struct cp_profile *p, struct cp_label *a,
                        uint32_t n, struct cp_label *scratch)
{
    uint32_t half = n / 2, i = 0, j = half, k = 0;

    if (n < 2)
        return;
    sort_labels(p, a, half, scratch);
    sort_labels(p, a + half, n - half, scratch);
    if (!is_after(p, &a[half - 1], &a[half]))
        return;
    memcpy(scratch, a, n * sizeof(*a));
    while (i < half && j < n)
        a[k++] =
            is_after(p, &scratch[i], &scratch[j]) ? scratch[j++] : scratch[i++];
    while (i < half)
        a[k++] = scratch[i++];
    while (j < n)
        a[k++] = scratch[j++];
}

static enum cp_status append(struct cp_label_table *t,
                             const struct cp_label *labels, uint32_t n,
                             struct cp_error *err)
{
    struct cp_profile *p = t->profile;

    if ((uint64_t)p->n_labels + n >= CP_NONE)
        return cp_error_set(err, CP_EFORMAT, "too many labels");
    if (cp_arena_reserve(&p->arena, &p->labels, p->n_labels, &t->cap_labels,
                         (size_t)p->n_labels + n, sizeof(*p->labels),
                         err) != CP_OK ||
        cp_arena_reserve(&p->arena, &p->label_sets, p->n_label_sets,
                         &t->cap_sets, (size_t)p->n_label_sets + 1,
                         sizeof(*p->label_sets), err) != CP_OK)
        return CP_ENOMEM;
    memcpy(p->labels + p->n_labels, labels, n * sizeof(*labels));
    p->label_sets[p->n_label_sets++] = (struct cp_label_set){ p->n_labels, n };
    p->n_labels += n;
    return CP_OK;
}

static bool is_known_order(const struct cp_label_order *o,
                           const struct cp_label *labels, uint32_t n)
{
    bool is_same = o->n == n;

    for (uint32_t i = 0; is_same && i < n; i++)
        is_same = o->keys[i] == labels[i].key &&
                  o->is_num[i] == (labels[i].str == CP_NONE);
    return is_same;
}

/* Computes the sorted order of a small label set. */
static void find_order(const struct cp_profile *p, struct cp_label_order *o,
                       const struct cp_label *labels, uint32_t n)
{
    o->n = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;

        o->keys[i] = labels[i].key;
        o->is_num[i] = labels[i].str == CP_NONE;
        for (; k > 0 && is_after(p, &labels[o->from[k - 1]], &labels[i]); k--)
            o->from[k] = o->from[k - 1];
        o->from[k] = (uint8_t)i;
    }
}

/* Clears unit and number of a string label, which do not count for equality. */
static struct cp_label without_rest(struct cp_label l)
{
    if (l.str != CP_NONE) {
        l.unit = 0;
        l.num = 0;
    }
    return l;
}

/* Copies the labels to t->sorted in sorted order. */
static enum cp_status sort_copy(struct cp_label_table *t,
                                const struct cp_label *labels, uint32_t n,
                                struct cp_error *err)
{
    if (cp_reserve(&t->sorted, &t->cap_sorted, (size_t)n * 2,
                   sizeof(*t->sorted), err) != CP_OK)
        return CP_ENOMEM;
    if (n > CP_LABEL_ORDER_MAX) {
        for (uint32_t i = 0; i < n; i++)
            t->sorted[i] = without_rest(labels[i]);
        sort_labels(t->profile, t->sorted, n, t->sorted + n);
        return CP_OK;
    }
    if (!is_known_order(&t->order, labels, n))
        find_order(t->profile, &t->order, labels, n);
    for (uint32_t i = 0; i < n; i++)
        t->sorted[i] = without_rest(labels[t->order.from[i]]);
    return CP_OK;
}

void cp_label_table_prefetch(const struct cp_label_table *t, uint32_t hash,
                             int step)
{
    const struct cp_label_slot *slot = &t->slots[hash & t->mask];
    const struct cp_profile *p = t->profile;

    if (step == 0)
        __builtin_prefetch(slot);
    else if (step == 1)
        __builtin_prefetch(&p->label_sets[slot->set]);
    else
        __builtin_prefetch(&p->labels[p->label_sets[slot->set].labels]);
}

uint32_t cp_label_table_add_ordered(struct cp_label_table *t,
                                    const struct cp_label *labels, uint32_t n,
                                    uint32_t hash, struct cp_error *err)
{
    struct cp_label_slot *slot;

    if (n == 0)
        return 0;
    slot = find_slot(t, labels, n, hash);
    if (slot->set)
        return slot->set;
    if (t->profile->n_label_sets >= t->mask / 2) {
        if (resize(t, (size_t)t->profile->n_label_sets * 2, err) != CP_OK)
            return CP_NONE;
        slot = find_slot(t, labels, n, hash);
    }
    if (append(t, labels, n, err) != CP_OK)
        return CP_NONE;
    *slot = (struct cp_label_slot){ hash, t->profile->n_label_sets - 1 };
    return slot->set;
}

uint32_t cp_label_table_add(struct cp_label_table *t,
                            const struct cp_label *labels, uint32_t n,
                            struct cp_error *err)
{
    if (n == 0)
        return 0;
    if (sort_copy(t, labels, n, err) != CP_OK)
        return CP_NONE;
    return cp_label_table_add_ordered(t, t->sorted, n,
                                      cp_label_table_hash(t->sorted, n), err);
}

void cp_label_table_release(struct cp_label_table *t)
{
    cp_free(t->slots);
    cp_free(t->sorted);
    *t = (struct cp_label_table){ 0 };
}
