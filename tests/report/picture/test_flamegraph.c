/* test_flamegraph.c - tests src/report/picture/flamegraph.c and its parts. */
#include "base/alloc.h"
#include "report/picture/flamegraph.h"

#include <stdio.h>

#include "check.h"
#include "report_fixture.h"

static struct cp_options flame(void)
{
    struct cp_options o = cp_options_default();

    o.format = CP_FORMAT_FLAMEGRAPH;
    return o;
}

static int count(const char *text, const char *what)
{
    int n = 0;

    for (; text && (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void test_picture(void)
{
    static const struct fixture_row rows[] = { { "main|work~leaf", 30, false },
                                               { "main|idle", 70, false },
                                               { "main|work", 20, false } };
    char *text = fixture_report(rows, 3, flame());

    CHECK(text && strncmp(text, "<svg ", 5) == 0);
    CHECK_INT(count(text, "<g><title>"), 5);
    CHECK(text && strstr(text, ">Flame graph: cpu</text>"));
    CHECK(text && strstr(text, ">type: cpu, total: 120ns</text>"));
    CHECK(text && strstr(text, "<title>all\n120ns (100.00%)</title>"
                               "<rect x=\"10.000\" y=\"72\" "
                               "width=\"1180.000\" height=\"17\""));
    CHECK(text && strstr(text, "<title>idle\n70ns (58.33%), self 70ns "
                               "(58.33%)</title><rect x=\"10.000\" y=\"108\" "
                               "width=\"688.333\""));
    CHECK(text && strstr(text, "<title>work\n50ns (41.67%), self 20ns "
                               "(16.67%)</title><rect x=\"698.333\" "
                               "y=\"108\""));
    CHECK(text && strstr(text, "<title>leaf\n30ns (25.00%), self 30ns "
                               "(25.00%)</title><rect x=\"698.333\" "
                               "y=\"126\""));
    CHECK(text && !strstr(text, "Left out"));
    free(text);
}

static void test_names(void)
{
    static const char evil[] =
        "</title><script>alert(1)</script>]]>&\"\xff\x01";
    struct fixture_row row = { evil, 1, false };
    char *text = fixture_report(&row, 1, flame());

    CHECK_INT(count(text, "<script>"), 1);
    CHECK_INT(count(text, "]]>"), 2);
    CHECK_INT(count(text, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
                          "]]&gt;&amp;&quot;\xef\xbf\xbd\xef\xbf\xbd"),
              2);
    CHECK(text && !strstr(text, "http://www.w3.org/1999/xlink"));
    CHECK_INT(count(text, "href"), 0);
    free(text);
}

static void test_labels_fit(void)
{
    static const struct fixture_row rows[] = {
        { "example.com/long/path/of/a/package.Function", 2, false },
        { "Name\xc3\xa9IsCut", 6, false },
        { "filler", 92, false },
    };
    char *text = fixture_report(rows, 3, flame());

    CHECK(text && strstr(text, ">Name\xc3\xa9Is\xe2\x80\xa6</text>"));
    CHECK_INT(count(text, "package.Function"), 1);
    CHECK_INT(count(text, ">filler</text>"), 1);
    free(text);
}

static void test_narrow_boxes(void)
{
    static struct fixture_row rows[41];
    static char names[40][24];
    char *text;

    for (int i = 0; i < 40; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "tiny%d|x", i);
        rows[i] = (struct fixture_row){ names[i], 1, false };
    }
    rows[40] = (struct fixture_row){ "big", 100000, false };
    text = fixture_report(rows, 41, flame());
    CHECK_INT(count(text, "<g><title>"), 2);
    CHECK(text && strstr(text, "Left out: 40 boxes narrower than 0.1% of the "
                               "width"));
    free(text);
}

static void test_difference(void)
{
    static const struct fixture_row rows[] = { { "main|grew", 30, false },
                                               { "main|grew", -10, true },
                                               { "main|shrank", -20, true },
                                               { "main|same", 5, false },
                                               { "main|same", -5, true } };
    char *text = fixture_report(rows, 5, flame());

    CHECK(text && strstr(text, "total: 35ns in the base; red grew"));
    CHECK(text && strstr(text, "<title>grew\n+20ns (+57.14%), self +20ns"));
    CHECK(text && strstr(text, "<title>shrank\n-20ns (-57.14%), self -20ns"));
    CHECK(text && strstr(text, "fill=\"#4f9be0\"/><text"));
    CHECK(text && strstr(text, "<title>same\n0 (0.00%)</title>"));
    CHECK(text && strstr(text, "fill=\"#eaeaea\""));
    free(text);
}

static void test_nothing(void)
{
    char *text = fixture_report(NULL, 0, flame());

    CHECK_INT(count(text, "<g><title>"), 0);
    CHECK(text && strstr(text, "There is nothing to show."));
    free(text);
}

static bool same_hue(const char *a, const char *b)
{
    char x[CP_COLOUR_BYTES], y[CP_COLOUR_BYTES];
    unsigned r[2], g[2], u[2];

    cp_flame_colour((struct cp_str){ a, (uint32_t)strlen(a) }, x);
    cp_flame_colour((struct cp_str){ b, (uint32_t)strlen(b) }, y);
    CHECK_INT(sscanf(x, "#%2x%2x%2x", &r[0], &g[0], &u[0]), 3);
    CHECK_INT(sscanf(y, "#%2x%2x%2x", &r[1], &g[1], &u[1]), 3);
    return (r[0] > g[0]) == (r[1] > g[1]) && (g[0] > u[0]) == (g[1] > u[1]) &&
           (r[0] > u[0]) == (r[1] > u[1]);
}

static void test_colours(void)
{
    CHECK(same_hue("net/http.(*conn).serve", "net/http.Get"));
    CHECK(same_hue("runtime.mallocgc", "runtime.systemstack.func1"));
    CHECK(same_hue("std::sort<int*>(int*, int*)", "std::vector<a::b>::at"));
    CHECK(same_hue("java.util.HashMap.get", "java.util.List.of"));
    CHECK(same_hue("<core::iter::Map as X>::next", "core::ptr::drop"));
}

static void test_memory_runs_out(void)
{
    static const struct fixture_row rows[] = { { "a|b~c", 10, false },
                                               { "a|d", 30, false } };
    struct cp_profile *p = fixture_profile(rows, 2);
    char *text = NULL;

    for (long n = 1; n < 1000 && !text; n++) {
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        text = fixture_write(p, flame(), &err);
        cp_alloc_fail_at(0);
        CHECK(text || err.status == CP_ENOMEM);
    }
    CHECK(text != NULL);
    free(text);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_picture);
    RUN(test_names);
    RUN(test_labels_fit);
    RUN(test_narrow_boxes);
    RUN(test_difference);
    RUN(test_nothing);
    RUN(test_colours);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
