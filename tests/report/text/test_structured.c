/* test_structured.c - tests src/report/text/structured.c. */
#include "profile/model/profile.h"
#include "report/core/options.h"
#include "check.h"
#include "report_fixture.h"

static struct cp_options options(enum cp_format format, enum cp_style style)
{
    struct cp_options o = cp_options_default();

    o.format = format;
    o.style = style;
    o.trim = false;
    return o;
}

static const struct fixture_row plain[] = { { "main|work", 30, false },
                                            { "main", 10, false } };

#define HEAD                                                                   \
    "{\"file\":null,\"build_id\":null,\"type\":\"cpu\","                       \
    "\"unit\":\"nanoseconds\",\"time\":null,\"duration_ns\":0,"                \
    "\"total\":40,\"showing\":40,\"dropped_nodes\":0,\"nodes_before\":2,"      \
    "\"nodes\":[\n"
#define WORK                                                                   \
    "{\"name\":\"work\",\"function\":\"work\",\"file\":null,\"line\":0,"       \
    "\"column\":0,\"address\":null,\"flat\":30,\"flat_percent\":75.00,"        \
    "\"sum_percent\":75.00,\"cum\":30,\"cum_percent\":75.00,\"inline\":\"no\""
#define MAIN                                                                   \
    "{\"name\":\"main\",\"function\":\"main\",\"file\":null,\"line\":0,"       \
    "\"column\":0,\"address\":null,\"flat\":10,\"flat_percent\":25.00,"        \
    "\"sum_percent\":100.00,\"cum\":40,\"cum_percent\":100.00,"                \
    "\"inline\":\"no\""

static void test_top_json(void)
{
    char *text =
        fixture_report(plain, 2, options(CP_FORMAT_TOP, CP_STYLE_JSON));

    CHECK_STR(text, HEAD WORK "},\n" MAIN "}\n]}\n");
    free(text);
}

static void test_tree_json(void)
{
    char *text =
        fixture_report(plain, 2, options(CP_FORMAT_TREE, CP_STYLE_JSON));

    CHECK_STR(text, HEAD WORK
              ",\"callers\":[{\"name\":\"main\",\"weight\":30,"
              "\"percent\":100.00,\"inline\":false,\"residual\":false}],"
              "\"callees\":[]},\n" MAIN
              ",\"callers\":[],\"callees\":[{\"name\":\"work\",\"weight\":30,"
              "\"percent\":75.00,\"inline\":false,\"residual\":false}]}\n]}\n");
    free(text);
}

static void test_peek_json(void)
{
    struct cp_options o = options(CP_FORMAT_PEEK, CP_STYLE_JSON);
    char *text;

    o.argument = "work";
    text = fixture_report(plain, 2, o);
    CHECK(text && strstr(text, "[\n{\"name\":\"work\""));
    CHECK(text && !strstr(text, "\n{\"name\":\"main\""));
    free(text);
}

static void test_csv(void)
{
    char *text = fixture_report(plain, 2, options(CP_FORMAT_TOP, CP_STYLE_CSV));

    CHECK_STR(text,
              "name,function,file,line,column,address,flat,flat_percent,"
              "sum_percent,cum,cum_percent,inline,unit\n"
              "work,work,,0,0,,30,75.00,75.00,30,75.00,no,nanoseconds\n"
              "main,main,,0,0,,10,25.00,100.00,40,100.00,no,nanoseconds\n");
    free(text);
    text = fixture_report(plain, 2, options(CP_FORMAT_TREE, CP_STYLE_CSV));
    CHECK_STR(text,
              "kind,node,name,flat,flat_percent,sum_percent,cum,cum_percent,"
              "weight,percent,inline,residual,unit\n"
              "caller,work,main,,,,,,30,100.00,no,no,nanoseconds\n"
              "node,work,work,30,75.00,75.00,30,75.00,,,no,,nanoseconds\n"
              "node,main,main,10,25.00,100.00,40,100.00,,,no,,nanoseconds\n"
              "callee,main,work,,,,,,30,75.00,no,no,nanoseconds\n");
    free(text);
}

