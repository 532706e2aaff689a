/* merge.c - merges headers and tables; merge_samples.c merges the samples. */
#include "profile/transform/merge.h"

#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/label_table.h"
#include "profile/model/stack_pool.h"
#include "profile/transform/merge_samples.h"
#include "profile/transform/merge_tables.h"

#define SETS_PER_BATCH 32 /* label sets per batch */
#define PREFETCH_AHEAD 16 /* locations to prefetch in advance */

struct merger {
    struct cp_profile *to;
    struct cp_merge_tables tables;
    struct cp_label_table labels;
    struct cp_merge_samples samples;
    size_t cap_scratch;
    struct cp_label *scratch;
    struct cp_error *err;
};

/* A label set of the current batch. */
struct moved_set {
    uint32_t set, labels, n_labels; /* labels: first index in m->scratch */
    uint32_t hash;
};

/*
 * Appends the labels of a set, with merged string numbers, to m->scratch at
 * *n_scratch.
 */
static enum cp_status map_labels(struct merger *m,
                                 const struct cp_profile *from,
                                 struct moved_set *v, size_t *n_scratch)
{
    const struct cp_label_set *s = &from->label_sets[v->set];

    if (cp_reserve(&m->scratch, &m->cap_scratch, *n_scratch + s->n_labels + 1,
                   sizeof(*m->scratch), m->err) != CP_OK)
        return CP_ENOMEM;
    v->labels = (uint32_t)*n_scratch;
    v->n_labels = s->n_labels;
    for (uint32_t i = 0; i < s->n_labels; i++) {
        struct cp_label l = from->labels[s->labels + i];

        l.key = cp_merge_string(&m->tables, l.key);
        l.str = l.str == CP_NONE ? l.str : cp_merge_string(&m->tables, l.str);
        l.unit = cp_merge_string(&m->tables, l.unit);
        if (l.key == CP_NO_STR || l.unit == CP_NO_STR ||
            m->tables.err->status != CP_OK)
            return CP_ENOMEM;
        m->scratch[(*n_scratch)++] = l;
    }
    v->hash = cp_label_table_hash(m->scratch + v->labels, v->n_labels);
    cp_label_table_prefetch(&m->labels, v->hash, 0);
    return CP_OK;
}

/* Merges a batch of n label sets of a source. */
static enum cp_status merge_some_sets(struct merger *m,
                                      struct cp_merge_source *s,
                                      const uint32_t *list, uint32_t n)
{
    struct moved_set moved_set[SETS_PER_BATCH];
    size_t n_scratch = 0;

    for (uint32_t i = 0; i < n; i++) {
        moved_set[i].set = list[i];
        if (map_labels(m, *s->profile, &moved_set[i], &n_scratch) != CP_OK)
            return CP_ENOMEM;
    }
    for (int step = 1; step <= 2; step++)
        for (uint32_t i = 0; i < n; i++)
            cp_label_table_prefetch(&m->labels, moved_set[i].hash, step);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t found = cp_label_table_add_ordered(
            &m->labels, m->scratch + moved_set[i].labels, moved_set[i].n_labels,
            moved_set[i].hash, m->err);

        if (found == CP_NONE)
            return CP_ENOMEM;
        s->set_of[list[i]] = found;
    }
    return CP_OK;
}

static enum cp_status merge_label_sets(struct merger *m,
                                       struct cp_merge_source *s)
{
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; status == CP_OK && i < s->n_sets; i += SETS_PER_BATCH)
        status = merge_some_sets(
            m, s, s->sets + i,
            s->n_sets - i < SETS_PER_BATCH ? s->n_sets - i : SETS_PER_BATCH);
    return status;
}

/*
 * Merges the locations of a source. They are no longer in the CPU cache, so
 * they are prefetched. The prefetch is inline, because gcc drops a call to a
 * function that only prefetches.
 */
static enum cp_status merge_locations(struct merger *m,
                                      struct cp_merge_source *s)
{
    const struct cp_profile *from = *s->profile;
    const uint32_t *list = s->locations;
    uint32_t n = s->n_locations, found;

