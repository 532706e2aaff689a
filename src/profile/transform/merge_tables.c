/* merge_tables.c - finds or adds merged mappings, functions and locations. */
#include "profile/transform/merge_tables.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"

#define PAGE ((uint64_t)4096)

void cp_merge_tables_init(struct cp_merge_tables *t, struct cp_profile *to,
                          struct cp_error *err)
{
    *t = (struct cp_merge_tables){ .to = to, .err = err };
}

static void release_source(struct cp_merge_tables *t)
{
    cp_free(t->strings);
    cp_free(t->functions);
    cp_free(t->locations);
    cp_free(t->mappings);
    t->strings = t->functions = t->locations = t->mappings = NULL;
}

enum cp_status cp_merge_tables_begin(struct cp_merge_tables *t,
                                     const struct cp_profile *from)
{
    release_source(t);
    t->from = from;
    t->strings = cp_alloc(from->strings.n, sizeof(uint32_t), t->err);
    t->functions = cp_alloc(from->n_functions, sizeof(uint32_t), t->err);
    t->locations = cp_alloc(from->n_locations, sizeof(uint32_t), t->err);
    t->mappings = cp_alloc(from->n_mappings, sizeof(uint32_t), t->err);
    return t->strings && t->functions && t->locations && t->mappings
               ? CP_OK
               : CP_ENOMEM;
}

void cp_merge_tables_release(struct cp_merge_tables *t)
{
    release_source(t);
    cp_free(t->by_mapping.slots);
    cp_free(t->by_function.slots);
    cp_free(t->by_location.slots);
    *t = (struct cp_merge_tables){ 0 };
}

uint32_t cp_merge_string(struct cp_merge_tables *t, uint32_t id)
{
    if (!t->strings[id]) {
        struct cp_str text = cp_profile_str(t->from, id);

        t->strings[id] =
            cp_strtab_add(&t->to->strings, text.ptr, text.len, t->err) + 1;
    }
    return t->strings[id] - 1; /* CP_NO_STR + 1 - 1 is CP_NO_STR */
}

static uint64_t rounded_size(const struct cp_mapping *m)
{
    return (m->limit - m->start + PAGE - 1) & ~(PAGE - 1);
}

static uint32_t name_of(const struct cp_mapping *m)
{
    return m->build_id ? m->build_id : m->file;
}

static bool is_full(const struct cp_merge_index *x, uint32_t n)
{
    return !x->slots || n >= x->mask / 2;
}

/* Doubles a hash index and clears it; the caller reinserts the entries. */
static enum cp_status grow(struct cp_merge_index *x, struct cp_error *err)
{
    uint32_t n = x->slots ? (x->mask + 1) * 2 : 256;

    cp_free(x->slots);
    x->slots = n ? cp_alloc_table(n, sizeof(*x->slots), err) : NULL;
    x->mask = n - 1;
    return x->slots ? CP_OK : cp_error_nomem(err);
}

static uint32_t *find_mapping(const struct cp_merge_tables *t,
                              const struct cp_mapping *m)
{
    const struct cp_merge_index *x = &t->by_mapping;
    uint64_t h = cp_hash_mix(rounded_size(m), m->offset);
    uint32_t i = (uint32_t)cp_hash_mix(h, name_of(m)) & x->mask;

    for (; x->slots[i]; i = (i + 1) & x->mask) {
        const struct cp_mapping *k = &t->to->mappings[x->slots[i] - 1];

        if (rounded_size(k) == rounded_size(m) && k->offset == m->offset &&
            name_of(k) == name_of(m))
            break;
    }
    return &x->slots[i];
}

static uint32_t add_mapping(struct cp_merge_tables *t, struct cp_mapping m)
{
    struct cp_profile *to = t->to;
    uint32_t *slot;

    if (is_full(&t->by_mapping, to->n_mappings)) {
        if (grow(&t->by_mapping, t->err) != CP_OK)
            return CP_NONE;
        for (uint32_t i = 0; i < to->n_mappings; i++)
            *find_mapping(t, &to->mappings[i]) = i + 1;
    }
    slot = find_mapping(t, &m);
    if (*slot)
        return *slot - 1;
    if (cp_arena_reserve(&to->arena, &to->mappings, to->n_mappings,
                         &t->cap_mappings, (size_t)to->n_mappings + 1,
                         sizeof(m), t->err) != CP_OK)
        return CP_NONE;
    m.id = (uint64_t)to->n_mappings + 1;
    to->mappings[to->n_mappings++] = m;
    *slot = to->n_mappings;
    return *slot - 1;
}

uint32_t cp_merge_mapping(struct cp_merge_tables *t, uint32_t mapping)
{
    struct cp_mapping m = t->from->mappings[mapping];

    if (t->mappings[mapping])
        return t->mappings[mapping] - 1;
    m.file = cp_merge_string(t, m.file);
    m.build_id = cp_merge_string(t, m.build_id);
    if (m.file == CP_NO_STR || m.build_id == CP_NO_STR)
        return CP_NONE;
    t->mappings[mapping] = add_mapping(t, m) + 1;
    return t->mappings[mapping] - 1;
}

static uint32_t *find_function(const struct cp_merge_tables *t,
                               const struct cp_function *f)
{
    const struct cp_merge_index *x = &t->by_function;
    uint64_t h = cp_hash_mix((uint64_t)f->name << 32 | f->system_name,
                             (uint64_t)f->filename);
    uint32_t i = (uint32_t)cp_hash_mix(h, (uint64_t)f->start_line) & x->mask;

    for (; x->slots[i]; i = (i + 1) & x->mask) {
        const struct cp_function *g = &t->to->functions[x->slots[i] - 1];

        if (g->name == f->name && g->system_name == f->system_name &&
            g->filename == f->filename && g->start_line == f->start_line)
            break;
    }
    return &x->slots[i];
}

