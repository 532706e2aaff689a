/* test_top.c - tests src/report/text/top.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "columns", "-top", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "inline marks", "-top", INLINED_STACKS,
      OF_PROG
      "Showing nodes accounting for 70ns, 100% of 70ns total\n" TOP_COLUMNS
      "      50ns 71.43% 71.43%       50ns 71.43%  inner (partial-inline)\n"
      "      20ns 28.57%   100%       60ns 85.71%  outer\n"
      "         0     0%   100%       70ns   100%  main\n",
      NULL },
    { "partly inline",
      "-top",
      { { "main|f~g", 5, false }, { "main|f|g", 5, false } },
      OF_PROG
      "Showing nodes accounting for 10ns, 100% of 10ns total\n" TOP_COLUMNS
      "      10ns   100%   100%       10ns   100%  g\n"
      "         0     0%   100%       10ns   100%  f\n"
      "         0     0%   100%       10ns   100%  main\n",
      NULL },
    { "the mark goes with the caller",
      "-top -nodefraction=0.5",
      { { "main|f~g", 5, false }, { "main|g", 9, false } },
      OF_PROG "Showing nodes accounting for 14ns, 100% of 14ns total\n"
              "Dropped 1 node (cum <= 7ns)\n" TOP_COLUMNS
              "      14ns   100%   100%       14ns   100%  g\n"
              "         0     0%   100%       14ns   100%  main\n",
      NULL },
    { "wide values",
      "-top",
      { { "main", 123456789012345678, false }, { "main|a", 1, false } },
      OF_PROG
      "Showing nodes accounting for 34293.55hrs, 100% of 34293.55hrs total\n"
      "Dropped 1 node (cum <= 171.47hrs)\n" TOP_COLUMNS
      "34293.55hrs   100%   100% 34293.55hrs   100%  main\n",
      NULL },
    { "small percentages",
      "-top -nodefraction=0",
      { { "m|a", 1000000, false },
        { "m|b", 1, false },
        { "m|c", 500, false },
        { "m|d", 9994, false } },
      OF_PROG "Showing nodes accounting for 1010495ns, 100% of 1010495ns "
              "total\n" TOP_COLUMNS
              " 1000000ns 98.96% 98.96%  1000000ns 98.96%  a\n"
              "    9994ns  0.99%   100%     9994ns  0.99%  d\n"
              "     500ns 0.049%   100%      500ns 0.049%  c\n"
              "       1ns 9.9e-05%   100%        1ns 9.9e-05%  b\n"
              "         0     0%   100%  1010495ns   100%  m\n",
      NULL },
    { "the sum can fall", "-top", DIFF_STACKS,
      OF_PROG "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS
              "     -40ns 40.00% 40.00%      -40ns 40.00%  b\n"
              "      30ns 30.00% 10.00%       30ns 30.00%  c\n"
              "      10ns 10.00%     0%       10ns 10.00%  a\n",
      NULL },
    { "text is top", "-text", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "bytes that are no UTF-8",
      "-top",
      { { "caf\351", 5, false } },
      OF_PROG
      "Showing nodes accounting for 5ns, 100% of 5ns total\n" TOP_COLUMNS
      "       5ns   100%   100%        5ns   100%  caf\351\n",
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
