/* test_table.c - tests src/base/table.c. */
#include "base/alloc.h"
#include "base/table.h"

#include "check.h"

#define MANY 5000

static void test_empty(void)
{
    struct cp_table t = { 0 };
    size_t probe = 0;

    CHECK(cp_table_next(&t, 7, &probe) == CP_TABLE_END);
    cp_table_release(&t);
}

/* All hashes map to one slot, and some are equal. */
static void test_collisions(void)
{
    struct cp_table t = { 0 };
    size_t probe = 0;
    uint32_t seen = 0, i;

    for (i = 0; i < 40; i++)
        CHECK(cp_table_add(&t, (uint64_t)(i % 4) << 40, i, NULL) == CP_OK);
    while ((i = cp_table_next(&t, (uint64_t)3 << 40, &probe)) != CP_TABLE_END) {
        CHECK_INT(i % 4, 3);
        seen++;
    }
    CHECK_INT(seen, 10);
    cp_table_release(&t);
}

static void test_growth(void)
{
    struct cp_table t = { 0 };
    uint32_t n_right = 0;

    for (uint32_t i = 0; i < MANY; i++)
        CHECK(cp_table_add(&t, (uint64_t)i * 0x9e3779b97f4a7c15u, i, NULL) ==
              CP_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        size_t probe = 0;

        n_right +=
            cp_table_next(&t, (uint64_t)i * 0x9e3779b97f4a7c15u, &probe) == i;
    }
    CHECK_INT(n_right, MANY);
    cp_table_release(&t);
}

static void test_memory_runs_out(void)
{
    struct cp_table t = { 0 };
    size_t probe = 0;

    for (uint32_t i = 0; i < 189; i++)
        CHECK(cp_table_add(&t, i, i, NULL) == CP_OK);
    cp_alloc_fail_at(1);
    CHECK(cp_table_add(&t, 189, 189, NULL) == CP_ENOMEM);
    cp_alloc_fail_at(0);
    CHECK(cp_table_next(&t, 188, &probe) == 188);
    cp_table_release(&t);
}

int main(void)
{
    RUN(test_empty);
    RUN(test_collisions);
    RUN(test_growth);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
