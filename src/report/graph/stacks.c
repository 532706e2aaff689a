/*
 * stacks.c - groups samples with the same stack.
 *
 * All threads first compute the hashes of all stacks, in the pass that reads
 * every frame. One thread then inserts the samples into a hash table.
 */
#include "report/graph/stacks.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/parallel.h"

#define PIECE_SAMPLES 16384

struct stack_grouper {
    struct cp_stacks *s;
    uint64_t *hashes; /* indexed by sample */
    uint32_t *slots;  /* index of the stack + 1; 0 means free */
    uint32_t mask;
};

/*
 * Returns the name's index in s->names, cleaned if necessary; CP_NO_STR on
 * failure.
 */
static uint32_t add_name(struct cp_stacks *s, struct cp_str name,
                         cp_stacks_clean clean, struct cp_error *err)
{
    uint32_t number;
    char *copy;

    if (!clean)
        return cp_strtab_add(&s->names, name.ptr, name.len, err);
    copy = cp_alloc(name.len, 1, err);
    if (!copy)
        return CP_NO_STR;
    memcpy(copy, name.ptr, name.len);
    clean(copy, name.len);
    number = cp_strtab_add(&s->names, copy, name.len, err);
    cp_free(copy);
    return number;
}

/* Computes the name index of each info. */
static enum cp_status name_infos(struct cp_stacks *s, cp_stacks_clean clean,
                                 uint32_t *numbers, struct cp_error *err)
{
    const struct cp_frames *f = &s->frames;
    struct cp_arena scratch = { 0 };
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; status == CP_OK && i < f->n_infos; i++) {
        struct cp_str name =
            cp_frames_name(s->report->profile, &f->infos[i], &scratch, err);

        numbers[i] = name.ptr ? add_name(s, name, clean, err) : CP_NO_STR;
        if (numbers[i] == CP_NO_STR)
            status = CP_ENOMEM;
    }
    cp_arena_release(&scratch);
    return status;
}

static enum cp_status name_frames(struct cp_stacks *s, cp_stacks_clean clean,
                                  struct cp_error *err)
{
    const struct cp_frames *f = &s->frames;
    uint32_t n = f->first[s->report->profile->n_locations];
    uint32_t *numbers = NULL;
    enum cp_status status =
        cp_strtab_init(&s->names, &s->arena, f->n_infos, err);

    if (status != CP_OK)
        return status;
    s->name_of = cp_arena_alloc(&s->arena, n, sizeof(*s->name_of), err);
    numbers = cp_alloc(f->n_infos, sizeof(*numbers), err);
    status =
        s->name_of && numbers ? name_infos(s, clean, numbers, err) : CP_ENOMEM;
    for (uint32_t i = 0; status == CP_OK && i < n; i++)
        s->name_of[i] = numbers[f->nodes[i]];
    cp_free(numbers);
    return status;
}

static uint64_t hash_sample(const struct cp_stacks *s, uint32_t number)
{
    const struct cp_profile *p = s->report->profile;
    const uint32_t *locs = cp_profile_stack(p, number);
    const uint32_t *first = s->frames.first;
    uint64_t h = 0;

    for (uint32_t k = 0; k < p->samples[number].n_locs; k++)
        for (uint32_t j = first[locs[k]]; j < first[locs[k] + 1]; j++)
            h = cp_hash_mix(h, s->name_of[j]);
    return h;
}

static void hash_piece(void *context, size_t piece)
{
    struct stack_grouper *g = context;
    uint64_t from = (uint64_t)piece * PIECE_SAMPLES;
    uint64_t to = from + PIECE_SAMPLES;

    if (to > g->s->report->profile->n_samples)
        to = g->s->report->profile->n_samples;
    for (uint64_t i = from; i < to; i++)
        g->hashes[i] = hash_sample(g->s, (uint32_t)i);
}

static bool is_same(const struct cp_stacks *s, uint32_t stack, uint32_t sample)
{
    const struct cp_profile *p = s->report->profile;
    struct cp_cursor a = cp_cursor_at_root(s, stack);
    struct cp_cursor b = { .locs = cp_profile_stack(p, sample),
                           .n_locs = p->samples[sample].n_locs };

    if (p->samples[s->stacks[stack].sample].n_locs == b.n_locs &&
        memcmp(a.locs, b.locs, b.n_locs * sizeof(*b.locs)) == 0)
        return true;
    cp_cursor_next(s, &b);
    while (a.name == b.name && a.name != CP_NONE) {
        cp_cursor_next(s, &a);
        cp_cursor_next(s, &b);
    }
    return a.name == b.name;
}

