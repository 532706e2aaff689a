/* test_stack_pool.c - tests src/profile/model/stack_pool.c. */
#include "base/alloc.h"
#include "base/parallel.h"
#include "profile/model/stack_pool.h"

#include "check.h"

static void test_stretches_are_apart(void)
{
    struct cp_stack_pool r;
    uint32_t *a, *b, outside = 0;

    CHECK(cp_stack_pool_init(&r, 100));
    a = cp_stack_pool_alloc(&r, 60);
    CHECK(a == r.locs);
    CHECK(!cp_stack_pool_alloc(&r, 41));
    CHECK(!cp_stack_pool_alloc(&r, UINT64_MAX));
    b = cp_stack_pool_alloc(&r, 40);
    CHECK(b == a + 60);
    CHECK(!cp_stack_pool_alloc(&r, 1));
    CHECK(cp_stack_pool_alloc(&r, 0) != NULL);
    CHECK(cp_stack_pool_contains(&r, a));
    CHECK(cp_stack_pool_contains(&r, b + 39));
    CHECK(!cp_stack_pool_contains(&r, b + 40));
    CHECK(!cp_stack_pool_contains(&r, &outside));
    CHECK(!cp_stack_pool_contains(&r, NULL));
    cp_stack_pool_release(&r);
    CHECK(!cp_stack_pool_alloc(&r, 1));
}

static void test_one_that_is_none(void)
{
    struct cp_stack_pool r = { 0 };

    CHECK(!cp_stack_pool_alloc(&r, 0));
    CHECK(!cp_stack_pool_contains(&r, NULL));
    cp_alloc_fail_at(1);
    CHECK(!cp_stack_pool_init(&r, 100));
    CHECK(!cp_stack_pool_alloc(&r, 1));
    cp_stack_pool_release(&r);
}

/* Each thread writes its number into the elements that it allocates. */
struct taking {
    struct cp_stack_pool pool;
    uint32_t *allocated[64];
};

static void take_some(void *context, size_t number)
{
    struct taking *t = context;

    t->allocated[number] = cp_stack_pool_alloc(&t->pool, 1000 + number);
    for (size_t i = 0; t->allocated[number] && i < 1000 + number; i++)
        t->allocated[number][i] = (uint32_t)number;
}

static void test_threads(void)
{
    struct taking t;
    size_t n_wrong = 0;

    CHECK(cp_stack_pool_init(&t.pool, 70000));
    cp_parallel_run(64, take_some, &t);
    for (size_t k = 0; k < 64; k++) {
        CHECK(t.allocated[k] != NULL);
        for (size_t i = 0; t.allocated[k] && i < 1000 + k; i++)
            n_wrong += t.allocated[k][i] != k;
    }
    CHECK_INT(n_wrong, 0);
    cp_stack_pool_release(&t.pool);
}

int main(void)
{
    RUN(test_stretches_are_apart);
    RUN(test_one_that_is_none);
    RUN(test_threads);
    return check_failures != 0;
}
