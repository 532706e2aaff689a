/* test_top_jeprof.c - tests src/report/text/top_jeprof.c. */
#include <stdlib.h>

#include "check.h"
#include "report_fixture.h"

#include "profile/model/profile.h"
#include "report/core/options.h"

static const struct {
    const char *what;
    struct fixture_row rows[4];
    struct cp_options o; /* sample_index, cum_sort, thread, focus ... */
    const char *want;
} cases[] = {
    { "time",
      { { "main|a", 1500000000, false }, { "main|b", 500000000, false } },
      { 0 },
      "Total: 2.000 seconds\n"
      "   1.500  75.0%  75.0%    1.500  75.0% a\n"
      "   0.500  25.0% 100.0%    0.500  25.0% b\n"
      "   0.000   0.0% 100.0%    2.000 100.0% main\n" },
    { "samples",
      { { "main|a", 5, false }, { "main|b", 5, false } },
      { .sample_index = "0" },
      "Total: 2 samples\n"
      "       1  50.0%  50.0%        1  50.0% a\n"
      "       1  50.0% 100.0%        1  50.0% b\n"
      "       0   0.0% 100.0%        2 100.0% main\n" },
    { "by cum",
      { { "main|a", 3000000000, false } },
      { .cum_sort = true },
      "Total: 3.000 seconds\n"
      "   3.000 100.0% 100.0%    3.000 100.0% a\n"
      "   0.000   0.0% 100.0%    3.000 100.0% main\n" },
    { "a difference",
      { { "main|a", -3000000000, false }, { "main|b", 1000000000, false } },
      { 0 },
      "Total: -2.000 seconds\n"
      "   1.000 -50.0% -50.0%    1.000 -50.0% b\n"
      "   0.000  -0.0% -50.0%   -2.000 100.0% main\n"
      "  -3.000 150.0% 100.0%   -3.000 150.0% a\n" },
    { "shares of what is left",
      { { "main|a", 3000000000, false }, { "main|b", 1000000000, false } },
      { .focus = "b" },
      "Total: 4.000 seconds\n"
      "   1.000 100.0% 100.0%    1.000 100.0% b\n"
      "   0.000   0.0% 100.0%    1.000 100.0% main\n" },
    { "what cancels out",
      { { "main|a", 1000000000, false }, { "main|b", -1000000000, false } },
      { 0 },
      "Total: 0.000 seconds\n"
      "   1.000   +inf   +inf    1.000   +inf a\n"
      "  -1.000   +inf    nan   -1.000   +inf b\n" },
    { "a thread",
      { { "main", 1000000000, false } },
      { .thread = "3" },
      "Total (t3): 1.000 seconds\n"
      "   1.000 100.0% 100.0%    1.000 100.0% main\n" },
    { "no names",
      { { "main|-", 1000000000, false } },
      { 0 },
      "Total: 1.000 seconds\n"
      "   1.000 100.0% 100.0%    1.000 100.0% 0x0000000000001000\n"
      "   0.000   0.0% 100.0%    1.000 100.0% main\n" },
};

static struct cp_options options_of(const struct cp_options *from)
{
    struct cp_options o = cp_options_default();

    o.format = CP_FORMAT_TOP;
    o.style = CP_STYLE_JEPROF;
    o.cum_sort = from->cum_sort;
    o.sample_index = from->sample_index ? from->sample_index : "";
    o.thread = from->thread ? from->thread : "";
    o.focus = from->focus ? from->focus : "";
    return o;
}

int main(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_profile *p;
        size_t n = 0;
        char *text;

        check_case(cases[i].what);
        while (n < 4 && cases[i].rows[n].stack)
            n++;
        p = fixture_profile(cases[i].rows, n);
        text = fixture_write(p, options_of(&cases[i].o), NULL);
        CHECK_STR(text, cases[i].want);
        free(text);
        cp_profile_free(p);
    }
    return check_failures != 0;
}
