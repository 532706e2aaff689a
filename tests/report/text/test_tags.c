/* test_tags.c - tests src/report/text/tags.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "both kinds", "-tags", TAGGED_STACKS,
      " bytes: Total 90ns of 100ns (90.00%)\n"
      "        40ns (40.00%): 64B\n"
      "        30ns (30.00%): 16B\n"
      "        20ns (20.00%): 32B\n"
      "\n"
      " user: Total 80ns of 100ns (80.00%)\n"
      "       50ns (50.00%): bob\n"
      "       30ns (30.00%): amy\n"
      "\n"
      " wait: Total 10ns of 100ns (10.00%)\n"
      "       10ns (10.00%): 5ms\n"
      "\n",
      NULL },
    { "no labels", "-tags", PLAIN_STACKS, "", NULL },
    { "values of one size by name",
      "-tags",
      { { "m\tk=b", 5, false }, { "m\tk=a", 5, false } },
      " k: Total 10ns of 10ns (  100%)\n"
      "    5ns (50.00%): a\n"
      "    5ns (50.00%): b\n"
      "\n",
      NULL },
    { "two values of a key",
      "-tags",
      { { "m\tk=b\tk=a", 5, false } },
      " k: Total 10ns of 5ns (200.00%)\n"
      "    5ns (  100%): a\n"
      "    5ns (  100%): b\n"
      "\n",
      NULL },
    { "numbers without a unit",
      "-tags",
      { { "m\tn:5", 5, false },
        { "m\tn:70", 6, false },
        { "m\trequest:2048", 1, false } },
      " n: Total 11ns of 12ns (91.67%)\n"
      "    6ns (50.00%): 70\n"
      "    5ns (41.67%): 5\n"
      "\n"
      " request: Total 1ns of 12ns ( 8.33%)\n"
      "          1ns ( 8.33%): 2kB\n"
      "\n",
      NULL },
    { "a unit",
      "-tags -unit=kb",
      { { "m\tbytes:2048 bytes", 5, false } },
      " bytes: Total 0 of 0 (  100%)\n"
      "        0 (  100%): 2kB\n"
      "\n",
      NULL },
    { "units that are mixed",
      "-tags",
      { { "m\tsz:5 bytes", 5, false }, { "m\tsz:7 kilobytes", 6, false } },
      " sz: Total 11ns of 11ns (  100%)\n"
      "     6ns (54.55%): 7B\n"
      "     5ns (45.45%): 5B\n"
      "\n",
      "For tag sz used unit bytes, also encountered unit(s) kilobytes\n" },
    { "negative",
      "-tags",
      { { "m\tk=a", -5, false }, { "m\tk=b", 2, false } },
      " k: Total -3ns of 7ns (42.86%)\n"
      "    -5ns (71.43%): a\n"
      "     2ns (28.57%): b\n"
      "\n",
      NULL },
    { "keys of several widths",
      "-tags",
      { { "m\tk=a\tlonger_key=bb", 123456, false }, { "m\tk=ccc", 2, false } },
      " k: Total 123.46us of 123.46us (  100%)\n"
      "    123.46us (  100%): a\n"
      "        2ns (0.0016%): ccc\n"
      "\n"
      " longer_key: Total 123.46us of 123.46us (  100%)\n"
      "             123.46us (  100%): bb\n"
      "\n",
      NULL },
    { "mean",
      "-tags -mean",
      { { "m\tk=a", 4, false },
        { "m\tk=a", 8, false },
        { "m\tk=b", 2, false } },
      " k: Total 14ns of 4ns (350.00%)\n"
      "    12ns (300.00%): a\n"
      "      2ns (50.00%): b\n"
      "\n",
      NULL },
    { "a base",
      "-tags",
      { { "m\tk=a", 50, false }, { "m\tk=a", -20, true } },
      " k: Total 30ns of 20ns (150.00%)\n"
      "    30ns (150.00%): a\n"
      "\n"
      " pprof::base: Total -20ns of 20ns (  100%)\n"
      "              -20ns (  100%): true\n"
      "\n",
      NULL },
    { "no total",
      "-tags",
      { { "m\tk=a", 0, false } },
      " k: Total 0 of 0\n"
      "    0: a\n"
      "\n",
      NULL },
    { "a value of two lines",
      "-tags",
      { { "m\tquery=a", 100, false },
        { "m\tquery=x\ny", 50, false },
        { "m\tquery=b", 7, false } },
      " query: Total 157ns of 157ns (  100%)\n"
      "        100ns (63.69%): a\n"
      "         50ns (31.85%): x\n"
      "y\n"
      "   7ns ( 4.46%): b\n"
      "\n",
      NULL },
    { "tagshow", "-tags -tagshow=user", TAGGED_STACKS,
      " user: Total 80ns of 100ns (80.00%)\n"
      "       50ns (50.00%): bob\n"
      "       30ns (30.00%): amy\n"
      "\n",
      NULL },
    { "taghide", "-tags -taghide=user", TAGGED_STACKS,
      " bytes: Total 90ns of 100ns (90.00%)\n"
      "        40ns (40.00%): 64B\n"
      "        30ns (30.00%): 16B\n"
      "        20ns (20.00%): 32B\n"
      "\n"
      " wait: Total 10ns of 100ns (10.00%)\n"
      "       10ns (10.00%): 5ms\n"
      "\n",
      NULL },
};

static void test_reports(void)
{
    report_run_cases(cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
    RUN(test_reports);
    return check_failures != 0;
}
