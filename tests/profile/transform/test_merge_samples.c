/*
 * test_merge_samples.c - tests src/profile/transform/merge_samples.c: many
 * samples, in several pieces and shards, compared with a sequential merge.
 */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/build.h"
#include "profile/model/stack_pool.h"
#include "profile/transform/merge.h"

#include <stdlib.h>

#include "check.h"

#define N_LOCATIONS 100
#define N_STACKS 30000 /* distinct stacks */
#define MAX_SAMPLES 60000

/* The stack of sample i of source s, and its count. */
static uint32_t stack_of(uint32_t s, uint32_t i)
{
    return (uint32_t)((i * 2654435761u >> 7) + s * 13) % N_STACKS;
}

static int64_t value_of(uint32_t s, uint32_t i)
{
    return i % 11 == s ? 0 : (int64_t)(i % 5 + 1);
}

/* Numbers below N_STACKS have distinct stacks. */
static uint32_t stack_at(uint32_t stack, uint32_t *locs)
{
    locs[0] = stack % N_LOCATIONS;
    locs[1] = stack / N_LOCATIONS % N_LOCATIONS;
    locs[2] = stack / N_LOCATIONS / N_LOCATIONS;
    return 3;
}

static struct cp_profile *source(uint32_t s, uint32_t n)
{
    struct cp_builder b = { 0 };
    uint32_t locs[3];

    (void)cp_builder_init(&b, NULL);
    (void)cp_builder_type(&b, "n", "count", NULL);
    (void)cp_builder_type(&b, "m", "count", NULL);
    for (uint32_t i = 0; i < N_LOCATIONS; i++) /* not in the order of use */
        (void)cp_builder_location(&b, (i * 37 + s) % N_LOCATIONS + 1, NULL);
    for (uint32_t i = 0; i < n; i++) {
        int64_t values[2] = { value_of(s, i), 2 * value_of(s, i) };
        struct cp_label label = { 0, CP_NONE, 0, stack_of(s, i) % 3 + 1 };
        uint32_t n_locs = stack_at(stack_of(s, i), locs);

        for (uint32_t k = 0; k < n_locs; k++)
            locs[k] = cp_builder_find_location(&b, locs[k] + 1);
        (void)cp_builder_sample(&b, locs, n_locs, values,
                                cp_builder_label_set(&b, &label, 1, NULL),
                                NULL);
    }
    return cp_builder_take(&b);
}

/* Returns the number of the stack of a merged sample. */
static uint32_t number_of(const struct cp_profile *p, uint32_t sample)
{
    const uint32_t *stack = cp_profile_stack(p, sample);
    uint32_t number = 0;

    for (uint32_t k = 3; k > 0; k--)
        number = number * N_LOCATIONS +
                 (uint32_t)p->locations[stack[k - 1]].address - 1;
    return number;
}

static void check_merged(const struct cp_profile *p, uint32_t n_sources,
                         uint32_t n)
{
    int64_t *sums = cp_alloc(N_STACKS, sizeof(*sums), NULL);
    uint32_t *order = cp_alloc(N_STACKS, sizeof(*order), NULL);
    uint32_t n_order = 0, n_right = 0;

    for (uint32_t s = 0; s < n_sources; s++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t stack = stack_of(s, i);

            if (value_of(s, i) && sums[stack] == 0)
                order[n_order++] = stack;
            sums[stack] += value_of(s, i);
        }
    CHECK_INT(p->n_samples, n_order);
    for (uint32_t i = 0; i < p->n_samples && i < n_order; i++) {
        const struct cp_label_set *set =
            &p->label_sets[p->samples[i].label_set];

        n_right += number_of(p, i) == order[i] &&
                   p->values[2 * i] == sums[order[i]] &&
                   p->values[2 * i + 1] == 2 * sums[order[i]] &&
                   p->labels[set->labels].num == order[i] % 3 + 1;
    }
    CHECK_INT(n_right, n_order);
    cp_free(sums);
    cp_free(order);
}

static const struct {
    const char *what;
    uint32_t n_sources, n;
} cases[] = {
    { "one piece", 2, 100 },
    { "several pieces", 2, MAX_SAMPLES },
    { "many sources", 9, 10000 },
    { "no samples", 2, 0 },
};

