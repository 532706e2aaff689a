/* test_folded.c - tests src/report/export/folded.c and stacks.c. */
#include "base/alloc.h"
#include "profile/model/profile.h"
#include "report/core/options.h"
#include "check.h"
#include "report_fixture.h"

static char *folded(const struct fixture_row *rows, size_t n)
{
    struct cp_options o = cp_options_default();

    o.format = CP_FORMAT_FOLDED;
    return fixture_report(rows, n, o);
}

static const struct {
    const char *what;
    struct fixture_row rows[5];
    const char *want;
} cases[] = {
    { "one stack", { { "main|work", 5, false } }, "main;work 5\n" },
    { "equal stacks are added",
      { { "main|a", 1, false },
        { "main|b", 2, false },
        { "main|a", 3, false } },
      "main;a 4\nmain;b 2\n" },
    { "no samples", { { NULL, 0, false } }, "" },
    { "inlined calls are frames",
      { { "main|outer~inner", 2, false },
        { "main|outer|inner", 3, false },
        { "main~outer~inner", 4, false } },
      "main;outer;inner 9\n" },
    { "separators in names",
      { { "main;x|a\nb\x7f", 1, false }, { "main:x|a b ", 2, false } },
      "main:x;a b  3\n" },
    { "what cancels out is left out",
      { { "a|b", 5, false }, { "a|b", -5, true }, { "a|c", -2, true } },
      "a;c -2\n" },
    { "bytes that are no UTF-8 stay",
      { { "\xff|a", 1, false } },
      "\xff;a 1\n" },
    { "a stack before those it begins",
      { { "a|b|c", 1, false }, { "a|b", 2, false }, { "a", 3, false } },
      "a 3\na;b 2\na;b;c 1\n" },
    /* '!' sorts before ';' and '~' after it, but "a" comes before both. */
    { "order of the text, not of the names",
      { { "a|x", 1, false },
        { "a!|x", 2, false },
        { "a", 3, false },
        { "a=|x", 4, false } },
      "a 3\na!;x 2\na;x 1\na=;x 4\n" },
};

static void test_text(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t n = 0;
        char *text;

        while (n < 5 && cases[i].rows[n].stack)
            n++;
        check_case(cases[i].what);
        text = folded(cases[i].rows, n);
        CHECK_STR(text, cases[i].want);
        free(text);
    }
}

static void test_options(void)
{
    static const struct fixture_row rows[] = { { "a|b", 10, false },
                                               { "a|b", 30, false },
                                               { "a|c", -8, false } };
    struct cp_options o = cp_options_default();
    char *text;

    o.format = CP_FORMAT_FOLDED;
    o.divide_by = 2;
    text = fixture_report(rows, 3, o);
    CHECK_STR(text, "a;b 20\na;c -4\n");
    free(text);
    o.divide_by = 1;
    o.mean = true;
    o.drop_negative = true;
    text = fixture_report(rows, 3, o);
    CHECK_STR(text, "a;b 20\n");
    free(text);
    o.mean = false;
    o.granularity = CP_BY_LINES;
    text = fixture_report(rows, 2, o);
    CHECK_STR(text, "a /src/a.c:7;b /src/a.c:7 40\n");
    free(text);
}

/* All stacks of four frames out of five names, to exercise the sort. */
static void test_many(void)
{
    static const char *const names[] = { "b", "a", "a!", "ab", "~" };
    static struct fixture_row rows[625];
    static char stacks[625][16];
    char *text, *save = NULL;
    char last[16] = "";
    int n = 0;

    for (int i = 0; i < 625; i++) {
        int k = i * 7 % 625;

        (void)snprintf(stacks[i], sizeof(stacks[i]), "%s|%s|%s|%s",
                       names[k % 4], names[k / 5 % 4], names[k / 25 % 4],
                       names[k / 125 % 4]);
        rows[i] = (struct fixture_row){ stacks[i], 1, false };
    }
    text = folded(rows, 625);
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        *strrchr(line, ' ') = '\0';
        CHECK(strcmp(last, line) < 0);
        (void)snprintf(last, sizeof(last), "%s", line);
        n++;
    }
    CHECK_INT(n, 256);
    free(text);
}

static void test_memory_runs_out(void)
{
    static const struct fixture_row rows[] = { { "a;|b~c", 10, false },
                                               { "a|d", 30, false } };
    struct cp_profile *p = fixture_profile(rows, 2);
    struct cp_options o = cp_options_default();
    char *text = NULL;

    o.format = CP_FORMAT_FOLDED;
    for (long n = 1; n < 1000 && !text; n++) {
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        text = fixture_write(p, o, &err);
        cp_alloc_fail_at(0);
        CHECK(text || err.status == CP_ENOMEM);
    }
    CHECK_STR(text, "a:;b;c 10\na;d 30\n");
    free(text);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_text);
    RUN(test_options);
    RUN(test_many);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
