/* test_traces.c - tests src/report/text/traces.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "stacks", "-traces", PLAIN_STACKS,
      OF_PROG TRACE_RULE "      30ns   a\n"
                         "             main\n" TRACE_RULE "      10ns   b\n"
                         "             main\n" TRACE_RULE "      60ns   c\n"
                         "             a\n"
                         "             main\n" TRACE_RULE,
      NULL },
    { "labels", "-traces", TAGGED_STACKS,
      OF_PROG TRACE_RULE "      user:  bob\n"
                         "     bytes:  64B\n"
                         "      40ns   get\n"
                         "             main\n" TRACE_RULE "      user:  amy\n"
                         "     bytes:  16B\n"
                         "      30ns   get\n"
                         "             main\n" TRACE_RULE "     bytes:  32B\n"
                         "      20ns   put\n"
                         "             main\n" TRACE_RULE "      user:  bob\n"
                         "      wait:  5ms\n"
                         "      10ns   put\n"
                         "             main\n" TRACE_RULE,
      NULL },
    { "inlined", "-traces", INLINED_STACKS,
      OF_PROG TRACE_RULE "      40ns   inner (inline)\n"
                         "             outer\n"
                         "             main\n" TRACE_RULE "      20ns   outer\n"
                         "             main\n" TRACE_RULE "      10ns   inner\n"
                         "             main\n" TRACE_RULE,
      NULL },
    { "no stack",
      "-traces",
      { { "", 5, false }, { "main", 2, false } },
      OF_PROG TRACE_RULE "       2ns   main\n" TRACE_RULE,
      NULL },
    { "lines",
      "-traces -lines",
      { { "main@/m.c:3|f@/f.c:9:2", 5, false } },
      OF_PROG TRACE_RULE "       5ns   f /f.c:9\n"
                         "             main /m.c:3\n" TRACE_RULE,
      NULL },
    { "addresses",
      "-traces -addresses",
      { { "main@/m.c:3|-", 5, false } },
      OF_PROG TRACE_RULE
      "       5ns   0000000000001000 [prog]\n"
      "             0000000000001010 main /m.c:3\n" TRACE_RULE,
      NULL },
    { "negative and zero",
      "-traces",
      { { "main", -5, false }, { "main|a", 0, false } },
      OF_PROG TRACE_RULE "      -5ns   main\n" TRACE_RULE "         0   a\n"
                         "             main\n" TRACE_RULE,
      NULL },
    { "mean",
      "-traces -mean",
      { { "main", 5, false } },
      "File: prog\n"
      "Type: mean_cpu\n" TRACE_RULE "       5ns   main\n" TRACE_RULE,
      NULL },
    { "a unit",
      "-traces -unit=us",
      { { "main", 1500, false } },
      OF_PROG TRACE_RULE "    1.50us   main\n" TRACE_RULE,
      NULL },
    { "hide", "-traces -hide=outer", INLINED_STACKS,
      OF_PROG TRACE_RULE "      40ns   inner\n"
                         "             main\n" TRACE_RULE
                         "      20ns   main\n" TRACE_RULE "      10ns   inner\n"
                         "             main\n" TRACE_RULE,
      NULL },
    { "several values of a key",
      "-traces",
      { { "m\tk=b\tk=a\tz:1 bytes\tz:2 bytes", 5, false } },
      OF_PROG TRACE_RULE "         k:  b a\n"
                         "         z:  1B 2B\n"
                         "       5ns   m\n" TRACE_RULE,
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