/* Returns the stack of that sample, inserted if new. */
static struct cp_stack *find(struct stack_grouper *g, uint32_t sample)
{
    struct cp_stacks *s = g->s;
    uint64_t hash = g->hashes[sample];
    uint32_t i = (uint32_t)(hash >> 32) & g->mask;

    for (; g->slots[i]; i = (i + 1) & g->mask) {
        struct cp_stack *stack = &s->stacks[g->slots[i] - 1];

        if (stack->hash == hash && is_same(s, g->slots[i] - 1, sample))
            return stack;
    }
    s->stacks[s->n_stacks] =
        (struct cp_stack){ .hash = hash, .sample = sample };
    g->slots[i] = s->n_stacks + 1;
    return &s->stacks[s->n_stacks++];
}

static void add_samples(struct stack_grouper *g)
{
    const struct cp_report *r = g->s->report;
    const struct cp_profile *p = r->profile;

    for (uint32_t i = 0; i < p->n_samples; i++) {
        int64_t div, value = cp_report_sample(r, i, &div);
        struct cp_stack *stack;

        if (p->samples[i].n_locs == 0 || (value == 0 && div == 0))
            continue;
        stack = find(g, i);
        if (value > 0)
            stack->up = cp_add(stack->up, value);
        else
            stack->down = cp_add(stack->down, value);
        stack->div = cp_add(stack->div, div);
        g->s->is_diff |= value < 0;
    }
}

/*
 * Groups the samples. Reserves memory for n distinct stacks; pages that are not
 * touched use no memory.
 */
static enum cp_status group_samples(struct cp_stacks *s, struct cp_error *err)
{
    struct stack_grouper g = { .s = s };
    uint32_t n = s->report->profile->n_samples;
    uint64_t n_slots = 1024;

    while (n_slots < (uint64_t)n * 2)
        n_slots *= 2;
    g.mask = (uint32_t)(n_slots - 1);
    s->stacks = cp_arena_alloc(&s->arena, n, sizeof(*s->stacks), err);
    g.hashes = cp_alloc(n, sizeof(*g.hashes), err);
    g.slots = cp_alloc(n_slots, sizeof(*g.slots), err);
    if (s->stacks && g.hashes && g.slots) {
        cp_parallel_run(((size_t)n + PIECE_SAMPLES - 1) / PIECE_SAMPLES,
                        hash_piece, &g);
        add_samples(&g);
    }
    cp_free(g.hashes);
    cp_free(g.slots);
    return s->stacks && g.hashes && g.slots ? CP_OK : CP_ENOMEM;
}

/* Whether some label is pprof::base=true, which marks samples of a base. */
static bool has_base(const struct cp_profile *p)
{
    uint32_t key = cp_strtab_find(&p->strings, "pprof::base", 11);
    uint32_t yes = cp_strtab_find(&p->strings, "true", 4);

    if (key == CP_NO_STR || yes == CP_NO_STR)
        return false;
    for (uint32_t i = 0; i < p->n_labels; i++)
        if (p->labels[i].key == key && p->labels[i].str == yes)
            return true;
    return false;
}

enum cp_status cp_stacks_init(struct cp_stacks *s, const struct cp_report *r,
                              cp_stacks_clean clean, struct cp_error *err)
{
    bool is_jeprof = r->options.style == CP_STYLE_JEPROF;
    int keep = CP_TRIM_PATHS | (is_jeprof ? CP_KEEP_NAMELESS : 0);
    enum cp_status status;

    *s = (struct cp_stacks){ .report = r, .has_base = has_base(r->profile) };
    s->is_diff = s->has_base;
    status = cp_frames_init(&s->frames, r, keep, err);
    if (status == CP_OK)
        status = name_frames(s, clean, err);
    if (status == CP_OK)
        status = group_samples(s, err);
    if (status != CP_OK)
        cp_stacks_release(s);
    return status;
}

void cp_stacks_release(struct cp_stacks *s)
{
    cp_frames_release(&s->frames);
    cp_arena_release(&s->arena);
    *s = (struct cp_stacks){ 0 };
}

int64_t cp_stacks_value(const struct cp_stacks *s, uint32_t stack)
{
    const struct cp_stack *k = &s->stacks[stack];
    int64_t value = cp_report_mean(cp_add(k->up, k->down), k->div);

    if (s->report->options.drop_negative && value < 0)
        return 0;
    return cp_report_divide(s->report, value);
}

double cp_stacks_weight(const struct cp_stacks *s, uint32_t stack)
{
    const struct cp_stack *k = &s->stacks[stack];
    const struct cp_report *r = s->report;

    if (r->options.drop_negative && cp_add(k->up, k->down) < 0)
        return 0;
    return (fabs((double)cp_report_mean(k->up, k->div)) +
            fabs((double)cp_report_mean(k->down, k->div))) *
           (r->ratio > 0 ? r->ratio : 1);
}
