/* test_frames.c - tests src/report/core/frames.c: nodes at each granularity. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "functions",
      "-top -functions",
      { { "main@/m.c:1|f@/a.c:2", 3, false },
        { "main@/m.c:5|f@/b.c:2", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       7ns   100%   100%        7ns   100%  f\n"
      "         0     0%   100%        7ns   100%  main\n",
      NULL },
    { "functions and files",
      "-top -filefunctions",
      { { "main@/m.c:1|f@/a.c:2", 3, false },
        { "main@/m.c:5|f@/b.c:2", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       4ns 57.14% 57.14%        4ns 57.14%  f /b.c\n"
      "       3ns 42.86%   100%        3ns 42.86%  f /a.c\n"
      "         0     0%   100%        7ns   100%  main /m.c\n",
      NULL },
    { "files",
      "-top -files",
      { { "main@/m.c:1|f@/a.c:2", 3, false },
        { "main@/m.c:5|g@/a.c:9", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       7ns   100%   100%        7ns   100%  /a.c\n"
      "         0     0%   100%        7ns   100%  /m.c\n",
      NULL },
    { "lines",
      "-top -lines",
      { { "main@/m.c:1|f@/a.c:2", 3, false },
        { "main@/m.c:5|f@/a.c:2:8", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       7ns   100%   100%        7ns   100%  f /a.c:2\n"
      "         0     0%   100%        3ns 42.86%  main /m.c:1\n"
      "         0     0%   100%        4ns 57.14%  main /m.c:5\n",
      NULL },
    { "columns",
      "-top -lines -showcolumns",
      { { "main@/m.c:1|f@/a.c:2:3", 3, false },
        { "main@/m.c:1|f@/a.c:2:8", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       4ns 57.14% 57.14%        4ns 57.14%  f /a.c:2:8\n"
      "       3ns 42.86%   100%        3ns 42.86%  f /a.c:2:3\n"
      "         0     0%   100%        7ns   100%  main /m.c:1\n",
      NULL },
    { "columns want lines",
      "-top -showcolumns",
      { { "f@/a.c:2:3", 3, false }, { "f@/a.c:2:8", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       7ns   100%   100%        7ns   100%  f\n",
      NULL },
    { "addresses",
      "-top -addresses",
      { { "main@/m.c:1|f@/a.c:2", 3, false },
        { "main@/m.c:1|f@/a.c:2:4", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       4ns 57.14% 57.14%        4ns 57.14%  0000000000001020 f "
      "/a.c:2:4\n"
      "       3ns 42.86%   100%        3ns 42.86%  0000000000001000 f /a.c:2\n"
      "         0     0%   100%        3ns 42.86%  0000000000001010 main "
      "/m.c:1\n"
      "         0     0%   100%        4ns 57.14%  0000000000001030 main "
      "/m.c:1\n",
      NULL },
    { "no lines",
      "-top",
      { { "main|-", 3, false }, { "-", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       7ns   100%   100%        7ns   100%  [prog]\n"
      "         0     0%   100%        3ns 42.86%  main\n",
      NULL },
    { "no lines by address",
      "-top -addresses",
      { { "main|-", 3, false }, { "-", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       4ns 57.14% 57.14%        4ns 57.14%  0000000000001020 [prog]\n"
      "       3ns 42.86%   100%        3ns 42.86%  0000000000001000 [prog]\n"
      "         0     0%   100%        3ns 42.86%  0000000000001010 main "
      "/src/a.c:7\n",
      NULL },
    { "no name",
      "-top",
      { { "main|@/x.c:4", 3, false } },
      OF_PROG
      "Showing nodes accounting for 3ns, 100% of 3ns total\n" TOP_COLUMNS
      "       3ns   100%   100%        3ns   100%  [prog]\n"
      "         0     0%   100%        3ns   100%  main\n",
      NULL },
    { "no name by line",
      "-top -lines",
      { { "main|@/x.c:4", 3, false } },
      OF_PROG
      "Showing nodes accounting for 3ns, 100% of 3ns total\n" TOP_COLUMNS
      "       3ns   100%   100%        3ns   100%  /x.c:4\n"
      "         0     0%   100%        3ns   100%  main /src/a.c:7\n",
      NULL },
    { "neither name nor file",
      "-top",
      { { "main|@:0", 3, false } },
      OF_PROG
      "Showing nodes accounting for 3ns, 100% of 3ns total\n" TOP_COLUMNS
      "       3ns   100%   100%        3ns   100%  [prog]\n"
      "         0     0%   100%        3ns   100%  main\n",
      NULL },
    { "inlined", "-top", INLINED_STACKS,
      OF_PROG
      "Showing nodes accounting for 70ns, 100% of 70ns total\n" TOP_COLUMNS
      "      50ns 71.43% 71.43%       50ns 71.43%  inner (partial-inline)\n"
      "      20ns 28.57%   100%       60ns 85.71%  outer\n"
      "         0     0%   100%       70ns   100%  main\n",
      NULL },
    { "noinlines", "-top -noinlines", INLINED_STACKS,
      OF_PROG
      "Showing nodes accounting for 70ns, 100% of 70ns total\n" TOP_COLUMNS
      "      60ns 85.71% 85.71%       60ns 85.71%  outer\n"
      "      10ns 14.29%   100%       10ns 14.29%  inner\n"
      "         0     0%   100%       70ns   100%  main\n",
      NULL },
    { "noinlines by line",
      "-top -noinlines -lines",
      { { "main@/m.c:1|f@/a.c:2~g@/b.c:3", 3, false } },
      OF_PROG
      "Showing nodes accounting for 3ns, 100% of 3ns total\n" TOP_COLUMNS
      "       3ns   100%   100%        3ns   100%  f /a.c:2\n"
      "         0     0%   100%        3ns   100%  main /m.c:1\n",
      NULL },
    { "noinlines by address",
      "-top -noinlines -addresses",
      { { "main@/m.c:1|f@/a.c:2~g@/b.c:3", 3, false } },
      OF_PROG
      "Showing nodes accounting for 3ns, 100% of 3ns total\n" TOP_COLUMNS
      "       3ns   100%   100%        3ns   100%  0000000000001000 f /a.c:2\n"
      "         0     0%   100%        3ns   100%  0000000000001010 main "
      "/m.c:1\n",
      NULL },
    { "paths are cleaned",
      "-top -files",
      { { "f@/a/../b//c.c:2", 3, false } },
      OF_PROG
      "Showing nodes accounting for 3ns, 100% of 3ns total\n" TOP_COLUMNS
      "       3ns   100%   100%        3ns   100%  /b/c.c\n",
      NULL },
    { "trim_path",
      "-top -files -trim_path=/build/app",
      { { "f@/build/app/x.c:2", 3, false }, { "g@/other/x.c:2", 4, false } },
      OF_PROG
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       4ns 57.14% 57.14%        4ns 57.14%  /other/x.c\n"
      "       3ns 42.86%   100%        3ns 42.86%  x.c\n",
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
