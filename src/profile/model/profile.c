/* profile.c - creates, copies and frees profiles. */
#include "profile/model/profile.h"

#include <string.h>

#include "base/alloc.h"

/* Gives empty arrays an address, because adding 0 to NULL is undefined. */
static enum cp_status init_empty_arrays(struct cp_profile *p,
                                        struct cp_error *err)
{
    void *nothing = cp_arena_alloc(&p->arena, 1, 1, err);

    p->types = nothing;
    p->samples = nothing;
    p->values = nothing;
    p->locs = nothing;
    p->labels = nothing;
    p->locations = nothing;
    p->lines = nothing;
    p->functions = nothing;
    p->mappings = nothing;
    p->comments = nothing;
    return nothing ? CP_OK : CP_ENOMEM;
}

struct cp_profile *cp_profile_new(struct cp_error *err)
{
    struct cp_profile *p = cp_alloc(1, sizeof(*p), err);

    if (!p)
        return NULL;
    p->label_sets = cp_arena_alloc(&p->arena, 1, sizeof(*p->label_sets), err);
    p->n_label_sets = 1;
    if (init_empty_arrays(p, err) != CP_OK || !p->label_sets ||
        cp_strtab_init(&p->strings, &p->arena, 0, err) != CP_OK) {
        cp_profile_free(p);
        return NULL;
    }
    return p;
}

void cp_profile_free(struct cp_profile *p)
{
    if (!p)
        return;
    cp_arena_release(&p->arena);
    cp_free(p);
}

/* Replaces the borrowed array *at by a copy in the arena. */
static enum cp_status copy_array(struct cp_arena *arena, void *at, size_t n,
                                 size_t size, struct cp_error *err)
{
    void *old, *copy = cp_arena_alloc(arena, n, size, err);

    if (!copy)
        return CP_ENOMEM;
    memcpy(&old, at, sizeof(old));
    if (n)
        memcpy(copy, old, n * size);
    memcpy(at, &copy, sizeof(copy));
    return CP_OK;
}

static enum cp_status copy_strings(struct cp_profile *to,
                                   const struct cp_strtab *from,
                                   struct cp_error *err)
{
    if (cp_strtab_init(&to->strings, &to->arena, from->n, err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 1; i < from->n; i++)
        if (cp_strtab_add(&to->strings, from->items[i].ptr, from->items[i].len,
                          err) == CP_NO_STR)
            return CP_ENOMEM;
    return CP_OK;
}

/* Copies the stacks without the gaps that readers leave between them. */
static enum cp_status copy_stacks(struct cp_profile *to, struct cp_error *err)
{
    const uint32_t *from = to->locs;
    uint64_t n = 0;

    for (uint32_t i = 0; i < to->n_samples; i++)
        n += to->samples[i].n_locs;
    if (n >= to->n_locs) /* samples may share stacks */
        return copy_array(&to->arena, &to->locs, to->n_locs, sizeof(*to->locs),
                          err);
    to->locs = cp_arena_alloc(&to->arena, n, sizeof(*to->locs), err);
    if (!to->locs)
        return CP_ENOMEM;
    to->n_locs = 0;
    for (uint32_t i = 0; i < to->n_samples; i++) {
        struct cp_sample *s = &to->samples[i];

        if (s->n_locs)
            memcpy(to->locs + to->n_locs, from + s->locs,
                   s->n_locs * sizeof(*from));
        s->locs = to->n_locs;
        to->n_locs += s->n_locs;
    }
    return CP_OK;
}

#define COPY(field, n)                                                         \
    (copy_array(&to->arena, &to->field, (size_t)(n), sizeof(*to->field),       \
                err) == CP_OK)

struct cp_profile *cp_profile_copy(const struct cp_profile *p,
                                   struct cp_error *err)
{
    struct cp_profile *to = cp_alloc(1, sizeof(*to), err);

    if (!to)
        return NULL;
    *to = *p;
    to->arena = (struct cp_arena){ 0 };
    if (copy_strings(to, &p->strings, err) == CP_OK &&
        COPY(types, p->n_types) && COPY(samples, p->n_samples) &&
        COPY(values, (size_t)p->n_samples * p->n_types) &&
        copy_stacks(to, err) == CP_OK && COPY(label_sets, p->n_label_sets) &&
        COPY(labels, p->n_labels) && COPY(locations, p->n_locations) &&
        COPY(lines, p->n_lines) && COPY(functions, p->n_functions) &&
        COPY(mappings, p->n_mappings) && COPY(comments, p->n_comments))
        return to;
    cp_profile_free(to);
    return NULL;
}
