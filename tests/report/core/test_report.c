/*
 * test_report.c - tests src/report/core/report.c: value, total, means, bases.
 */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "the last type by default", "-top", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "a type by name", "-top -sample_index=samples", PLAIN_STACKS,
      "File: prog\n"
      "Type: samples\n"
      "Showing nodes accounting for 3, 100% of 3 total\n" TOP_COLUMNS
      "         1 33.33% 33.33%          2 66.67%  a\n"
      "         1 33.33% 66.67%          1 33.33%  b\n"
      "         1 33.33%   100%          1 33.33%  c\n"
      "         0     0%   100%          3   100%  main\n",
      NULL },
    { "a type by number", "-top -sample_index=0", PLAIN_STACKS,
      "File: prog\n"
      "Type: samples\n"
      "Showing nodes accounting for 3, 100% of 3 total\n" TOP_COLUMNS
      "         1 33.33% 33.33%          2 66.67%  a\n"
      "         1 33.33% 66.67%          1 33.33%  b\n"
      "         1 33.33%   100%          1 33.33%  c\n"
      "         0     0%   100%          3   100%  main\n",
      NULL },
    { "a prefix that may be missing", "-top -sample_index=inuse_cpu",
      PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "a number out of range", "-top -sample_index=7", PLAIN_STACKS,
      "sample_index 7 is outside the range [0..1]", NULL },
    { "a negative number", "-top -sample_index=-1", PLAIN_STACKS,
      "sample_index -1 is outside the range [0..1]", NULL },
    { "an unknown name", "-top -sample_index=what", PLAIN_STACKS,
      "sample_index \"what\" must be one of: [samples cpu]", NULL },
    { "mean",
      "-top -mean",
      { { "main|a", 30, false },
        { "main|a", 11, false },
        { "main|b", 10, false } },
      "File: prog\n"
      "Type: mean_cpu\n"
      "Showing nodes accounting for 30ns, 176.47% of 17ns total\n" TOP_COLUMNS
      "      20ns 117.65% 117.65%       20ns 117.65%  a\n"
      "      10ns 58.82% 176.47%       10ns 58.82%  b\n"
      "         0     0% 176.47%       17ns   100%  main\n",
      NULL },
    { "mean of the first value", "-top -mean -sample_index=samples",
      PLAIN_STACKS,
      "File: prog\n"
      "Type: mean_samples\n"
      "Showing nodes accounting for 3, 300.00% of 1 total\n" TOP_COLUMNS
      "         1   100%   100%          1   100%  a\n"
      "         1   100% 200.00%          1   100%  b\n"
      "         1   100% 300.00%          1   100%  c\n"
      "         0     0% 300.00%          1   100%  main\n",
      NULL },
    { "divide_by", "-top -divide_by=4", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 25ns, 100% of 25ns total\n" TOP_COLUMNS
      "      15ns 60.00% 60.00%       15ns 60.00%  c\n"
      "       7ns 30.00% 90.00%       22ns 90.00%  a\n"
      "       2ns 10.00%   100%        2ns 10.00%  b\n"
      "         0     0%   100%       25ns   100%  main\n",
      NULL },
    { "divide_by below one", "-top -divide_by=0.5", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 200ns, 100% of 200ns total\n" TOP_COLUMNS
      "     120ns 60.00% 60.00%      120ns 60.00%  c\n"
      "      60ns 30.00% 90.00%      180ns 90.00%  a\n"
      "      20ns 10.00%   100%       20ns 10.00%  b\n"
      "         0     0%   100%      200ns   100%  main\n",
      NULL },
    { "zero divisor", "-top -divide_by=0", PLAIN_STACKS,
      "zero divisor specified", NULL },
    { "a base counts alone in the total", "-top", DIFF_STACKS,
      OF_PROG "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS
              "     -40ns 40.00% 40.00%      -40ns 40.00%  b\n"
              "      30ns 30.00% 10.00%       30ns 30.00%  c\n"
              "      10ns 10.00%     0%       10ns 10.00%  a\n",
      NULL },
    { "a base of zeros does not",
      "-top",
      { { "main|a", 50, false }, { "main|b", 0, true } },
      OF_PROG
      "Showing nodes accounting for 50ns, 100% of 50ns total\n" TOP_COLUMNS
      "      50ns   100%   100%       50ns   100%  a\n"
      "         0     0%   100%       50ns   100%  main\n",
      NULL },
    { "negative values count by size",
      "-top",
      { { "main|a", -30, false }, { "main|b", 10, false } },
      OF_PROG
      "Showing nodes accounting for -20ns, 50.00% of 40ns total\n" TOP_COLUMNS
      "     -30ns 75.00% 75.00%      -30ns 75.00%  a\n"
      "      10ns 25.00% 50.00%       10ns 25.00%  b\n"
      "         0     0% 50.00%      -20ns 50.00%  main\n",
      NULL },
    { "values that cancel out",
      "-top",
      { { "main|a", 30, false }, { "main|a", -30, false } },
      OF_PROG "Showing nodes accounting for 0, 0% of 60ns total\n" TOP_COLUMNS,
      NULL },
    { "no samples",
      "-top",
      { { NULL, 0, false } },
      OF_PROG "Showing nodes accounting for 0, 0% of 0 total\n" TOP_COLUMNS,
      NULL },
    { "samples without a stack",
      "-top",
      { { "", 30, false }, { "main", 10, false } },
      OF_PROG
      "Showing nodes accounting for 10ns, 25.00% of 40ns total\n" TOP_COLUMNS
      "      10ns 25.00% 25.00%       10ns 25.00%  main\n",
      NULL },
    { "no value at all",
      "-top",
      { { "main", 0, false } },
      OF_PROG "Showing nodes accounting for 0, 0% of 0 total\n" TOP_COLUMNS,
      NULL },
    { "percentages of what is left", "-top -focus=^b$ -relative_percentages",
      PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   focus=^b$\n"
      "Showing nodes accounting for 10ns, 100% of 10ns total\n" TOP_COLUMNS
      "      10ns   100%   100%       10ns   100%  b\n"
      "         0     0%   100%       10ns   100%  main\n",
      NULL },
    { "percentages of all", "-top -focus=^b$", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   focus=^b$\n"
      "Showing nodes accounting for 10ns, 10.00% of 100ns total\n" TOP_COLUMNS
      "      10ns 10.00% 10.00%       10ns 10.00%  b\n"
      "         0     0% 10.00%       10ns 10.00%  main\n",
      NULL },
    { "a unit",
      "-top -unit=us",
      { { "main", 1234567, false }, { "main|a", 500, false } },
      OF_PROG
      "Showing nodes accounting for 1234.57us, 100% of 1235.07us total\n"
      "Dropped 1 node (cum <= 6.17us)\n" TOP_COLUMNS
      " 1234.57us   100%   100%  1235.07us   100%  main\n",
      NULL },
    { "a unit of another kind",
      "-top -unit=kb",
      { { "main", 1234567890, false } },
      OF_PROG
      "Showing nodes accounting for 1.23s, 100% of 1.23s total\n" TOP_COLUMNS
      "     1.23s   100%   100%      1.23s   100%  main\n",
      NULL },
    { "the smallest unit that fits all",
      "-top",
      { { "main", 5000000, false }, { "main|a", 20000, false } },
      OF_PROG "Showing nodes accounting for 5ms, 99.60% of 5.02ms total\n"
              "Dropped 1 node (cum <= 0.03ms)\n" TOP_COLUMNS
              "       5ms 99.60% 99.60%     5.02ms   100%  main\n",
      NULL },
    { "hours",
      "-top",
      { { "main", 7200000000000, false } },
      OF_PROG
      "Showing nodes accounting for 2hrs, 100% of 2hrs total\n" TOP_COLUMNS
      "      2hrs   100%   100%       2hrs   100%  main\n",
      NULL },
    { "the largest number",
      "-top",
      { { "main", 9223372036854775807, false } },
      OF_PROG
      "Showing nodes accounting for 2562047.79hrs, 100% of 2562047.79hrs "
      "total\n" TOP_COLUMNS
      "2562047.79hrs   100%   100% 2562047.79hrs   100%  main\n",
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