static uint32_t add_function(struct cp_merge_tables *t, struct cp_function f)
{
    struct cp_profile *to = t->to;
    uint32_t *slot;

    if (is_full(&t->by_function, to->n_functions)) {
        if (grow(&t->by_function, t->err) != CP_OK)
            return CP_NONE;
        for (uint32_t i = 0; i < to->n_functions; i++)
            *find_function(t, &to->functions[i]) = i + 1;
    }
    slot = find_function(t, &f);
    if (*slot)
        return *slot - 1;
    if (cp_arena_reserve(&to->arena, &to->functions, to->n_functions,
                         &t->cap_functions, (size_t)to->n_functions + 1,
                         sizeof(f), t->err) != CP_OK)
        return CP_NONE;
    f.id = (uint64_t)to->n_functions + 1;
    to->functions[to->n_functions++] = f;
    *slot = to->n_functions;
    return *slot - 1;
}

static uint32_t merge_function(struct cp_merge_tables *t, uint32_t function)
{
    struct cp_function f = t->from->functions[function];

    if (t->functions[function])
        return t->functions[function] - 1;
    f.name = cp_merge_string(t, f.name);
    f.system_name = cp_merge_string(t, f.system_name);
    f.filename = cp_merge_string(t, f.filename);
    if (f.name == CP_NO_STR || f.system_name == CP_NO_STR ||
        f.filename == CP_NO_STR)
        return CP_NONE;
    t->functions[function] = add_function(t, f) + 1;
    return t->functions[function] - 1;
}

static bool same_lines(const struct cp_line *a, const struct cp_line *b,
                       uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].function != b[i].function || a[i].line != b[i].line ||
            a[i].column != b[i].column)
            return false;
    return true;
}

static uint32_t *find_location(const struct cp_merge_tables *t,
                               const struct cp_location *l)
{
    const struct cp_profile *to = t->to;
    const struct cp_merge_index *x = &t->by_location;
    const struct cp_line *lines = to->lines + l->lines;
    uint64_t h =
        cp_hash_mix(l->address, (uint64_t)l->mapping << 32 | l->n_lines);

    for (uint32_t i = 0; i < l->n_lines; i++) {
        h = cp_hash_mix(h ^ lines[i].function, (uint64_t)lines[i].line);
        if (lines[i].column)
            h = cp_hash_mix(h, (uint64_t)lines[i].column);
    }
    h = cp_hash_mix(h, l->is_folded);
    uint32_t i = (uint32_t)h & x->mask;
    for (; x->slots[i]; i = (i + 1) & x->mask) {
        const struct cp_location *k = &to->locations[x->slots[i] - 1];

        if (k->address == l->address && k->mapping == l->mapping &&
            k->is_folded == l->is_folded && k->n_lines == l->n_lines &&
            same_lines(to->lines + k->lines, lines, l->n_lines))
            break;
    }
    return &x->slots[i];
}

/* Appends the lines of a source location to the merged lines. */
static enum cp_status copy_lines(struct cp_merge_tables *t,
                                 struct cp_location *l)
{
    struct cp_profile *to = t->to;
    const struct cp_line *from = t->from->lines + l->lines;

    if (cp_arena_reserve(&to->arena, &to->lines, to->n_lines, &t->cap_lines,
                         (size_t)to->n_lines + l->n_lines, sizeof(*to->lines),
                         t->err) != CP_OK)
        return CP_ENOMEM;
    l->lines = to->n_lines;
    for (uint32_t i = 0; i < l->n_lines; i++) {
        struct cp_line line = from[i];

        line.function = merge_function(t, line.function);
        if (line.function == CP_NONE)
            return CP_ENOMEM;
        to->lines[l->lines + i] = line;
    }
    return CP_OK;
}

static uint32_t add_location(struct cp_merge_tables *t, struct cp_location l)
{
    struct cp_profile *to = t->to;
    uint32_t *slot;

    if (is_full(&t->by_location, to->n_locations)) {
        if (grow(&t->by_location, t->err) != CP_OK)
            return CP_NONE;
        for (uint32_t i = 0; i < to->n_locations; i++)
            *find_location(t, &to->locations[i]) = i + 1;
    }
    slot = find_location(t, &l);
    if (*slot)
        return *slot - 1;
    if (cp_arena_reserve(&to->arena, &to->locations, to->n_locations,
                         &t->cap_locations, (size_t)to->n_locations + 1,
                         sizeof(l), t->err) != CP_OK)
        return CP_NONE;
    to->n_lines += l.n_lines;
    l.id = (uint64_t)to->n_locations + 1;
    to->locations[to->n_locations++] = l;
    *slot = to->n_locations;
    return *slot - 1;
}

uint32_t cp_merge_location_slow(struct cp_merge_tables *t, uint32_t location)
{
    struct cp_location l = t->from->locations[location];

    if (l.mapping != CP_NONE) {
        uint64_t start = t->from->mappings[l.mapping].start;

        l.mapping = cp_merge_mapping(t, l.mapping);
        if (l.mapping == CP_NONE)
            return CP_NONE;
        l.address += t->to->mappings[l.mapping].start - start;
    }
    if (copy_lines(t, &l) != CP_OK)
        return CP_NONE;
    t->locations[location] = add_location(t, l) + 1;
    return t->locations[location] - 1;
}
