/* merge.c - see merge.h. */
#include "profile/merge.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "profile/label_table.h"
#include "profile/merge_tables.h"

struct merger {
    struct cp_profile *to;
    struct cp_merge_tables tables;
    struct cp_label_table labels;
    uint64_t *hashes; /* by sample of `to` */
    uint32_t *slots;  /* sample + 1 by stack and labels */
    uint32_t mask;
    uint32_t *sets; /* by label set of the source, + 1 */
    size_t cap_room;
    struct cp_label *room;
    struct cp_error *err;
};

static bool is_zero(const struct cp_profile *p, uint32_t i)
{
    for (uint32_t k = 0; k < p->n_types; k++)
        if (p->values[(size_t)i * p->n_types + k] != 0)
            return false;
    return true;
}

/* The set in the merged profile for set number `set` of `from`. */
static uint32_t map_label_set(struct merger *m, const struct cp_profile *from,
                              uint32_t set)
{
    const struct cp_label_set *s = &from->label_sets[set];
    uint32_t found;

    if (set == 0 || m->sets[set])
        return set ? m->sets[set] - 1 : 0;
    if (cp_reserve(&m->room, &m->cap_room, s->n_labels, sizeof(*m->room),
                   m->err) != CP_OK)
        return CP_NONE;
    for (uint32_t i = 0; i < s->n_labels; i++) {
        struct cp_label l = from->labels[s->labels + i];

        l.key = cp_merge_string(&m->tables, l.key);
        l.str = l.str == CP_NONE ? l.str : cp_merge_string(&m->tables, l.str);
        l.unit = cp_merge_string(&m->tables, l.unit);
        if (l.key == CP_NO_STR || l.unit == CP_NO_STR ||
            m->tables.err->status != CP_OK)
            return CP_NONE;
        m->room[i] = l;
    }
    found = cp_label_table_add(&m->labels, m->room, s->n_labels, m->err);
    m->sets[set] = found + 1;
    return found;
}

static uint64_t hash_stack(const uint32_t *locs, uint32_t n, uint32_t set)
{
    uint64_t h = (uint64_t)n << 32 | set, a, b;

    for (; n >= 4; n -= 4, locs += 4) {
        memcpy(&a, locs, 8);
        memcpy(&b, locs + 2, 8);
        h = cp_hash_mix(h ^ a, b);
    }
    for (; n > 0; n--)
        h = cp_hash_mix(h, *locs++);
    return h;
}

static uint32_t *find_sample(const struct merger *m, uint64_t hash,
                             const uint32_t *locs, uint32_t n, uint32_t set)
{
    const struct cp_profile *to = m->to;
    uint32_t i = (uint32_t)hash & m->mask;

    for (; m->slots[i]; i = (i + 1) & m->mask) {
        const struct cp_sample *s = &to->samples[m->slots[i] - 1];

        if (m->hashes[m->slots[i] - 1] == hash && s->n_locs == n &&
            s->label_set == set &&
            memcmp(to->locs + s->locs, locs, n * sizeof(*locs)) == 0)
            break;
    }
    return &m->slots[i];
}

static void add_values(int64_t *to, const int64_t *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        to[k] = (int64_t)((uint64_t)to[k] + (uint64_t)from[k]);
}

static enum cp_status merge_sample(struct merger *m,
                                   const struct cp_profile *from, uint32_t i)
{
    struct cp_profile *to = m->to;
    const struct cp_sample *s = &from->samples[i];
    const uint32_t *stack = from->locs + s->locs;
    uint32_t *locs = to->locs + to->n_locs, set, *slot;
    uint64_t hash;

    for (uint32_t k = 0; k < s->n_locs; k++) {
        locs[k] = cp_merge_location(&m->tables, stack[k]);
        if (locs[k] == CP_NONE)
            return m->err->status;
    }
    set = map_label_set(m, from, s->label_set);
    if (set == CP_NONE)
        return CP_ENOMEM;
    hash = hash_stack(locs, s->n_locs, set);
    slot = find_sample(m, hash, locs, s->n_locs, set);
    if (!*slot) {
        to->samples[to->n_samples] =
            (struct cp_sample){ to->n_locs, s->n_locs, set };
        m->hashes[to->n_samples] = hash;
        to->n_locs += s->n_locs;
        *slot = ++to->n_samples;
    }
    add_values(to->values + (size_t)(*slot - 1) * to->n_types,
               from->values + (size_t)i * from->n_types, to->n_types);
    return CP_OK;
}

