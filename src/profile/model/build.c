/*
 * build.c - grows the arrays of a profile and finds locations by address.
 *
 * The arrays live in the profile's arena. The address table is allocated apart,
 * because it is freed with the builder. It is a hash table with open addressing
 * that holds index + 1, 0 for a free slot, at a load of at most 1/2.
 */
#include "profile/model/build.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"

#define FIRST_SLOTS 64

/* Reserves space for `more` elements in an array of the profile. */
#define GROW(b, array, n, cap, more)                                           \
    (cp_arena_reserve(&(b)->profile->arena, &(b)->profile->array,              \
                      (b)->profile->n, &(b)->cap,                              \
                      (uint64_t)(b)->profile->n + (more),                      \
                      sizeof(*(b)->profile->array), err))

enum cp_status cp_builder_init(struct cp_builder *b, struct cp_error *err)
{
    *b = (struct cp_builder){ 0 };
    b->profile = cp_profile_new(err);
    b->by_address = cp_alloc(FIRST_SLOTS, sizeof(*b->by_address), err);
    b->by_address_mask = FIRST_SLOTS - 1;
    if (!b->profile || !b->by_address ||
        cp_label_table_init(&b->labels, b->profile, err) != CP_OK) {
        cp_builder_release(b);
        return CP_ENOMEM;
    }
    return CP_OK;
}

void cp_builder_release(struct cp_builder *b)
{
    cp_profile_free(cp_builder_take(b));
}

struct cp_profile *cp_builder_take(struct cp_builder *b)
{
    struct cp_profile *profile = b->profile;

    cp_free(b->by_address);
    cp_label_table_release(&b->labels);
    *b = (struct cp_builder){ 0 };
    return profile;
}

/* Fails if the next index would not fit 32 bits or would equal CP_NONE. */
static enum cp_status check_count(uint64_t n, const char *what,
                                  struct cp_error *err)
{
    if (n < CP_NONE - 1)
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT, "too many %s", what);
}

uint32_t cp_builder_str(struct cp_builder *b, const char *text, size_t len,
                        struct cp_error *err)
{
    return cp_strtab_add(&b->profile->strings, text, len, err);
}

static enum cp_status intern_type(struct cp_builder *b, const char *type,
                                  const char *unit, struct cp_value_type *out,
                                  struct cp_error *err)
{
    uint32_t t = cp_builder_str(b, type, strlen(type), err);
    uint32_t u = cp_builder_str(b, unit, strlen(unit), err);

    if (t == CP_NO_STR || u == CP_NO_STR)
        return CP_ENOMEM;
    *out = (struct cp_value_type){ t, u };
    return CP_OK;
}

enum cp_status cp_builder_type(struct cp_builder *b, const char *type,
                               const char *unit, struct cp_error *err)
{
    struct cp_profile *p = b->profile;

    assert(p->n_samples == 0);
    if (GROW(b, types, n_types, cap_types, 1) != CP_OK ||
        intern_type(b, type, unit, &p->types[p->n_types], err) != CP_OK)
        return CP_ENOMEM;
    p->n_types++;
    return CP_OK;
}

enum cp_status cp_builder_period(struct cp_builder *b, const char *type,
                                 const char *unit, int64_t period,
                                 struct cp_error *err)
{
    struct cp_profile *p = b->profile;

    if (intern_type(b, type, unit, &p->period_type, err) != CP_OK)
        return CP_ENOMEM;
    p->period = period;
    return CP_OK;
}

/*
 * Returns the slot of the location with this address, or the free slot for it.
 */
static uint32_t *find_address(const struct cp_builder *b, uint64_t address)
{
    const struct cp_location *locations = b->profile->locations;
    uint32_t i = (uint32_t)cp_hash_mix(address, 0) & b->by_address_mask;

    while (b->by_address[i] &&
           locations[b->by_address[i] - 1].address != address)
        i = (i + 1) & b->by_address_mask;
    return &b->by_address[i];
}

static enum cp_status grow_by_address(struct cp_builder *b,
                                      struct cp_error *err)
{
    size_t n_slots = ((size_t)b->by_address_mask + 1) * 2;
    uint32_t *slots;

    if (b->profile->n_locations < b->by_address_mask / 2)
        return CP_OK;
    if (n_slots > UINT32_MAX)
        return cp_error_nomem(err);
    slots = cp_alloc(n_slots, sizeof(*slots), err);
    if (!slots)
        return CP_ENOMEM;
    cp_free(b->by_address);
    b->by_address = slots;
    b->by_address_mask = (uint32_t)(n_slots - 1);
    for (uint32_t i = 0; i < b->profile->n_locations; i++)
        *find_address(b, b->profile->locations[i].address) = i + 1;
    return CP_OK;
}

uint32_t cp_builder_find_location(const struct cp_builder *b, uint64_t address)
{
    uint32_t found = *find_address(b, address);

    return found ? found - 1 : CP_NONE;
}

uint32_t cp_builder_location(struct cp_builder *b, uint64_t address,
                             struct cp_error *err)
{
    struct cp_profile *p = b->profile;
    uint32_t index = *find_address(b, address);

