/*
 * test_firefox.c - tests src/report/export/firefox.c and firefox_tables.c: the
 * relevant parts of the text. tests/cli/convert tests the round trip.
 */
#include "base/alloc.h"
#include "report/core/report.h"
#include "report_cases.h"

static char *firefox(const struct fixture_row *rows, size_t n)
{
    struct cp_options o = cp_options_default();

    o.format = CP_FORMAT_FIREFOX;
    return fixture_report(rows, n, o);
}

static const struct {
    const char *what;
    struct fixture_row rows[4];
    const char *parts[4]; /* parts of the text, in this order */
} cases[] = {
    { "a stack for each step",
      { { .stack = "main|a", .value = 2000000 },
        { .stack = "main|b", .value = 3500000 } },
      { "\"weightType\":\"tracing-ms\",\"stack\":[1,2],\"time\":[0.000000,"
        "2.000000],\"weight\":[2.000000,3.500000]",
        "\"stackTable\":{\"length\":3,\"frame\":[0,1,2],\"prefix\":[null,0,0]}",
        "\"stringArray\":[\"main\",\n\"a\",\n\"b\"" } },
    { "equal stacks are one",
      { { .stack = "main|a", .value = 1 }, { .stack = "main|a", .value = 1 } },
      { "\"stack\":[1,1]", "\"stackTable\":{\"length\":2" } },
    { "the type for who reads it again",
      { { .stack = "a", .value = 1 } },
      { "\"cpprof\":{\"type\":\"cpu\",\"unit\":\"nanoseconds\"}" } },
    { "no samples, no threads",
      { { .stack = "a", .value = 0 } },
      { "\"threads\":[]" } },
};

static void test_parts(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t n = 0;
        char *text;
        const char *at;

        while (n < 4 && cases[i].rows[n].stack)
            n++;
        check_case(cases[i].what);
        text = firefox(cases[i].rows, n);
        at = text;
        for (size_t k = 0; k < 4 && at && cases[i].parts[k]; k++) {
            at = strstr(at, cases[i].parts[k]);
            if (!CHECK(at))
                printf("    no %s in\n%s\n", cases[i].parts[k], text);
        }
        free(text);
    }
}

static void test_memory_runs_out(void)
{
    static const struct fixture_row row = { .stack = "a|b", .value = 5 };
    struct cp_options o = cp_options_default();
    enum cp_status status = CP_ENOMEM;

    o.format = CP_FORMAT_FIREFOX;
    for (long n = 1; n < 200 && status != CP_OK; n++) {
        struct cp_profile *p = fixture_profile(&row, 1);
        struct cp_report r = { .profile = p, .options = o };
        struct cp_out out = { .fd = -1 };

        cp_alloc_fail_at(n);
        status = cp_report_init(&r, NULL);
        if (status == CP_OK) {
            status = cp_report_write(&r, &out, NULL);
            if (status == CP_OK)
                status = cp_out_finish(&out, NULL);
            cp_report_release(&r);
        }
        cp_alloc_fail_at(0);
        CHECK(status == CP_OK || status == CP_ENOMEM);
        cp_out_release(&out);
        cp_profile_free(p);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    RUN(test_parts);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
