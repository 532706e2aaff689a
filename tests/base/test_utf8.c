/* test_utf8.c - tests src/base/utf8.c. */
#include "base/utf8.h"

#include <string.h>

#include "check.h"

static const struct {
    const char *what, *bytes;
    size_t n; /* 0: invalid */
    uint32_t rune;
} sequences[] = {
    { "ASCII", "a", 1, 'a' },
    { "two bytes", "\xc3\xa9", 2, 0xe9 },
    { "three bytes", "\xe2\x84\xaa", 3, 0x212a },
    { "four bytes", "\xf4\x8f\xbf\xbf", 4, 0x10ffff },
    { "empty", "", 0, 0 },
    { "stray continuation", "\x80", 0, 0 },
    { "cut short", "\xe2\x84", 0, 0 },
    { "broken off", "\xe2\x84g", 0, 0 },
    { "overlong", "\xc1\xbf", 0, 0 },
    { "overlong, three bytes", "\xe0\x9f\xbf", 0, 0 },
    { "surrogate", "\xed\xa0\x80", 0, 0 },
    { "too large", "\xf4\x90\x80\x80", 0, 0 },
    { "no such lead", "\xff", 0, 0 },
};

static void test_decode(void)
{
    for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
        const char *bytes = sequences[i].bytes;
        uint32_t rune = 0;
        char back[4];

        check_case(sequences[i].what);
        CHECK_INT(cp_utf8_decode(bytes, strlen(bytes), &rune), sequences[i].n);
        CHECK_INT(rune, sequences[i].rune);
        if (sequences[i].n == 0)
            continue;
        CHECK_INT(cp_utf8_encode(rune, back), sequences[i].n);
        CHECK(memcmp(back, bytes, sequences[i].n) == 0);
    }
}

static void test_is_valid(void)
{
    CHECK(cp_utf8_is_valid("", 0));
    CHECK(cp_utf8_is_valid("plain text, over eight bytes", 28));
    CHECK(cp_utf8_is_valid("plain text, \xc3\xa9 and more", 23));
    CHECK(!cp_utf8_is_valid("plain text, \xc3 and more", 22));
    CHECK(!cp_utf8_is_valid("plain text, \xc3\xa9", 13));
}

int main(void)
{
    RUN(test_decode);
    RUN(test_is_valid);
    return check_failures != 0;
}