static enum cp_status merge_one(struct merger *m, const struct cp_profile *from)
{
    enum cp_status status = cp_merge_tables_begin(&m->tables, from);

    if (status != CP_OK)
        return status;
    cp_free(m->sets);
    m->sets = cp_alloc(from->n_label_sets, sizeof(*m->sets), m->err);
    if (!m->sets)
        return CP_ENOMEM;
    if (m->to->n_mappings == 0 && from->n_mappings > 0 &&
        cp_merge_mapping(&m->tables, 0) == CP_NONE)
        return CP_ENOMEM;
    for (uint32_t i = 0; status == CP_OK && i < from->n_samples; i++)
        if (!is_zero(from, i))
            status = merge_sample(m, from, i);
    return status;
}

static uint32_t copy_string(struct cp_profile *to,
                            const struct cp_profile *from, uint32_t id,
                            struct cp_error *err)
{
    struct cp_str text = cp_profile_str(from, id);

    return cp_strtab_add(&to->strings, text.ptr, text.len, err);
}

static enum cp_status copy_type(struct cp_profile *to,
                                const struct cp_profile *from,
                                struct cp_value_type type,
                                struct cp_value_type *out, struct cp_error *err)
{
    out->type = copy_string(to, from, type.type, err);
    out->unit = copy_string(to, from, type.unit, err);
    return out->type == CP_NO_STR || out->unit == CP_NO_STR ? CP_ENOMEM : CP_OK;
}

/* Comments in the order of first appearance, each once. */
struct comments {
    struct cp_strtab seen; /* their texts */
    bool has_empty;        /* "" is in every table, so it is noted here */
    size_t cap;
};

static enum cp_status merge_comments(struct cp_profile *to,
                                     const struct cp_profile *from,
                                     struct comments *c, struct cp_error *err)
{
    for (uint32_t i = 0; i < from->n_comments; i++) {
        struct cp_str text = cp_profile_str(from, from->comments[i]);
        uint32_t n_seen = c->seen.n;
        uint32_t id = copy_string(to, from, from->comments[i], err);

        if (id == CP_NO_STR ||
            cp_strtab_add(&c->seen, text.ptr, text.len, err) == CP_NO_STR)
            return CP_ENOMEM;
        if (c->seen.n == n_seen && (text.len > 0 || c->has_empty))
            continue;
        c->has_empty |= text.len == 0;
        if (cp_arena_reserve(&to->arena, &to->comments, to->n_comments, &c->cap,
                             (size_t)to->n_comments + 1, sizeof(*to->comments),
                             err) != CP_OK)
            return CP_ENOMEM;
        to->comments[to->n_comments++] = id;
    }
    return CP_OK;
}

/* Fields of which the first that is set, the largest or the sum counts. */
static enum cp_status merge_head(struct cp_profile *to,
                                 const struct cp_profile *from, bool is_first,
                                 struct comments *comments,
                                 struct cp_error *err)
{
    if (is_first) {
        to->drop_frames = copy_string(to, from, from->drop_frames, err);
        to->keep_frames = copy_string(to, from, from->keep_frames, err);
        if (copy_type(to, from, from->period_type, &to->period_type, err) !=
                CP_OK ||
            to->drop_frames == CP_NO_STR || to->keep_frames == CP_NO_STR)
            return CP_ENOMEM;
    }
    if (to->time_ns == 0 || from->time_ns < to->time_ns)
        to->time_ns = from->time_ns;
    to->duration_ns =
        (int64_t)((uint64_t)to->duration_ns + (uint64_t)from->duration_ns);
    if (to->period == 0 || to->period < from->period)
        to->period = from->period;
    if (to->default_type == 0)
        to->default_type = copy_string(to, from, from->default_type, err);
    if (to->doc_url == 0)
        to->doc_url = copy_string(to, from, from->doc_url, err);
    if (to->default_type == CP_NO_STR || to->doc_url == CP_NO_STR)
        return CP_ENOMEM;
    return merge_comments(to, from, comments, err);
}

