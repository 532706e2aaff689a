/* test_hex.c - tests src/base/hex.h. */
#include "base/hex.h"

#include <string.h>

#include "check.h"

/* All bytes, and runes whose low byte equals a digit. */
static void test_digits(void)
{
    static const char digits[] = "0123456789abcdef", upper[] = "ABCDEF";

    for (uint32_t c = 1; c < 256; c++) {
        const char *found = strchr(digits, (int)c);
        const char *large = strchr(upper, (int)c);
        int want = found   ? (int)(found - digits)
                   : large ? (int)(large - upper) + 10
                           : -1;

        CHECK_INT(cp_hex_digit(c), want);
    }
    CHECK_INT(cp_hex_digit(0), -1);
    CHECK_INT(cp_hex_digit(0x100 + 'a'), -1);
    CHECK_INT(cp_hex_digit(0x10030), -1);
}

static void test_text(void)
{
    const uint8_t bytes[] = { 0x00, 0x09, 0xa0, 0xff };
    char text[10] = "xxxxxxxxx";

    cp_hex_text(bytes, sizeof(bytes), text);
    CHECK_STR(text, "0009a0ff");
    CHECK_INT(text[9], 0);
    cp_hex_text(bytes, 0, text);
    CHECK_STR(text, "");
}

int main(void)
{
    RUN(test_digits);
    RUN(test_text);
    return check_failures != 0;
}
