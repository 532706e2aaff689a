/*
 * tag_frames.c - builds frames from label sets and inserts them into stacks.
 *
 * The frames of a sample depend only on its label set, so they are built once
 * per set. Stacks then move to a new array with space at both ends.
 */
#include "profile/transform/tag_frames.h"

#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/out.h"
#include "base/units.h"
#include "profile/model/profile.h"

struct key_list {
    struct cp_str *keys;
    uint32_t n;
    bool any_match;
};

struct adder {
    struct cp_profile *p;
    struct key_list root, leaf;
    const char *unit;
    uint32_t *frames; /* location by set and key: roots, then leaves */
    size_t cap_locations, cap_lines, cap_functions;
    uint32_t *by_frame; /* hash table of location + 1 by key and value */
    uint32_t mask;
    uint32_t first_new; /* index of the first added location */
    struct cp_out text; /* name being built */
    struct cp_arena scratch;
    struct cp_error *err;
};

/* Splits a comma-separated list of keys, last first; skips empty ones. */
static enum cp_status split_keys(struct adder *a, const char *text,
                                 struct key_list *list)
{
    size_t most = strlen(text) / 2 + 1;
    const char *end = text + strlen(text), *at;

    list->keys = cp_arena_alloc(&a->scratch, most, sizeof(*list->keys), a->err);
    if (!list->keys)
        return CP_ENOMEM;
    while (end > text) {
        for (at = end; at > text && at[-1] != ',';)
            at--;
        if (at < end)
            list->keys[list->n++] = (struct cp_str){ at, (uint32_t)(end - at) };
        end = at > text ? at - 1 : text;
    }
    return CP_OK;
}

/*
 * Writes "text,text,number" for one key of a set; false if the set lacks the
 * key.
 */
static bool write_values(const struct adder *a, const struct cp_label_set *set,
                         struct cp_str key, struct cp_out *out)
{
    const struct cp_profile *p = a->p;
    const struct cp_label *labels = p->labels + set->labels;
    bool has_units = false, any = false;
    char number[CP_LABEL_BYTES];

    for (uint32_t i = 0; i < set->n_labels; i++)
        if (labels[i].str == CP_NONE &&
            cp_str_cmp(cp_profile_str(p, labels[i].key), key) == 0)
            has_units |= labels[i].unit != 0;
    for (uint32_t i = 0; i < set->n_labels; i++) {
        if (cp_str_cmp(cp_profile_str(p, labels[i].key), key) != 0)
            continue;
        cp_out_cstr(out, any ? "," : "");
        any = true;
        if (labels[i].str != CP_NONE) {
            cp_out_str(out, cp_profile_str(p, labels[i].str));
        } else if (has_units) {
            cp_unit_label(labels[i].num, cp_profile_cstr(p, labels[i].unit),
                          a->unit, number);
            cp_out_cstr(out, number);
        } else {
            cp_out_i64(out, labels[i].num);
        }
    }
    return any;
}

static uint32_t *find_frame(const struct adder *a, uint32_t name, uint32_t file)
{
    const struct cp_profile *p = a->p;
    uint32_t i = (uint32_t)cp_hash_mix(name, file) & a->mask;

    for (; a->by_frame[i]; i = (i + 1) & a->mask) {
        const struct cp_location *l = &p->locations[a->by_frame[i] - 1];
        const struct cp_function *f =
            &p->functions[p->lines[l->lines].function];

        if (f->name == name && f->filename == file)
            break;
    }
    return &a->by_frame[i];
}

/* Adds a function, a line and a location; ids continue after the highest id. */
static enum cp_status append_frame(struct adder *a, uint32_t name,
                                   uint32_t file, uint64_t ids[2])
{
    struct cp_profile *p = a->p;

    if (cp_arena_reserve(&p->arena, &p->functions, p->n_functions,
                         &a->cap_functions, (size_t)p->n_functions + 1,
                         sizeof(*p->functions), a->err) != CP_OK ||
        cp_arena_reserve(&p->arena, &p->lines, p->n_lines, &a->cap_lines,
                         (size_t)p->n_lines + 1, sizeof(*p->lines),
                         a->err) != CP_OK ||
        cp_arena_reserve(&p->arena, &p->locations, p->n_locations,
                         &a->cap_locations, (size_t)p->n_locations + 1,
                         sizeof(*p->locations), a->err) != CP_OK)
        return CP_ENOMEM;
    ids[0]++;
    ids[1]++;
    p->functions[p->n_functions] =
        (struct cp_function){ .id = ids[0], .name = name, .filename = file };
    p->lines[p->n_lines] = (struct cp_line){ p->n_functions++, 0, 0 };
    p->locations[p->n_locations++] = (struct cp_location){
        .id = ids[1], .mapping = CP_NONE, .lines = p->n_lines++, .n_lines = 1
    };
    return CP_OK;
}

static void largest_ids(const struct cp_profile *p, uint64_t ids[2])
{
    ids[0] = ids[1] = 0;
    for (uint32_t i = 0; i < p->n_functions; i++)
        ids[0] = p->functions[i].id > ids[0] ? p->functions[i].id : ids[0];
    for (uint32_t i = 0; i < p->n_locations; i++)
        ids[1] = p->locations[i].id > ids[1] ? p->locations[i].id : ids[1];
}

