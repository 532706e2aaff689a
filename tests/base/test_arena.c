/* test_arena.c - tests src/base/arena.c. */
#include "base/alloc.h"
#include "base/arena.h"

#include <stdint.h>

#include "check.h"

static int is_zero(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i])
            return 0;
    return 1;
}

/*
 * Sizes around the block sizes: allocations do not overlap, are zeroed and
 * aligned.
 */
static void test_pieces_are_apart(void)
{
    static const size_t lens[] = { 1,     15,     16,       17,     4096,
                                   4097,  16384,  16400,    100000, 3,
                                   70000, 262144, 16777216, 1 };
    struct cp_arena a = { 0 };
    char *got[64];
    size_t len[64];

    for (size_t i = 0; i < 64; i++) {
        len[i] = lens[i % (sizeof(lens) / sizeof(lens[0]))];
        got[i] = cp_arena_alloc(&a, len[i], 1, NULL);
        CHECK((uintptr_t)got[i] % 16 == 0);
        CHECK(is_zero(got[i], len[i]));
        memset(got[i], (int)i + 1, len[i]);
    }
    for (size_t i = 0; i < 64; i++)
        CHECK(got[i][0] == (char)(i + 1) && got[i][len[i] - 1] == got[i][0]);
    cp_arena_release(&a);
    CHECK(!a.blocks && !a.pos && !a.next_bytes);
}

/* After text of odd length the next array is aligned. */
static void test_text_between_arrays(void)
{
    struct cp_arena a = { 0 };

    for (size_t i = 0; i < 5000; i++) {
        char *text = cp_arena_copy(&a, "abcdefghijklmnopq", i % 18, NULL);
        uint64_t *n = cp_arena_alloc(&a, 1, sizeof(*n), NULL);

        CHECK((uintptr_t)n % 16 == 0 && *n == 0);
        CHECK_INT(strlen(text), i % 18);
        *n = UINT64_MAX;
    }
    cp_arena_release(&a);
}

static void test_usable_after_release(void)
{
    struct cp_arena a = { 0 };
    char *p;

    for (int i = 0; i < 3; i++) {
        p = cp_arena_alloc(&a, 100, 1, NULL);
        CHECK(is_zero(p, 100));
        memset(p, 1, 100);
        cp_arena_release(&a);
    }
    cp_arena_release(&a);
}

static void test_copy_holds_any_bytes(void)
{
    struct cp_arena a = { 0 };
    char *copy = cp_arena_copy(&a, "a\0b", 3, NULL);

    CHECK(memcmp(copy, "a\0b", 4) == 0);
    CHECK_STR(cp_arena_copy(&a, NULL, 0, NULL), "");
    cp_arena_release(&a);
}

static void test_printf(void)
{
    struct cp_arena a = { 0 };
    char *text = cp_arena_printf(&a, NULL, "%d %s", 7, "x");

    CHECK_STR(text, "7 x");
    text = cp_arena_printf(&a, NULL, "%50000d", 1);
    CHECK_INT(strlen(text), 50000);
    cp_arena_release(&a);
}

static void test_too_large(void)
{
    struct cp_arena a = { 0 };
    struct cp_error err = { 0 };

    CHECK(!cp_arena_alloc(&a, SIZE_MAX, 2, &err));
    CHECK_INT(err.status, CP_ENOMEM);
    CHECK(!cp_arena_alloc(&a, (size_t)PTRDIFF_MAX, 1, NULL));
    CHECK(cp_arena_alloc(&a, 0, 8, NULL));
    CHECK(cp_arena_alloc(&a, 8, 0, NULL));
    cp_arena_release(&a);
}

static void test_reserve(void)
{
    struct cp_arena a = { 0 };
    size_t cap = 0, n = 0;
    int *list = NULL;

    for (; n < 10000; n++) {
        CHECK_INT(
            cp_arena_reserve(&a, &list, n, &cap, n + 1, sizeof(*list), NULL),
            CP_OK);
        list[n] = (int)n;
    }
    for (size_t i = 0; i < n; i++)
        CHECK_INT(list[i], i);
    cp_arena_release(&a);
}

static void test_failures_leave_it_usable(void)
{
    struct cp_arena a = { 0 };
    struct cp_error err = { 0 };
    size_t cap = 0;
    int *list = NULL;

    for (int i = 0; i < 2; i++) {
        cp_alloc_fail_at(1);
        CHECK(!cp_arena_alloc(&a, 100, 1, &err));
        CHECK_INT(err.status, CP_ENOMEM);
        cp_alloc_fail_at(1);
        CHECK(!cp_arena_alloc(&a, 1 << 20, 1, NULL));
        cp_alloc_fail_at(1);
        CHECK(!cp_arena_copy(&a, "x", 1, NULL));
        cp_alloc_fail_at(1);
        CHECK(!cp_arena_printf(&a, NULL, "x"));
        cp_alloc_fail_at(1);
        CHECK(cp_arena_reserve(&a, &list, 0, &cap, 9, 4, NULL) == CP_ENOMEM);
        CHECK(!list && cap == 0);
    }
    cp_alloc_fail_at(0);
    CHECK_STR(cp_arena_copy(&a, "x", 1, NULL), "x");
    cp_arena_release(&a);
}

static void test_take(void)
{
    struct cp_arena a = { 0 }, b = { 0 };
    char *small = cp_arena_copy(&a, "one", 3, NULL);
    char *text = cp_arena_copy(&b, "two", 3, NULL);
    char *large = cp_arena_alloc(&b, 100000, 1, NULL);

    cp_arena_take(&a, &b);
    CHECK(!b.blocks);
    CHECK_STR(cp_arena_copy(&b, "again", 5, NULL), "again");
    cp_arena_release(&b);
    memset(large, 'x', 100000);
    CHECK_STR(small, "one");
    CHECK_STR(text, "two");
    CHECK_STR(cp_arena_copy(&a, "three", 5, NULL), "three");
    cp_arena_take(&a, &b); /* empty */
    cp_arena_release(&a);
}

int main(void)
{
    RUN(test_pieces_are_apart);
    RUN(test_text_between_arrays);
    RUN(test_usable_after_release);
    RUN(test_copy_holds_any_bytes);
    RUN(test_printf);
    RUN(test_too_large);
    RUN(test_reserve);
    RUN(test_take);
    RUN(test_failures_leave_it_usable);
    return check_failures != 0;
}
