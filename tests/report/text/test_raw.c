/* test_raw.c - tests src/report/text/raw.c. */
#include "report_cases.h"

#include "profile/model/profile.h"
#include "report/core/options.h"

static const struct report_case cases[] = {
    { "samples and locations",
      "-raw",
      { { "main@/m.c:3:4|f@/f.c:9", 5, false }, { "main@/m.c:3", 2, false } },
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "          1          5: 1 2 \n"
      "          1          2: 3 \n"
      "Locations\n"
      "     1: 0x1000 M=1 f /f.c:9:0 s=0()\n"
      "     2: 0x1010 M=1 main /m.c:3:4 s=0()\n"
      "     3: 0x1020 M=1 main /m.c:3:0 s=0()\n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
      NULL },
    { "labels", "-raw", TAGGED_STACKS, TAGGED_RAW, NULL },
    { "inlined and without lines",
      "-raw",
      { { "main|f~g", 5, false }, { "-", 2, false } },
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "          1          5: 1 2 \n"
      "          1          2: 3 \n"
      "Locations\n"
      "     1: 0x1000 M=1 g /src/a.c:7:0 s=0()\n"
      "             f /src/a.c:7:0 s=0()\n"
      "     2: 0x1010 M=1 main /src/a.c:7:0 s=0()\n"
      "     3: 0x1020 M=1 \n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
      NULL },
    { "nothing",
      "-raw",
      { { NULL, 0, false } },
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "Locations\n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
      NULL },
    { "noinlines",
      "-raw -noinlines",
      { { "main|f~g", 5, false } },
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "          1          5: 1 2 \n"
      "Locations\n"
      "     1: 0x1000 M=1 f /src/a.c:7:0 s=0()\n"
      "     2: 0x1010 M=1 main /src/a.c:7:0 s=0()\n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
      NULL },
    { "filtered", "-raw -focus=^b$", PLAIN_STACKS,
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "          1         10: 3 4 \n"
      "Locations\n"
      "     1: 0x1000 M=1 a /src/a.c:7:0 s=0()\n"
      "     2: 0x1010 M=1 main /src/a.c:7:0 s=0()\n"
      "     3: 0x1020 M=1 b /src/a.c:7:0 s=0()\n"
      "     4: 0x1030 M=1 main /src/a.c:7:0 s=0()\n"
      "     5: 0x1040 M=1 c /src/a.c:7:0 s=0()\n"
      "     6: 0x1050 M=1 a /src/a.c:7:0 s=0()\n"
      "     7: 0x1060 M=1 main /src/a.c:7:0 s=0()\n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
      NULL },
    { "a large number",
      "-raw",
      { { "main", 123456789012345, false }, { "main", -5, false } },
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "          1 123456789012345: 1 \n"
      "          1         -5: 2 \n"
      "Locations\n"
      "     1: 0x1000 M=1 main /src/a.c:7:0 s=0()\n"
      "     2: 0x1010 M=1 main /src/a.c:7:0 s=0()\n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
      NULL },
};

static void test_reports(void)
{
    report_run_cases(cases, sizeof(cases) / sizeof(cases[0]));
}

/* An id may be any unsigned 64-bit number. */
static void test_large_ids(void)
{
    const struct fixture_row row = { "main|f|g", 5, false };
    struct cp_options o = cp_options_default();
    struct cp_profile *p = fixture_profile(&row, 1);
    char *text;

    if (!CHECK(p))
        return;
    p->locations[0].id = UINT64_MAX;
    p->locations[1].id = (uint64_t)1 << 63;
    p->locations[2].id = 1234567;
    o.format = CP_FORMAT_RAW;
    text = report_text(p, o);
    CHECK_STR(text, "PeriodType:  \n"
                    "Period: 0\n"
                    "Samples:\n"
                    "samples/count cpu/nanoseconds\n"
                    "          1          5: "
                    "18446744073709551615 9223372036854775808 1234567 \n"
                    "Locations\n"
                    "18446744073709551615: 0x1000 g /src/a.c:7:0 s=0()\n"
                    "9223372036854775808: 0x1010 f /src/a.c:7:0 s=0()\n"
                    "1234567: 0x1020 main /src/a.c:7:0 s=0()\n"
                    "Mappings\n");
    free(text);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_reports);
    RUN(test_large_ids);
    return check_failures != 0;
}
