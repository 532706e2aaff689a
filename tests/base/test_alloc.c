/* test_alloc.c - tests src/base/alloc.c. */
#include "base/alloc.h"

#include <stdint.h>

#include "check.h"

static const struct {
    const char *what;
    size_t n, size;
    int is_ok;
} sizes[] = {
    { "one", 1, 8, 1 },
    { "none", 0, 8, 1 },
    { "no size", 8, 0, 1 },
    { "product overflows", SIZE_MAX / 2, 4, 0 },
    { "product is one too many", (size_t)PTRDIFF_MAX + 1, 1, 0 },
    { "both as large as can be", SIZE_MAX, SIZE_MAX, 0 },
};

static void test_sizes(void)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct cp_error err = { 0 };
        void *p, *q;

        check_case(sizes[i].what);
        p = cp_alloc(sizes[i].n, sizes[i].size, &err);
        CHECK_INT(p != NULL, sizes[i].is_ok);
        CHECK_INT(err.status, sizes[i].is_ok ? CP_OK : CP_ENOMEM);
        CHECK_STR(err.msg, sizes[i].is_ok ? "" : "out of memory");
        q = cp_resize(NULL, sizes[i].n, sizes[i].size, NULL);
        CHECK_INT(q != NULL, sizes[i].is_ok);
        cp_free(p);
        cp_free(q);
    }
}

static void test_zeroed(void)
{
    unsigned char *p = cp_alloc(1000, 3, NULL);

    for (size_t i = 0; i < 3000; i++)
        CHECK_INT(p[i], 0);
    cp_free(p);
    p = cp_alloc_table(700, 3, NULL);
    for (size_t i = 0; i < 2100; i++)
        CHECK_INT(p[i], 0);
    cp_free(p);
    cp_free(cp_alloc_table(0, 3, NULL));
    cp_alloc_fail_at(1);
    CHECK(!cp_alloc_table(1, 3, NULL));
}

static void test_resize_keeps_bytes(void)
{
    char *p = cp_alloc(4, 1, NULL), *grown;

    memcpy(p, "abc", 4);
    cp_alloc_fail_at(1);
    CHECK(!cp_resize(p, 100, 1, NULL));
    CHECK_STR(p, "abc");
    grown = cp_resize(p, 100000, 1, NULL);
    CHECK_STR(grown, "abc");
    cp_free(grown);
}

static void test_reserve_grows_by_half(void)
{
    size_t cap = 0, had;
    int *list = NULL;

    CHECK_INT(cp_reserve(&list, &cap, 100, sizeof(*list), NULL), CP_OK);
    CHECK_INT(cap, 100);
    list[99] = 7;
    had = cap;
    CHECK_INT(cp_reserve(&list, &cap, 100, sizeof(*list), NULL), CP_OK);
    CHECK_INT(cap, had);
    CHECK_INT(cp_reserve(&list, &cap, 101, sizeof(*list), NULL), CP_OK);
    CHECK(cap >= had + had / 2);
    CHECK_INT(list[99], 7);
    cp_free(list);
}

static void test_reserve_fails_unchanged(void)
{
    struct cp_error err = { 0 };
    size_t cap = 0;
    char *list = NULL, *was;

    CHECK_INT(cp_reserve(&list, &cap, 3, 1, &err), CP_OK);
    was = list;
    list[0] = 'x';
    cp_alloc_fail_at(1);
    CHECK_INT(cp_reserve(&list, &cap, cap + 1, 1, &err), CP_ENOMEM);
    CHECK_INT(err.status, CP_ENOMEM);
    CHECK(list == was && list[0] == 'x');
    CHECK_INT(cp_reserve(&list, &cap, SIZE_MAX, 1, &err), CP_ENOMEM);
    CHECK(list == was);
    cp_free(list);
}

static void test_fail_at(void)
{
    void *p[4];

    cp_alloc_fail_at(3);
    for (int i = 0; i < 4; i++)
        p[i] = cp_alloc(1, 1, NULL);
    CHECK(p[0] && p[1] && !p[2] && p[3]);
    for (int i = 0; i < 4; i++)
        cp_free(p[i]);
    cp_alloc_fail_at(1);
    cp_alloc_fail_at(0);
    p[0] = cp_alloc(1, 1, NULL);
    CHECK(p[0]);
    cp_free(p[0]);
}

int main(void)
{
    RUN(test_sizes);
    RUN(test_zeroed);
    RUN(test_resize_keeps_bytes);
    RUN(test_reserve_grows_by_half);
    RUN(test_reserve_fails_unchanged);
    RUN(test_fail_at);
    return check_failures != 0;
}