    if (index)
        return index - 1;
    if (check_count(p->n_locations, "locations", err) != CP_OK ||
        grow_by_address(b, err) != CP_OK ||
        GROW(b, locations, n_locations, cap_locations, 1) != CP_OK)
        return CP_NONE;
    index = p->n_locations;
    p->locations[index] = (struct cp_location){ .id = (uint64_t)index + 1,
                                                .address = address,
                                                .mapping = CP_NONE };
    *find_address(b, address) = index + 1;
    p->n_locations++;
    return index;
}

uint32_t cp_builder_new_location(struct cp_builder *b, struct cp_location l,
                                 struct cp_error *err)
{
    struct cp_profile *p = b->profile;

    if (check_count(p->n_locations, "locations", err) != CP_OK ||
        GROW(b, locations, n_locations, cap_locations, 1) != CP_OK)
        return CP_NONE;
    l.id = (uint64_t)p->n_locations + 1;
    l.lines = l.n_lines = 0;
    p->locations[p->n_locations] = l;
    return p->n_locations++;
}

/*
 * Moves the lines of a location to the end of the array, where one can be
 * appended.
 */
static void move_lines(struct cp_profile *p, struct cp_location *location)
{
    if (location->n_lines)
        memcpy(p->lines + p->n_lines, p->lines + location->lines,
               location->n_lines * sizeof(*p->lines));
    location->lines = p->n_lines;
    p->n_lines += location->n_lines;
}

enum cp_status cp_builder_line(struct cp_builder *b, uint32_t location,
                               struct cp_line line, struct cp_error *err)
{
    struct cp_profile *p = b->profile;
    struct cp_location *l = &p->locations[location];
    bool is_last = (uint64_t)l->lines + l->n_lines == p->n_lines;
    uint32_t more = 1 + (is_last ? 0 : l->n_lines);
    enum cp_status status =
        check_count((uint64_t)p->n_lines + more, "lines", err);

    if (status == CP_OK)
        status = GROW(b, lines, n_lines, cap_lines, more);
    if (status != CP_OK)
        return status;
    if (!is_last)
        move_lines(p, l);
    p->lines[p->n_lines++] = line;
    l->n_lines++;
    return CP_OK;
}

uint32_t cp_builder_function(struct cp_builder *b, struct cp_function f,
                             struct cp_error *err)
{
    struct cp_profile *p = b->profile;

    if (check_count(p->n_functions, "functions", err) != CP_OK ||
        GROW(b, functions, n_functions, cap_functions, 1) != CP_OK)
        return CP_NONE;
    f.id = (uint64_t)p->n_functions + 1;
    p->functions[p->n_functions] = f;
    return p->n_functions++;
}

uint32_t cp_builder_mapping(struct cp_builder *b, struct cp_mapping m,
                            struct cp_error *err)
{
    struct cp_profile *p = b->profile;

    if (check_count(p->n_mappings, "mappings", err) != CP_OK ||
        GROW(b, mappings, n_mappings, cap_mappings, 1) != CP_OK)
        return CP_NONE;
    m.id = (uint64_t)p->n_mappings + 1;
    p->mappings[p->n_mappings] = m;
    return p->n_mappings++;
}

enum cp_status cp_builder_comment(struct cp_builder *b, const char *text,
                                  size_t len, struct cp_error *err)
{
    struct cp_profile *p = b->profile;
    uint32_t comment = cp_builder_str(b, text, len, err);

    if (comment == CP_NO_STR ||
        GROW(b, comments, n_comments, cap_comments, 1) != CP_OK)
        return CP_ENOMEM;
    p->comments[p->n_comments++] = comment;
    return CP_OK;
}

uint32_t cp_builder_label_set(struct cp_builder *b,
                              const struct cp_label *labels, uint32_t n,
                              struct cp_error *err)
{
    return cp_label_table_add(&b->labels, labels, n, err);
}

/*
 * Reserves one location more than needed, so that the array is not NULL for
 * empty stacks.
 */
enum cp_status cp_builder_sample(struct cp_builder *b, const uint32_t *locs,
                                 uint32_t n_locs, const int64_t *values,
                                 uint32_t label_set, struct cp_error *err)
{
    struct cp_profile *p = b->profile;
    size_t n_values = (size_t)p->n_samples * p->n_types;

    if (n_locs > CP_MAX_DEPTH)
        return cp_error_set(err, CP_EFORMAT,
                            "a stack has %u frames, which is too many", n_locs);
    if (check_count(p->n_samples, "samples", err) != CP_OK)
        return CP_EFORMAT;
    if (GROW(b, samples, n_samples, cap_samples, 1) != CP_OK ||
        GROW(b, locs, n_locs, cap_locs, (uint64_t)n_locs + 1) != CP_OK ||
        cp_arena_reserve(&p->arena, &p->values, n_values, &b->cap_values,
                         n_values + p->n_types, sizeof(*p->values),
                         err) != CP_OK)
        return CP_ENOMEM;
    p->samples[p->n_samples++] =
        (struct cp_sample){ p->n_locs, n_locs, label_set };
    if (n_locs)
        memcpy(p->locs + p->n_locs, locs, n_locs * sizeof(*locs));
    if (p->n_types)
        memcpy(p->values + n_values, values, p->n_types * sizeof(*values));
    p->n_locs += n_locs;
    return CP_OK;
}
