/* test_filters.c - tests src/report/core/filters.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "focus", "-top -focus=^a$", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   focus=^a$\n"
      "Showing nodes accounting for 90ns, 90.00% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "         0     0% 90.00%       90ns 90.00%  main\n",
      NULL },
    { "focus on a file",
      "-top -focus=/b.c",
      { { "m|a", 5, false }, { "m|b@/src/b.c:4", 6, false } },
      OF_PROG
      "Active filters:\n"
      "   focus=/b.c\n"
      "Showing nodes accounting for 6ns, 54.55% of 11ns total\n" TOP_COLUMNS
      "       6ns 54.55% 54.55%        6ns 54.55%  b\n"
      "         0     0% 54.55%        6ns 54.55%  m\n",
      NULL },
    { "focus on the binary", "-top -focus=bin/prog", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   focus=bin/prog\n"
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "focus on nothing", "-top -focus=zz", PLAIN_STACKS,
      OF_PROG "Active filters:\n"
              "   focus=zz\n"
              "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS,
      "Focus expression matched no samples\n" },
    { "ignore", "-top -ignore=^c$", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   ignore=^c$\n"
      "Showing nodes accounting for 40ns, 40.00% of 100ns total\n" TOP_COLUMNS
      "      30ns 30.00% 30.00%       30ns 30.00%  a\n"
      "      10ns 10.00% 40.00%       10ns 10.00%  b\n"
      "         0     0% 40.00%       40ns 40.00%  main\n",
      NULL },
    { "ignore a file", "-top -ignore=/a.c", PLAIN_STACKS,
      OF_PROG "Active filters:\n"
              "   ignore=/a.c\n"
              "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS,
      NULL },
    { "focus and ignore", "-top -focus=main -ignore=^a$", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   focus=main\n"
      "   ignore=^a$\n"
      "Showing nodes accounting for 10ns, 10.00% of 100ns total\n" TOP_COLUMNS
      "      10ns 10.00% 10.00%       10ns 10.00%  b\n"
      "         0     0% 10.00%       10ns 10.00%  main\n",
      NULL },
    { "ignore nothing", "-top -ignore=zz", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   ignore=zz\n"
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      "Ignore expression matched no samples\n" },
    { "hide", "-top -hide=^a$", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   hide=^a$\n"
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%      100ns   100%  main\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n",
      NULL },
    { "hide all", "-top -hide=.", PLAIN_STACKS,
      OF_PROG "Active filters:\n"
              "   hide=.\n"
              "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS,
      NULL },
    { "hide nothing", "-top -hide=zz", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   hide=zz\n"
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      "Hide expression matched no samples\n" },
    { "show", "-top -show=^a$|^c$", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   show=^a$|^c$\n"
      "Showing nodes accounting for 90ns, 90.00% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n",
      NULL },
    { "show nothing", "-top -show=zz", PLAIN_STACKS,
      OF_PROG "Active filters:\n"
              "   show=zz\n"
              "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS,
      "Show expression matched no samples\n" },
    { "show hides what has no name",
      "-top -show=.",
      { { "main|-", 5, false }, { "main", 2, false } },
      OF_PROG
      "Active filters:\n"
      "   show=.\n"
      "Showing nodes accounting for 7ns, 100% of 7ns total\n" TOP_COLUMNS
      "       7ns   100%   100%        7ns   100%  main\n",
      NULL },
    { "show_from", "-top -show_from=^a$", PLAIN_STACKS,
      OF_PROG
      "Active filters:\n"
      "   show_from=^a$\n"
      "Showing nodes accounting for 90ns, 90.00% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n",
      NULL },
    { "show_from nothing", "-top -show_from=zz", PLAIN_STACKS,
      OF_PROG "Active filters:\n"
              "   show_from=zz\n"
              "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS,
      "ShowFrom expression matched no samples\n" },
    { "hide an inlined call", "-top -hide=inner", INLINED_STACKS,
      OF_PROG
      "Active filters:\n"
      "   hide=inner\n"
      "Showing nodes accounting for 70ns, 100% of 70ns total\n" TOP_COLUMNS
      "      60ns 85.71% 85.71%       60ns 85.71%  outer\n"
      "      10ns 14.29%   100%       70ns   100%  main\n",
      NULL },
    { "prune_from", "-top -prune_from=^a$", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      90ns 90.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "prune_from an inlined call", "-top -prune_from=outer", INLINED_STACKS,
      OF_PROG
      "Showing nodes accounting for 70ns, 100% of 70ns total\n" TOP_COLUMNS
      "      60ns 85.71% 85.71%       60ns 85.71%  outer\n"
      "      10ns 14.29%   100%       10ns 14.29%  inner\n"
      "         0     0%   100%       70ns   100%  main\n",
      NULL },
    { "prune_from nothing", "-top -prune_from=zz", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "tagfocus", "-top -tagfocus=user=bob", TAGGED_STACKS,
      OF_PROG
      "Active filters:\n"
      "   tagfocus=user=bob\n"
      "Showing nodes accounting for 50ns, 50.00% of 100ns total\n" TOP_COLUMNS
      "      40ns 40.00% 40.00%       40ns 40.00%  get\n"
      "      10ns 10.00% 50.00%       10ns 10.00%  put\n"
      "         0     0% 50.00%       50ns 50.00%  main\n",
      NULL },
    { "tagfocus without a key", "-top -tagfocus=bob", TAGGED_STACKS,
      OF_PROG
      "Active filters:\n"
      "   tagfocus=bob\n"
      "Showing nodes accounting for 50ns, 50.00% of 100ns total\n" TOP_COLUMNS
      "      40ns 40.00% 40.00%       40ns 40.00%  get\n"
      "      10ns 10.00% 50.00%       10ns 10.00%  put\n"
      "         0     0% 50.00%       50ns 50.00%  main\n",
      NULL },
    { "tagfocus a range", "-top -tagfocus=bytes=20b:100b", TAGGED_STACKS,
      OF_PROG
      "Active filters:\n"
      "   tagfocus=bytes=20b:100b\n"
      "Showing nodes accounting for 60ns, 60.00% of 100ns total\n" TOP_COLUMNS
      "      40ns 40.00% 40.00%       40ns 40.00%  get\n"
      "      20ns 20.00% 60.00%       20ns 20.00%  put\n"
      "         0     0% 60.00%       60ns 60.00%  main\n",
      "tagfocus:Interpreted '20b:100b' as range, not regexp\n" },
    { "tagfocus up to", "-top -tagfocus=bytes=:20b", TAGGED_STACKS,
      OF_PROG
      "Active filters:\n"
      "   tagfocus=bytes=:20b\n"
      "Showing nodes accounting for 30ns, 30.00% of 100ns total\n" TOP_COLUMNS
      "      30ns 30.00% 30.00%       30ns 30.00%  get\n"
      "         0     0% 30.00%       30ns 30.00%  main\n",
      "tagfocus:Interpreted ':20b' as range, not regexp\n" },
    { "tagfocus a number wants a unit", "-top -tagfocus=bytes=64",
      TAGGED_STACKS,
      OF_PROG "Active filters:\n"
              "   tagfocus=bytes=64\n"
              "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS,
      "tagfocus:Interpreted '64' as range, not regexp\n"
      "TagFocus expression matched no samples\n" },
    { "tagfocus nothing", "-top -tagfocus=user=zz", TAGGED_STACKS,
      OF_PROG "Active filters:\n"
              "   tagfocus=user=zz\n"
              "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS,
      "TagFocus expression matched no samples\n" },
    { "tagignore", "-top -tagignore=user=bob", TAGGED_STACKS,
      OF_PROG
      "Active filters:\n"
      "   tagignore=user=bob\n"
      "Showing nodes accounting for 50ns, 50.00% of 100ns total\n" TOP_COLUMNS
      "      30ns 30.00% 30.00%       30ns 30.00%  get\n"
      "      20ns 20.00% 50.00%       20ns 20.00%  put\n"
      "         0     0% 50.00%       50ns 50.00%  main\n",
      NULL },
    { "tagignore nothing", "-top -tagignore=user=zz", TAGGED_STACKS,
      OF_PROG
      "Active filters:\n"
      "   tagignore=user=zz\n"
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      70ns 70.00% 70.00%       70ns 70.00%  get\n"
      "      30ns 30.00%   100%       30ns 30.00%  put\n"
      "         0     0%   100%      100ns   100%  main\n",
      "TagIgnore expression matched no samples\n" },
    { "tagshow nothing", "-tags -tagshow=zz", TAGGED_STACKS, "",
      "TagShow expression matched no samples\n" },
    { "taghide nothing", "-tags -taghide=zz", TAGGED_STACKS,
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
      "TagHide expression matched no samples\n" },
    { "tagroot", "-top -tagroot=user", TAGGED_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      70ns 70.00% 70.00%       70ns 70.00%  get\n"
      "      30ns 30.00%   100%       30ns 30.00%  put\n"
      "         0     0%   100%       20ns 20.00%  <unknown>\n"
      "         0     0%   100%       30ns 30.00%  amy\n"
      "         0     0%   100%       50ns 50.00%  bob\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "tagroot of two", "-peek=bob -tagroot=user,bytes", TAGGED_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TREE_HEAD
      "         0     0%     0%       50ns 50.00%                | bob\n"
      "                                              40ns 80.00% |   64B\n"
      "                                              10ns 20.00% |   "
      "<unknown>\n" RULE,
      NULL },
    { "tagleaf", "-top -tagleaf=bytes", TAGGED_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      40ns 40.00% 40.00%       40ns 40.00%  64B\n"
      "      30ns 30.00% 70.00%       30ns 30.00%  16B\n"
      "      20ns 20.00% 90.00%       20ns 20.00%  32B\n"
      "      10ns 10.00%   100%       10ns 10.00%  <unknown>\n"
      "         0     0%   100%       70ns 70.00%  get\n"
      "         0     0%   100%      100ns   100%  main\n"
      "         0     0%   100%       30ns 30.00%  put\n",
      NULL },
    { "tagroot of nothing", "-top -tagroot=zz", TAGGED_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      70ns 70.00% 70.00%       70ns 70.00%  get\n"
      "      30ns 30.00%   100%       30ns 30.00%  put\n"
      "         0     0%   100%      100ns   100%  <unknown>\n"
      "         0     0%   100%      100ns   100%  main\n",
      "TagRoot expression matched no samples\n" },
    { "tagleaf of nothing", "-top -tagleaf=zz", TAGGED_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "     100ns   100%   100%      100ns   100%  <unknown>\n"
      "         0     0%   100%       70ns 70.00%  get\n"
      "         0     0%   100%      100ns   100%  main\n"
      "         0     0%   100%       30ns 30.00%  put\n",
      "TagLeaf expression matched no samples\n" },
    { "all at once", "-top -focus=main -ignore=zz -hide=put -tagfocus=user=.",
      TAGGED_STACKS,
      OF_PROG
      "Active filters:\n"
      "   focus=main\n"
      "   ignore=zz\n"
      "   hide=put\n"
      "   tagfocus=user=.\n"
      "Showing nodes accounting for 80ns, 80.00% of 100ns total\n" TOP_COLUMNS
      "      70ns 70.00% 70.00%       70ns 70.00%  get\n"
      "      10ns 10.00% 80.00%       80ns 80.00%  main\n",
      "Ignore expression matched no samples\n" },
    { "a wrong focus", "-top -focus=(", PLAIN_STACKS,
      "parsing focus regexp: error parsing regexp: missing closing ): `(`",
      NULL },
    { "a wrong tagshow", "-top -tagshow=(", PLAIN_STACKS,
      "parsing tagshow regexp: error parsing regexp: missing closing ): `(`",
      NULL },
    { "a wrong tagfocus", "-top -tagfocus=k=(", PLAIN_STACKS,
      "parsing tagfocus regexp: error parsing regexp: missing closing ): `(`",
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
