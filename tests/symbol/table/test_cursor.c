/* test_cursor.c - tests src/symbol/table/cursor.h. */
#include "symbol/table/cursor.h"

#include "check.h"

static struct cp_cursor over(const char *bytes, size_t len)
{
    const uint8_t *p = (const uint8_t *)bytes;

    return (struct cp_cursor){ p, p + len, false };
}

static const struct {
    const char *what, *bytes;
    size_t len;
    uint64_t u;
    int64_t s;
    int fails;
} lebs[] = {
    { "zero", "\0", 1, 0, 0, 0 },
    { "one byte", "\x3f", 1, 63, 63, 0 },
    { "negative byte", "\x7f", 1, 127, -1, 0 },
    { "two bytes", "\x80\x01", 2, 128, 128, 0 },
    { "negative two", "\x80\x7f", 2, 16256, -128, 0 },
    { "padded", "\x81\x80\x80\x00", 4, 1, 1, 0 },
    { "all bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX,
      -1, 0 },
    { "more than all bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00",
      12, UINT64_MAX, -1, 0 },
    { "cut", "\x80\x80", 2, 0, 0, 1 },
    { "nothing", "", 0, 0, 0, 1 },
};

static void test_leb(void)
{
    for (size_t i = 0; i < sizeof(lebs) / sizeof(lebs[0]); i++) {
        struct cp_cursor a = over(lebs[i].bytes, lebs[i].len), b = a;

        check_case(lebs[i].what);
        CHECK_INT(cp_cursor_uleb(&a), lebs[i].u);
        CHECK_INT(a.failed, lebs[i].fails);
        CHECK(a.pos == a.end);
        CHECK_INT(cp_cursor_sleb(&b), lebs[i].s);
        CHECK_INT(b.failed, lebs[i].fails);
        CHECK(b.pos == b.end);
    }
}

static void test_numbers(void)
{
    struct cp_cursor c = over("\1\2\3\4\5\6\7\10\11\12", 10);

    CHECK_INT(cp_cursor_uint(&c, 1), 1);
    CHECK_INT(cp_cursor_uint(&c, 2), 0x0302);
    CHECK_INT(cp_cursor_uint(&c, 3), 0x060504);
    CHECK_INT(cp_cursor_uint(&c, 4), 0x0a090807);
    CHECK(!c.failed && cp_cursor_left(&c) == 0);
    CHECK_INT(cp_cursor_u8(&c), 0);
    CHECK(c.failed);
    c = over("\1\2\3\4\5\6\7\10\11\12", 10);
    CHECK_INT(cp_cursor_uint(&c, 8), 0x0807060504030201);
    CHECK_INT(cp_cursor_uint(&c, 4), 0);
    CHECK(c.failed && c.pos == c.end);
}

static void test_parts(void)
{
    struct cp_cursor c = over("ab\0cd\0ef", 8), part;

    CHECK_STR(cp_cursor_str(&c), "ab");
    part = cp_cursor_part(&c, 3);
    CHECK_INT(cp_cursor_left(&part), 3);
    CHECK_STR(cp_cursor_str(&part), "cd");
    CHECK(cp_cursor_str(&c) == NULL && c.failed);
    c = over("abc", 3);
    part = cp_cursor_part(&c, 4);
    CHECK(part.failed && cp_cursor_left(&part) == 0 && c.failed);
    c = over("abc", 3);
    cp_cursor_skip(&c, UINT64_MAX);
    CHECK(c.failed && c.pos == c.end);
}

int main(void)
{
    RUN(test_leb);
    RUN(test_numbers);
    RUN(test_parts);
    return check_failures != 0;
}
