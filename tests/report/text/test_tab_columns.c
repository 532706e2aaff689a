/* test_tab_columns.c - tests src/report/text/tab_columns.c. */
#include "base/out.h"
#include "report/text/tab_columns.h"

#include "check.h"

/* The output of Go's text/tabwriter for the same text, aligned to the right. */
static const struct {
    const char *name, *text, *want;
} cases[] = {
    { "nothing", "", "" },
    { "no tab", "a\nbc\n", "a\nbc\n" },
    { "one column", "a\tx\nbcd\ty\n", "   ax\n bcdy\n" },
    { "two columns", "k:\t Total\n \t10:\t a\n \t5:\t b\n",
      " k: Total\n    10: a\n     5: b\n" },
    { "characters, not bytes", "\xc3\xbc\tx\nab\ty\n", "  \xc3\xbcx\n aby\n" },
    { "a line without cells ends a column", "longer\tx\ny\n \tz\n",
      " longerx\ny\n  z\n" },
    { "a column of its own", "a\tb\tc\nd\te\nf\tgg\th\n",
      " a bc\n de\n f ggh\n" },
    { "vertical tab", "a\vb\n", " ab\n" },
    { "form feed", "long\ta\fb\tc\n", " longa\n bc\n" },
    { "no line end", "a\tb", " ab" },
};

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_out out = { .fd = -1 };
        struct cp_error err = { 0 };

        CHECK(cp_tab_columns_write(cases[i].text, strlen(cases[i].text), &out,
                                   &err) == CP_OK);
        cp_out_char(&out, '\0');
        CHECK_STR(out.buf, cases[i].want);
        cp_out_release(&out);
    }
}

int main(void)
{
    RUN(test_cases);
    return check_failures != 0;
}