static void test_against_a_loop(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_profile *sources[9] = { 0 }, *p;

        check_case(cases[i].what);
        for (uint32_t s = 0; s < cases[i].n_sources; s++)
            sources[s] = source(s, cases[i].n);
        p = cp_merge(sources, cases[i].n_sources, NULL);
        check_merged(p, cases[i].n_sources, cases[i].n);
        cp_profile_free(p);
    }
}

static void test_cancelled(void)
{
    struct cp_profile *pair[] = { source(0, 20000), source(0, 20000) }, *p;

    for (uint32_t i = 0; i < 2 * pair[1]->n_samples; i++)
        pair[1]->values[i] = -pair[1]->values[i];
    p = cp_merge(pair, 2, NULL);
    CHECK_INT(p->n_samples, 0);
    CHECK_INT(p->n_locations, 0);
    cp_profile_free(p);
}

/* Moves the stacks of a profile into the pool, behind a gap. */
static void move_in(struct cp_profile *p, struct cp_stack_pool *pool)
{
    uint32_t *to = cp_stack_pool_alloc(pool, p->n_locs + 5);

    if (!to)
        return;
    memcpy(to + 5, p->locs, p->n_locs * sizeof(*to));
    p->locs = to;
    for (uint32_t i = 0; i < p->n_samples; i++)
        p->samples[i].locs += 5;
}

static const struct {
    const char *what;
    uint64_t cap;
    uint32_t n_sources, n_inside, n;
} rooms[] = {
    { "all inside", 200000, 9, 9, 5000 },
    { "some outside", 200000, 9, 6, 5000 },
    { "the others do not fit", 60000, 9, 3, 5000 },
    { "none inside", 200000, 9, 0, 5000 },
    { "several pieces", 200000, 2, 2, MAX_SAMPLES },
    { "no room", 0, 2, 2, 1000 },
};

static void test_in_a_room(void)
{
    for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
        struct cp_profile *sources[9] = { 0 }, *p;
        struct cp_stack_pool pool = { 0 };

        check_case(rooms[i].what);
        CHECK(rooms[i].cap == 0 || cp_stack_pool_init(&pool, rooms[i].cap));
        for (uint32_t s = 0; s < rooms[i].n_sources; s++) {
            sources[s] = source(s, rooms[i].n);
            if (s % 9 >= rooms[i].n_sources - rooms[i].n_inside)
                move_in(sources[s], &pool);
        }
        p = cp_merge_in_pool(sources, rooms[i].n_sources, &pool, NULL);
        cp_stack_pool_release(&pool);
        check_merged(p, rooms[i].n_sources, rooms[i].n);
        cp_profile_free(p);
    }
}

static void test_cancelled_in_a_room(void)
{
    struct cp_profile *pair[] = { source(0, 9000), source(0, 9000) }, *p;
    struct cp_stack_pool pool;

    CHECK(cp_stack_pool_init(&pool, 200000));
    for (uint32_t i = 2; i < 2 * pair[1]->n_samples; i++)
        pair[1]->values[i] = -pair[1]->values[i];
    move_in(pair[0], &pool);
    move_in(pair[1], &pool);
    p = cp_merge_in_pool(pair, 2, &pool, NULL);
    cp_stack_pool_release(&pool);
    CHECK(p->n_samples <= 1);
    CHECK(p->n_locations <= 3);
    cp_profile_free(p);
}

static void test_memory_runs_out_in_a_room(void)
{
    struct cp_profile *p = NULL;
    long n = 1;

    for (; !p && n < 200; n++) {
        struct cp_profile *pair[] = { source(0, 200), source(1, 200) };
        struct cp_stack_pool pool;
        struct cp_error err = { 0 };

        CHECK(cp_stack_pool_init(&pool, 5000));
        move_in(pair[0], &pool);
        cp_alloc_fail_at(n);
        p = cp_merge_in_pool(pair, 2, &pool, &err);
        cp_alloc_fail_at(0);
        cp_stack_pool_release(&pool);
        CHECK_INT(err.status, p ? CP_OK : CP_ENOMEM);
        CHECK(!pair[0] && !pair[1]);
    }
    CHECK(p != NULL);
    check_merged(p, 2, 200);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_against_a_loop);
    RUN(test_cancelled);
    RUN(test_in_a_room);
    RUN(test_cancelled_in_a_room);
    RUN(test_memory_runs_out_in_a_room);
    return check_failures != 0;
}