    for (uint32_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            __builtin_prefetch(&from->locations[list[i + PREFETCH_AHEAD]]);
        if (i + PREFETCH_AHEAD / 2 < n)
            __builtin_prefetch(
                &from->lines[from->locations[list[i + PREFETCH_AHEAD / 2]]
                                 .lines]);
        found = cp_merge_location(&m->tables, list[i]);
        if (found == CP_NONE)
            return m->err->status;
        s->location_of[list[i]] = found;
    }
    return CP_OK;
}

/* Merges the tables that the samples of a source use, in the order of use. */
static enum cp_status merge_tables(void *context, struct cp_merge_source *s)
{
    struct merger *m = context;
    const struct cp_profile *from = *s->profile;
    enum cp_status status = cp_merge_tables_begin(&m->tables, from);

    if (status != CP_OK)
        return status;
    if (m->to->n_mappings == 0 && from->n_mappings > 0 &&
        cp_merge_mapping(&m->tables, 0) == CP_NONE)
        return CP_ENOMEM;
    status = merge_locations(m, s);
    return status == CP_OK ? merge_label_sets(m, s) : status;
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

/* Distinct comments in the order of first appearance. */
struct comments {
    struct cp_strtab seen; /* comments found so far, as strings */
    bool has_empty; /* "" is in every string table, so a flag records it */
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

/*
 * Merges scalar fields: the first that is set, the maximum or the sum, by
 * field.
 */
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

static enum cp_status merge_all(struct merger *m, struct cp_profile **profiles,
                                size_t n)
{
    enum cp_status status = merge_heads(m->to, profiles, n, m->err);

    if (status == CP_OK)
        status = cp_label_table_init(&m->labels, m->to, m->err);
    if (status == CP_OK)
        status = cp_merge_scan(&m->samples, profiles, n, m->err);
    if (status == CP_OK)
        status = cp_merge_write(&m->samples, m->to, merge_tables, m, m->err);
    return status;
}

static struct cp_profile *merge_once(struct cp_profile **profiles, size_t n,
                                     struct cp_stack_pool *pool,
                                     struct cp_error *err)
{
    struct merger m = { .to = cp_profile_new(err), .err = err };
    enum cp_status status = CP_ENOMEM;

    if (m.to) {
        cp_merge_tables_init(&m.tables, m.to, err);
        m.samples.pool = pool;
        status = merge_all(&m, profiles, n);
    }
    cp_merge_tables_release(&m.tables);
    cp_label_table_release(&m.labels);
    cp_merge_samples_release(&m.samples);
    cp_free(m.scratch);
    if (m.to && pool && m.to->locs == pool->locs)
        cp_arena_take(&m.to->arena, &pool->arena);
    if (status == CP_OK)
        return m.to;
    cp_profile_free(m.to);
    return NULL;
}

/*
 * Merges p alone once more, to drop table entries that only cancelled samples
 * used.
 */
static struct cp_profile *merge_again(struct cp_profile *p,
                                      struct cp_error *err)
{
    struct cp_profile *again = merge_once(&p, 1, NULL, err);

    cp_profile_free(p);
    return again;
}

struct cp_profile *cp_merge_in_pool(struct cp_profile **profiles, size_t n,
                                    struct cp_stack_pool *scratch,
                                    struct cp_error *err)
{
    struct cp_error unseen = { 0 };
    struct cp_error *to = err ? err : &unseen;
    struct cp_profile *merged;

    to->status = CP_OK;
    merged = merge_once(profiles, n, scratch, to);
    for (size_t i = 0; i < n; i++) {
        cp_profile_free(profiles[i]);
        profiles[i] = NULL;
    }
    for (uint32_t i = 0; merged && i < merged->n_samples; i++)
        if (cp_merge_is_zero(merged, i))
            return merge_again(merged, to);
    return merged;
}

struct cp_profile *cp_merge(struct cp_profile **profiles, size_t n,
                            struct cp_error *err)
{
    return cp_merge_in_pool(profiles, n, NULL, err);
}
