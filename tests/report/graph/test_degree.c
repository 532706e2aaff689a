/* test_degree.c - tests src/report/graph/degree.c: -maxdegree. */
#include "profile/model/profile.h"
#include "report/core/options.h"

#include <stdlib.h>

#include "check.h"
#include "report_fixture.h"

static const struct {
    const char *what;
    struct fixture_row rows[8];
    int max_degree;   /* 0: no limit */
    const char *want; /* expected edges, heaviest first */
} cases[] = {
    { "any number",
      { { "a|hub", 3, false }, { "b|hub", 2, false }, { "c|hub", 1, false } },
      0,
      "a-hub b-hub c-hub " },
    { "callers",
      { { "a|hub", 3, false }, { "b|hub", 2, false }, { "c|hub", 1, false } },
      2,
      "a-hub b-hub " },
    { "each keeps a caller",
      { { "hub|a", 3, false }, { "hub|b", 2, false }, { "hub|c", 1, false } },
      1,
      "hub-a hub-b hub-c " },
    { "callees that have another caller",
      { { "x|a", 9, false },
        { "x|b", 8, false },
        { "hub|a", 3, false },
        { "hub|b", 2, false } },
      2,
      "x-a x-b hub-a hub-b " },
    { "the lighter of those goes",
      { { "x|a", 9, false },
        { "y|b", 8, false },
        { "hub|c", 4, false },
        { "hub|a", 3, false },
        { "hub|b", 2, false } },
      2,
      "x-a y-b hub-c hub-a " },
    { "recursion is no edge",
      { { "a|f|f", 9, false }, { "b|f", 5, false }, { "c|f", 1, false } },
      2,
      "a-f b-f " },
    { "negative weights count by size",
      { { "a|hub", -3, false }, { "b|hub", 2, false }, { "c|hub", 1, false } },
      2,
      "a-hub b-hub " },
};

/* Lists the edges that dot draws. */
static void find_edges(const char *text, char *out, size_t cap)
{
    size_t n = 0;
    const char *at = text;

    while ((at = strstr(at, " tooltip=\""))) {
        const char *arrow, *begin = at += strlen(" tooltip=\"");

        arrow = strstr(begin, " -> ");
        if (arrow && arrow < strchr(begin, '"'))
            n += (size_t)snprintf(out + n, cap - n, "%.*s-%.*s ",
                                  (int)(arrow - begin), begin,
                                  (int)strcspn(arrow + 4, " "), arrow + 4);
    }
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_options o = cp_options_default();
        struct cp_profile *p;
        char got[256] = "", *text;
        size_t n = 0;

        check_case(cases[i].what);
        while (n < 8 && cases[i].rows[n].stack)
            n++;
        p = fixture_profile(cases[i].rows, n);
        o.format = CP_FORMAT_DOT;
        o.max_degree = cases[i].max_degree;
        text = fixture_write(p, o, NULL);
        if (CHECK(text))
            find_edges(text, got, sizeof(got));
        CHECK_STR(got, cases[i].want);
        free(text);
        cp_profile_free(p);
    }
}

int main(void)
{
    RUN(test_cases);
    return check_failures != 0;
}