static const struct {
    const char *what, *name, *json, *csv;
} names[] = {
    { "quotes", "a\"b", "\"a\\\"b\"", "\n\"a\"\"b\",\"a\"\"b\"," },
    { "backslash", "a\\b", "\"a\\\\b\"", "\na\\b,a\\b," },
    { "comma", "f(int, int)", "\"f(int, int)\"",
      "\n\"f(int, int)\",\"f(int, int)\"," },
    { "line end", "a\nb", "\"a\\nb\"", "\n\"a\nb\",\"a\nb\"," },
    { "control characters", "\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"",
      "\n\x01\x1f\x7f,\x01\x1f\x7f," },
    { "not UTF-8", "a\xff\xc3", "\"a\xef\xbf\xbd\xef\xbf\xbd\"",
      "\na\xff\xc3,a\xff\xc3," },
    { "UTF-8", "\xc3\xa9\xe2\x82\xac", "\"\xc3\xa9\xe2\x82\xac\"",
      "\n\xc3\xa9\xe2\x82\xac,\xc3\xa9\xe2\x82\xac," },
    { "what a spreadsheet calls a formula", "=1+1", "\"=1+1\"",
      "\n=1+1,=1+1," },
};

static void test_names(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct fixture_row row = { names[i].name, 1, false };
        char *text;

        check_case(names[i].what);
        text = fixture_report(&row, 1, options(CP_FORMAT_TOP, CP_STYLE_JSON));
        CHECK(text && strstr(text, names[i].json));
        free(text);
        text = fixture_report(&row, 1, options(CP_FORMAT_TOP, CP_STYLE_CSV));
        CHECK(text && strstr(text, names[i].csv));
        free(text);
    }
}

static void test_details(void)
{
    static const struct fixture_row rows[] = { { "main|a~b", 4, false },
                                               { "z|b", 4, false },
                                               { "c~d", -4, false } };
    struct cp_options o = options(CP_FORMAT_TOP, CP_STYLE_JSON);
    struct cp_profile *p = fixture_profile(rows, 3);
    char *text;

    o.granularity = CP_BY_ADDRESSES;
    p->time_ns = 1700000000500000000;
    p->duration_ns = 123;
    text = fixture_write(p, o, NULL);
    CHECK(text && strstr(text, "\"time\":\"2023-11-14T22:13:20.5Z\","
                               "\"duration_ns\":123,\"total\":12,"));
    CHECK(text && strstr(text, "\"function\":\"b\",\"file\":\"/src/a.c\","
                               "\"line\":7,\"column\":0,"
                               "\"address\":\"0x1000\","));
    free(text);
    o.granularity = CP_BY_FUNCTIONS;
    o.divide_by = 2;
    text = fixture_write(p, o, NULL);
    CHECK(text && strstr(text, "\"flat\":-2,\"flat_percent\":-33.33,"
                               "\"sum_percent\":33.33,\"cum\":-2,"
                               "\"cum_percent\":-33.33,\"inline\":\"yes\"}"));
    CHECK(text && strstr(text, "\"cum_percent\":66.67,\"inline\":\"partial\""));
    free(text);
    cp_profile_free(p);
}

static void test_nothing(void)
{
    char *text =
        fixture_report(NULL, 0, options(CP_FORMAT_TREE, CP_STYLE_JSON));

    CHECK(text && strstr(text, "\"total\":0,\"showing\":0,"
                               "\"dropped_nodes\":0,\"nodes_before\":0,"
                               "\"nodes\":[\n]}\n"));
    free(text);
}

int main(void)
{
    RUN(test_top_json);
    RUN(test_tree_json);
    RUN(test_peek_json);
    RUN(test_csv);
    RUN(test_names);
    RUN(test_details);
    RUN(test_nothing);
    return check_failures != 0;
}
