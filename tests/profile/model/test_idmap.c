/* test_idmap.c - tests src/profile/model/idmap.c. */
#include "base/alloc.h"
#include "profile/model/idmap.h"

#include <stdlib.h>

#include "check.h"

static const struct {
    const char *what;
    uint64_t ids[5];
    uint32_t n;
    uint64_t duplicate; /* 0: none */
    uint64_t absent;
} maps[] = {
    { "none", { 0 }, 0, 0, 1 },
    { "counting", { 1, 2, 3, 4, 5 }, 5, 0, 6 },
    { "in any order", { 5, 3, 1, 4, 2 }, 5, 0, 0 },
    { "with gaps", { 10, 20, 30 }, 3, 0, 15 },
    { "addresses", { 0x400000, 0x400010, 0x7fff00000000 }, 3, 0, 0x400001 },
    { "the largest", { UINT64_MAX, 1, UINT64_MAX - 1 }, 3, 0, UINT64_MAX - 2 },
    { "twice", { 1, 2, 1, 2 }, 4, 1, 3 },
    { "twice and far apart",
      { 1, UINT64_MAX, 7, UINT64_MAX },
      4,
      UINT64_MAX,
      8 },
    { "first that stands twice", { 9, 8, 8, 9 }, 4, 8, 1 },
    { "just dense", { 1055 }, 1, 0, 1056 },
    { "just not dense", { 1056 }, 1, 0, 1 },
};

static void test_maps(void)
{
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        struct cp_arena arena = { 0 };
        struct cp_idmap m = { 0 };

        check_case(maps[i].what);
        CHECK_INT(cp_idmap_init(&m, &arena, maps[i].ids, maps[i].n, NULL),
                  CP_OK);
        CHECK_INT(m.has_duplicate, maps[i].duplicate != 0);
        CHECK(!m.has_duplicate || m.duplicate == maps[i].duplicate);
        for (uint32_t k = 0; k < maps[i].n; k++) {
            uint32_t found = cp_idmap_find(&m, maps[i].ids[k]);

            CHECK(found <= k && maps[i].ids[found] == maps[i].ids[k]);
        }
        CHECK_INT(cp_idmap_find(&m, maps[i].absent), CP_NONE);
        CHECK_INT(cp_idmap_find(&m, INT64_MAX), CP_NONE);
        cp_arena_release(&arena);
    }
}

static void test_many(void)
{
    static uint64_t ids[50000];

    for (uint64_t step = 1; step <= (uint64_t)1 << 40; step <<= 10) {
        struct cp_arena arena = { 0 };
        struct cp_idmap m = { 0 };

        for (uint32_t i = 0; i < 50000; i++)
            ids[i] = (50000 - i) * step;
        CHECK_INT(cp_idmap_init(&m, &arena, ids, 50000, NULL), CP_OK);
        CHECK(!m.has_duplicate);
        for (uint32_t i = 0; i < 50000; i++)
            CHECK_INT(cp_idmap_find(&m, ids[i]), i);
        CHECK_INT(cp_idmap_find(&m, 50001 * step), CP_NONE);
        CHECK_INT(cp_idmap_find(&m, 0), CP_NONE);
        cp_arena_release(&arena);
    }
}

/* One large id does not create a large table. */
static void test_sparse_is_small(void)
{
    static const uint64_t ids[] = { 1, (uint64_t)1 << 60 };
    struct cp_arena arena = { 0 };
    struct cp_idmap m = { 0 };

    CHECK_INT(cp_idmap_init(&m, &arena, ids, 2, NULL), CP_OK);
    CHECK(m.n_dense == 0 && m.mask < 64);
    cp_arena_release(&arena);
}

static void test_memory_runs_out(void)
{
    static const uint64_t ids[][2] = { { 1, 2 }, { 1, UINT64_MAX } };

    for (size_t i = 0; i < 2; i++) {
        struct cp_arena arena = { 0 };
        struct cp_error err = { 0 };
        struct cp_idmap m = { 0 };

        cp_alloc_fail_at(1);
        CHECK_INT(cp_idmap_init(&m, &arena, ids[i], 2, &err), CP_ENOMEM);
        CHECK_INT(err.status, CP_ENOMEM);
        cp_arena_release(&arena);
    }
}

int main(void)
{
    RUN(test_maps);
    RUN(test_many);
    RUN(test_sparse_is_small);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
