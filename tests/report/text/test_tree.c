/* test_tree.c - tests src/report/text/tree.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "callers and callees", "-tree", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TREE_HEAD
      "                                              60ns   100% |   a\n"
      "      60ns 60.00% 60.00%       60ns 60.00%                | c\n" RULE
      "                                              90ns   100% |   main\n"
      "      30ns 30.00% 90.00%       90ns 90.00%                | a\n"
      "                                              60ns 66.67% |   c\n" RULE
      "                                              10ns   100% |   main\n"
      "      10ns 10.00%   100%       10ns 10.00%                | b\n" RULE
      "         0     0%   100%      100ns   100%                | main\n"
      "                                              90ns 90.00% |   a\n"
      "                                              10ns 10.00% |   b\n" RULE,
      NULL },
    { "inlined", "-tree", INLINED_STACKS,
      OF_PROG
      "Showing nodes accounting for 70ns, 100% of 70ns total\n" TREE_HEAD
      "                                              40ns 80.00% |   outer "
      "(inline)\n"
      "                                              10ns 20.00% |   main\n"
      "      50ns 71.43% 71.43%       50ns 71.43%                | inner\n" RULE
      "                                              60ns   100% |   main\n"
      "      20ns 28.57%   100%       60ns 85.71%                | outer\n"
      "                                              40ns 66.67% |   inner "
      "(inline)\n" RULE
      "         0     0%   100%       70ns   100%                | main\n"
      "                                              60ns 85.71% |   outer\n"
      "                                              10ns 14.29% |   "
      "inner\n" RULE,
      NULL },
    { "cum", "-tree -cum", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TREE_HEAD
      "         0     0%     0%      100ns   100%                | main\n"
      "                                              90ns 90.00% |   a\n"
      "                                              10ns 10.00% |   b\n" RULE
      "                                              90ns   100% |   main\n"
      "      30ns 30.00% 30.00%       90ns 90.00%                | a\n"
      "                                              60ns 66.67% |   c\n" RULE
      "                                              60ns   100% |   a\n"
      "      60ns 60.00% 90.00%       60ns 60.00%                | c\n" RULE
      "                                              10ns   100% |   main\n"
      "      10ns 10.00%   100%       10ns 10.00%                | b\n" RULE,
      NULL },
    { "nothing",
      "-tree",
      { { NULL, 0, false } },
      OF_PROG
      "Showing nodes accounting for 0, 0% of 0 total\n" RULE TREE_COLUMNS,
      NULL },
    { "peek", "-peek=^a$", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TREE_HEAD
      "                                              90ns   100% |   main\n"
      "      30ns 30.00% 30.00%       90ns 90.00%                | a\n"
      "                                              60ns 66.67% |   c\n" RULE,
      NULL },
    { "peek with several", "-peek=a|b", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TREE_HEAD
      "                                              90ns   100% |   main\n"
      "      30ns 30.00% 30.00%       90ns 90.00%                | a\n"
      "                                              60ns 66.67% |   c\n" RULE
      "                                              10ns   100% |   main\n"
      "      10ns 10.00% 40.00%       10ns 10.00%                | b\n" RULE
      "         0     0% 40.00%      100ns   100%                | main\n"
      "                                              90ns 90.00% |   a\n"
      "                                              10ns 10.00% |   b\n" RULE,
      NULL },
    { "peek with nothing", "-peek=zz", PLAIN_STACKS,
      "no matches found for regexp: zz", NULL },
    { "peek with a wrong expression", "-peek=(", PLAIN_STACKS,
      "parsing argument regexp (: error parsing regexp: missing closing ): `(`",
      NULL },
    { "peek by line",
      "-peek=m.c:3 -lines",
      { { "main@/m.c:3|f@/f.c:9", 5, false },
        { "main@/m.c:4|f@/f.c:9", 5, false } },
      OF_PROG
      "Showing nodes accounting for 10ns, 100% of 10ns total\n" TREE_HEAD
      "         0     0%     0%        5ns 50.00%                | main "
      "/m.c:3\n"
      "                                               5ns   100% |   f "
      "/f.c:9\n" RULE,
      NULL },
    { "a diff", "-tree", DIFF_STACKS,
      OF_PROG
      "Showing nodes accounting for 0, 0% of 100ns total\n" TREE_HEAD
      "                                             -40ns   100% |   main\n"
      "     -40ns 40.00% 40.00%      -40ns 40.00%                | b\n" RULE
      "                                              30ns   100% |   main\n"
      "      30ns 30.00% 10.00%       30ns 30.00%                | c\n" RULE
      "                                              10ns   100% |   main\n"
      "      10ns 10.00%     0%       10ns 10.00%                | a\n" RULE,
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
