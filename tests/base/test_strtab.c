/* test_strtab.c - tests src/base/strtab.c. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/strtab.h"

#include "check.h"

static const struct {
    const char *what, *text;
    size_t len;
    uint32_t want;
} texts[] = {
    { "empty is 0", "", 0, 0 },       { "first", "abc", 3, 1 },
    { "part of it", "ab", 2, 2 },     { "with a NUL", "ab\0", 3, 3 },
    { "known again", "abc", 3, 1 },   { "NUL again", "ab\0", 3, 3 },
    { "only a NUL", "\0", 1, 4 },     { "not UTF-8", "\xff\xfe", 2, 5 },
    { "empty again", "other", 0, 0 },
};

static void test_numbers(void)
{
    struct cp_arena arena = { 0 };
    struct cp_strtab t;

    CHECK_INT(cp_strtab_init(&t, &arena, 0, NULL), CP_OK);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        check_case(texts[i].what);
        CHECK_INT(cp_strtab_add(&t, texts[i].text, texts[i].len, NULL),
                  texts[i].want);
        CHECK_INT(t.items[texts[i].want].len, texts[i].len);
        CHECK(memcmp(t.items[texts[i].want].ptr, texts[i].text, texts[i].len) ==
              0);
        CHECK_INT(t.items[texts[i].want].ptr[texts[i].len], 0);
    }
    CHECK_INT(t.n, 6);
    cp_arena_release(&arena);
}

static void test_many(void)
{
    struct cp_arena arena = { 0 };
    struct cp_strtab t;
    char text[16];

    CHECK_INT(cp_strtab_init(&t, &arena, 3, NULL), CP_OK);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < 20000; i++) {
            int len = snprintf(text, sizeof(text), "f%u", i * 16);

            CHECK_INT(cp_strtab_add(&t, text, (size_t)len, NULL), i + 1);
        }
    }
    CHECK_INT(t.n, 20001);
    CHECK_INT(cp_strtab_find(&t, "f16", 3), 2);
    CHECK_INT(cp_strtab_find(&t, "f17", 3), CP_NO_STR);
    CHECK_INT(t.n, 20001);
    cp_arena_release(&arena);
}

/* With enough reserved space the entries never move. */
static void test_expected(void)
{
    struct cp_arena arena = { 0 };
    struct cp_strtab t;
    struct cp_str *items;
    uint32_t *slots, i;

    CHECK_INT(cp_strtab_init(&t, &arena, 1000, NULL), CP_OK);
    items = t.items;
    slots = t.slots;
    for (i = 0; i < 1000; i++)
        (void)cp_strtab_add(&t, (const char *)&i, sizeof(i), NULL);
    CHECK_INT(t.n, 1001);
    CHECK(t.items == items && t.slots == slots);
    cp_arena_release(&arena);
}

static const struct {
    const char *what;
    struct cp_str a, b;
    int want;
} orders[] = {
    { "equal", { "ab", 2 }, { "ab", 2 }, 0 },
    { "empty ones", { "", 0 }, { NULL, 0 }, 0 },
    { "prefix first", { "ab", 2 }, { "abc", 3 }, -1 },
    { "empty first", { "", 0 }, { "a", 1 }, -1 },
    { "by bytes", { "b", 1 }, { "abc", 3 }, 1 },
    { "bytes have no sign", { "\x7f", 1 }, { "\x80", 1 }, -1 },
    { "upper case first", { "Z", 1 }, { "a", 1 }, -1 },
    { "a NUL does not end it", { "a\0b", 3 }, { "a\0a", 3 }, 1 },
};

static void test_order(void)
{
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        int got = cp_str_cmp(orders[i].a, orders[i].b);
        int back = cp_str_cmp(orders[i].b, orders[i].a);

        check_case(orders[i].what);
        CHECK_INT((got > 0) - (got < 0), orders[i].want);
        CHECK_INT((back > 0) - (back < 0), -orders[i].want);
    }
}

static enum cp_status fill(struct cp_strtab *t, struct cp_arena *arena,
                           struct cp_error *err)
{
    if (cp_strtab_init(t, arena, 0, err) != CP_OK)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < 9000; i++)
        if (cp_strtab_add(t, (const char *)&i, sizeof(i), err) == CP_NO_STR)
            return CP_ENOMEM;
    return CP_OK;
}

static void test_memory_runs_out(void)
{
    enum cp_status status = CP_ENOMEM;
    long n = 1;

    for (; n < 1000 && status != CP_OK; n++) {
        struct cp_arena arena = { 0 };
        struct cp_error err = { 0 };
        struct cp_strtab t;

        cp_alloc_fail_at(n);
        status = fill(&t, &arena, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        cp_arena_release(&arena);
    }
    CHECK_INT(status, CP_OK);
    CHECK(n > 4);
}

int main(void)
{
    RUN(test_numbers);
    RUN(test_many);
    RUN(test_expected);
    RUN(test_order);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