static enum cp_status merge_heads(struct cp_profile *to,
                                  struct cp_profile **profiles, size_t n,
                                  struct cp_error *err)
{
    const struct cp_profile *first = profiles[0];
    struct comments comments = { 0 };

    to->types =
        cp_arena_alloc(&to->arena, first->n_types, sizeof(*to->types), err);
    if (!to->types ||
        cp_strtab_init(&comments.seen, &to->arena, 0, err) != CP_OK)
        return CP_ENOMEM;
    to->n_types = first->n_types;
    for (uint32_t k = 0; k < first->n_types; k++)
        if (copy_type(to, first, first->types[k], &to->types[k], err) != CP_OK)
            return CP_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (merge_head(to, profiles[i], i == 0, &comments, err) != CP_OK)
            return CP_ENOMEM;
    return CP_OK;
}

/* Room for all samples, untouched until used. */
static enum cp_status make_room(struct merger *m, struct cp_profile **profiles,
                                size_t n)
{
    struct cp_profile *to = m->to;
    uint64_t n_samples = 0, n_locs = 0, n_slots = 64;

    for (size_t i = 0; i < n; i++) {
        n_samples += profiles[i]->n_samples;
        for (uint32_t k = 0; k < profiles[i]->n_samples; k++)
            n_locs += profiles[i]->samples[k].n_locs;
    }
    if (n_samples >= CP_NONE / 4)
        return cp_error_set(m->err, CP_EFORMAT, "too many samples to merge");
    while (n_slots < n_samples * 2)
        n_slots *= 2;
    to->samples =
        cp_arena_alloc(&to->arena, n_samples, sizeof(*to->samples), m->err);
    to->values = cp_arena_alloc(&to->arena, n_samples * to->n_types,
                                sizeof(*to->values), m->err);
    to->locs = cp_arena_alloc(&to->arena, n_locs, sizeof(*to->locs), m->err);
    m->hashes = cp_alloc(n_samples, sizeof(*m->hashes), m->err);
    m->slots = cp_alloc(n_slots, sizeof(*m->slots), m->err);
    m->mask = (uint32_t)(n_slots - 1);
    return to->samples && to->values && to->locs && m->hashes && m->slots
               ? CP_OK
               : CP_ENOMEM;
}

static enum cp_status merge_all(struct merger *m, struct cp_profile **profiles,
                                size_t n)
{
    enum cp_status status = merge_heads(m->to, profiles, n, m->err);

    if (status == CP_OK)
        status = make_room(m, profiles, n);
    if (status == CP_OK)
        status = cp_label_table_init(&m->labels, m->to, m->err);
    for (size_t i = 0; i < n; i++) {
        if (status == CP_OK)
            status = merge_one(m, profiles[i]);
        cp_profile_free(profiles[i]);
        profiles[i] = NULL;
    }
    return status;
}

static struct cp_profile *merge_once(struct cp_profile **profiles, size_t n,
                                     struct cp_error *err)
{
    struct merger m = { .to = cp_profile_new(err), .err = err };
    enum cp_status status = CP_ENOMEM;

    if (m.to) {
        cp_merge_tables_init(&m.tables, m.to, err);
        status = merge_all(&m, profiles, n);
    }
    cp_merge_tables_release(&m.tables);
    cp_label_table_release(&m.labels);
    cp_free(m.hashes);
    cp_free(m.slots);
    cp_free(m.sets);
    cp_free(m.room);
    if (status == CP_OK)
        return m.to;
    cp_profile_free(m.to);
    return NULL;
}

struct cp_profile *cp_merge(struct cp_profile **profiles, size_t n,
                            struct cp_error *err)
{
    struct cp_error unseen = { 0 };
    struct cp_error *to = err ? err : &unseen;
    struct cp_profile *merged;

    to->status = CP_OK;
    merged = merge_once(profiles, n, to);
    for (size_t i = 0; i < n; i++) {
        cp_profile_free(profiles[i]);
        profiles[i] = NULL;
    }
    /* Samples that cancelled out leave things behind that nobody uses. */
    for (uint32_t i = 0; merged && i < merged->n_samples; i++)
        if (is_zero(merged, i))
            return merge_once(&merged, 1, to);
    return merged;
}
