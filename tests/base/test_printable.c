/*
 * test_printable.c - tests src/base/printable.c: control sequences are shown as
 * escapes.
 */
#include "base/printable.h"

#include <string.h>

#include "check.h"

static const struct {
    const char *text, *want;
} rows[] = {
    { "plain text", "plain text" },
    { "caf\303\251 \346\227\245\346\234\254",
      "caf\303\251 \346\227\245\346\234\254" },
    { "\033[31mred", "\\x1b[31mred" },
    { "a\177b\001", "a\\x7fb\\x01" },
    { "\302\23331m", "\\u009b31m" },
    { "\23331m", "\\x9b31m" },
    { "a\342\200\256b", "a\\u202eb" },
    { "\342\200\213\342\200\215", "\\u200b\\u200d" },
    { "\342\201\246x\342\201\251", "\\u2066x\\u2069" },
    { "\357\273\277bom", "\\ufeffbom" },
    { "\330\234", "\\u061c" },
    { "\342\200\250", "\\u2028" },
    { "\363\240\200\201", "\\U000e0001" },
    { "\300\233", "\\xc0\\x9b" },
    { "\342\200", "\\xe2\\x80" },
    { "\360\237\230\200", "\360\237\230\200" },
};

static void test_lines(void)
{
    char out[64];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_case(rows[i].want);
        cp_printable_line(out, sizeof(out), rows[i].text);
        CHECK_STR(out, rows[i].want);
        CHECK(cp_printable_is(rows[i].text, strlen(rows[i].text)) ==
              (strcmp(rows[i].text, rows[i].want) == 0));
        cp_printable_line(out, sizeof(out), out);
        CHECK(cp_printable_is(out, strlen(out)));
    }
}

static void test_breaks(void)
{
    char out[64], small[6];

    cp_printable_line(out, sizeof(out), "a\nb\tc\r");
    CHECK_STR(out, "a b c\\x0d");
    CHECK(!cp_printable_is("a\nb", 3));
    cp_printable_line(small, sizeof(small), "ab\033c");
    CHECK_STR(small, "ab");
}

static void test_unfinished(void)
{
    CHECK_INT(cp_printable_unfinished("a", 1), 0);
    CHECK_INT(cp_printable_unfinished("a\302", 2), 1);
    CHECK_INT(cp_printable_unfinished("a\342\200", 3), 2);
    CHECK_INT(cp_printable_unfinished("\342\200\256", 3), 0);
    CHECK_INT(cp_printable_unfinished("\360\237\230", 3), 3);
    CHECK_INT(cp_printable_unfinished("\200\200\200\200", 4), 0);
    CHECK_INT(cp_printable_unfinished("", 0), 0);
}

int main(void)
{
    RUN(test_lines);
    RUN(test_breaks);
    RUN(test_unfinished);
    return check_failures != 0;
}