static enum cp_status grow_table(struct adder *a)
{
    uint32_t n = a->p->n_locations - a->first_new;
    uint32_t n_slots = a->by_frame ? (a->mask + 1) * 2 : 256;

    if (a->by_frame && n < a->mask / 2)
        return CP_OK;
    a->by_frame =
        cp_arena_alloc(&a->scratch, n_slots, sizeof(*a->by_frame), a->err);
    if (!a->by_frame)
        return CP_ENOMEM;
    a->mask = n_slots - 1;
    for (uint32_t i = a->first_new; i < a->p->n_locations; i++) {
        const struct cp_location *l = &a->p->locations[i];
        const struct cp_function *f =
            &a->p->functions[a->p->lines[l->lines].function];

        *find_frame(a, f->name, f->filename) = i + 1;
    }
    return CP_OK;
}

/*
 * Returns the location for one key of a set; CP_NONE with *err set on failure.
 */
static uint32_t frame_of(struct adder *a, const struct cp_label_set *set,
                         struct cp_str key, bool *any_match, uint64_t ids[2])
{
    struct cp_strtab *strings = &a->p->strings;
    uint32_t name, file, *slot;

    if (grow_table(a) != CP_OK)
        return CP_NONE;
    a->text.len = 0;
    *any_match |= write_values(a, set, key, &a->text);
    if (cp_out_finish(&a->text, a->err) != CP_OK)
        return CP_NONE;
    name = cp_strtab_add(strings, a->text.buf ? a->text.buf : "", a->text.len,
                         a->err);
    file = cp_strtab_add(strings, key.ptr, key.len, a->err);
    if (name == CP_NO_STR || file == CP_NO_STR)
        return CP_NONE;
    slot = find_frame(a, name, file);
    if (*slot)
        return *slot - 1;
    if (append_frame(a, name, file, ids) != CP_OK)
        return CP_NONE;
    *slot = a->p->n_locations;
    return *slot - 1;
}

/* Creates the frames of each used set, in the order of the samples. */
static enum cp_status make_frames(struct adder *a)
{
    struct cp_profile *p = a->p;
    uint32_t n = a->root.n + a->leaf.n;
    bool *is_done =
        cp_arena_alloc(&a->scratch, p->n_label_sets, sizeof(*is_done), a->err);
    uint64_t ids[2];

    a->frames = cp_arena_alloc(&a->scratch, (size_t)p->n_label_sets * n,
                               sizeof(*a->frames), a->err);
    if (!is_done || !a->frames)
        return CP_ENOMEM;
    largest_ids(p, ids);
    for (uint32_t i = 0; i < p->n_samples; i++) {
        uint32_t set = p->samples[i].label_set;
        uint32_t *to = a->frames + (size_t)set * n;

        if (is_done[set])
            continue;
        is_done[set] = true;
        for (uint32_t k = 0; k < n; k++) {
            bool is_root = k < a->root.n;
            struct key_list *list = is_root ? &a->root : &a->leaf;

            to[k] = frame_of(a, &p->label_sets[set],
                             list->keys[is_root ? k : k - a->root.n],
                             &list->any_match, ids);
            if (to[k] == CP_NONE)
                return CP_ENOMEM;
        }
    }
    return CP_OK;
}

static enum cp_status move_stacks(struct adder *a)
{
    struct cp_profile *p = a->p;
    uint32_t n = a->root.n + a->leaf.n;
    uint64_t total = 0, at = 0;
    uint32_t *locs;

    for (uint32_t i = 0; i < p->n_samples; i++)
        total += p->samples[i].n_locs + (uint64_t)n;
    locs = cp_arena_alloc(&p->arena, total, sizeof(*locs), a->err);
    if (!locs)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_samples; i++) {
        struct cp_sample *s = &p->samples[i];
        const uint32_t *frames = a->frames + (size_t)s->label_set * n;
        uint32_t *to = locs + at;

        memcpy(to, frames + a->root.n, a->leaf.n * sizeof(*to));
        memcpy(to + a->leaf.n, p->locs + s->locs, s->n_locs * sizeof(*to));
        memcpy(to + a->leaf.n + s->n_locs, frames, a->root.n * sizeof(*to));
        s->locs = at;
        s->n_locs += n;
        at += s->n_locs;
    }
    p->locs = locs;
    p->n_locs = total;
    return CP_OK;
}

enum cp_status cp_tag_frames_add(struct cp_profile *p, const char *root,
                                 const char *leaf, const char *unit,
                                 bool *root_matched, bool *leaf_matched,
                                 struct cp_error *err)
{
    struct adder a = { .p = p,
                       .unit = unit,
                       .cap_locations = p->n_locations,
                       .cap_lines = p->n_lines,
                       .cap_functions = p->n_functions,
                       .first_new = p->n_locations,
                       .text = { .fd = -1 },
                       .err = err };
    enum cp_status status = CP_OK;

    if (split_keys(&a, root, &a.root) != CP_OK ||
        split_keys(&a, leaf, &a.leaf) != CP_OK)
        status = CP_ENOMEM;
    if (status == CP_OK && a.root.n + a.leaf.n > 0) {
        status = make_frames(&a);
        if (status == CP_OK)
            status = move_stacks(&a);
    }
    *root_matched = a.root.any_match;
    *leaf_matched = a.leaf.any_match;
    cp_out_release(&a.text);
    cp_arena_release(&a.scratch);
    return status;
}
