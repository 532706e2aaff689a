/* line_adder.c - adds functions and lines to an existing profile. */
#include "profile/model/line_adder.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "profile/model/profile.h"

#define FIRST_SLOTS 1024

enum cp_status cp_line_adder_init(struct cp_line_adder *a, struct cp_profile *p,
                                  struct cp_error *err)
{
    *a = (struct cp_line_adder){ .profile = p,
                                 .cap_functions = p->n_functions,
                                 .cap_lines = p->n_lines,
                                 .first = p->n_functions,
                                 .mask = FIRST_SLOTS - 1 };
    for (uint32_t i = 0; i < p->n_functions; i++)
        if (p->functions[i].id > a->next_id)
            a->next_id = p->functions[i].id;
    a->slots = cp_alloc(FIRST_SLOTS, sizeof(*a->slots), err);
    return a->slots ? CP_OK : CP_ENOMEM;
}

void cp_line_adder_release(struct cp_line_adder *a)
{
    cp_free(a->slots);
    *a = (struct cp_line_adder){ 0 };
}

static uint64_t hash_function(const struct cp_function *f)
{
    return cp_hash_mix((uint64_t)f->system_name << 32 | f->filename,
                       (uint64_t)f->start_line);
}

static uint32_t *find(const struct cp_line_adder *a,
                      const struct cp_function *f)
{
    const struct cp_function *all = a->profile->functions;
    uint32_t i = (uint32_t)hash_function(f) & a->mask;

    while (a->slots[i]) {
        const struct cp_function *g = &all[a->slots[i] - 1];

        if (g->system_name == f->system_name && g->filename == f->filename &&
            g->start_line == f->start_line)
            break;
        i = (i + 1) & a->mask;
    }
    return &a->slots[i];
}

static enum cp_status grow_slots(struct cp_line_adder *a, struct cp_error *err)
{
    const struct cp_profile *p = a->profile;
    uint32_t n = (a->mask + 1) * 2, *slots;

    if (p->n_functions - a->first < a->mask / 2)
        return CP_OK;
    slots = cp_alloc(n, sizeof(*slots), err);
    if (!slots)
        return CP_ENOMEM;
    cp_free(a->slots);
    a->slots = slots;
    a->mask = n - 1;
    for (uint32_t i = a->first; i < p->n_functions; i++)
        *find(a, &p->functions[i]) = i + 1;
    return CP_OK;
}

static uint32_t intern(struct cp_line_adder *a, const char *text,
                       struct cp_error *err)
{
    return text ? cp_strtab_add(&a->profile->strings, text, strlen(text), err)
                : 0;
}

/* Returns the function of a frame and adds it if new; CP_NONE on failure. */
static uint32_t add_function(struct cp_line_adder *a,
                             const struct cp_line_frame *frame,
                             struct cp_error *err)
{
    struct cp_profile *p = a->profile;
    struct cp_function f = { .start_line = frame->start_line };
    uint32_t *slot;

    f.name = f.system_name = intern(a, frame->function, err);
    f.filename = intern(a, frame->file, err);
    if (f.name == CP_NO_STR || f.filename == CP_NO_STR ||
        grow_slots(a, err) != CP_OK)
        return CP_NONE;
    slot = find(a, &f);
    if (*slot)
        return *slot - 1;
    if (cp_arena_reserve(&p->arena, &p->functions, p->n_functions,
                         &a->cap_functions, (size_t)p->n_functions + 1,
                         sizeof(*p->functions), err) != CP_OK)
        return CP_NONE;
    f.id = ++a->next_id;
    p->functions[p->n_functions++] = f;
    *slot = p->n_functions;
    return p->n_functions - 1;
}

enum cp_status cp_line_adder_set(struct cp_line_adder *a, uint32_t location,
                                 const struct cp_line_frame *frames, size_t n,
                                 struct cp_error *err)
{
    struct cp_profile *p = a->profile;
    struct cp_location *l = &p->locations[location];

    if (cp_arena_reserve(&p->arena, &p->lines, p->n_lines, &a->cap_lines,
                         p->n_lines + n, sizeof(*p->lines), err) != CP_OK)
        return CP_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        uint32_t function = add_function(a, &frames[i], err);

        if (function == CP_NONE)
            return CP_ENOMEM;
        p->lines[p->n_lines + i] =
            (struct cp_line){ function, frames[i].line, frames[i].column };
    }
    l->lines = p->n_lines;
    l->n_lines = (uint32_t)n;
    l->is_folded = false;
    p->n_lines += (uint32_t)n;
    return CP_OK;
}
