/* test_order.c - tests src/report/graph/order.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "flat", "-top", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "cum", "-top -cum", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "         0     0%     0%      100ns   100%  main\n"
      "      30ns 30.00% 30.00%       90ns 90.00%  a\n"
      "      60ns 60.00% 90.00%       60ns 60.00%  c\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n",
      NULL },
    { "equal values by name",
      "-top",
      { { "m|b", 5, false }, { "m|a", 5, false }, { "m|c", 5, false } },
      OF_PROG
      "Showing nodes accounting for 15ns, 100% of 15ns total\n" TOP_COLUMNS
      "       5ns 33.33% 33.33%        5ns 33.33%  a\n"
      "       5ns 33.33% 66.67%        5ns 33.33%  b\n"
      "       5ns 33.33%   100%        5ns 33.33%  c\n"
      "         0     0%   100%       15ns   100%  m\n",
      NULL },
    { "equal cum by name",
      "-top -cum",
      { { "m|b", 5, false }, { "m|a", 5, false }, { "z", 10, false } },
      OF_PROG
      "Showing nodes accounting for 20ns, 100% of 20ns total\n" TOP_COLUMNS
      "         0     0%     0%       10ns 50.00%  m\n"
      "      10ns 50.00% 50.00%       10ns 50.00%  z\n"
      "       5ns 25.00% 75.00%        5ns 25.00%  a\n"
      "       5ns 25.00%   100%        5ns 25.00%  b\n",
      NULL },
    { "by size, not sign",
      "-top",
      { { "m|b", 5, false }, { "m|a", -7, false }, { "m|c", 6, false } },
      OF_PROG
      "Showing nodes accounting for 4ns, 22.22% of 18ns total\n" TOP_COLUMNS
      "      -7ns 38.89% 38.89%       -7ns 38.89%  a\n"
      "       6ns 33.33%  5.56%        6ns 33.33%  c\n"
      "       5ns 27.78% 22.22%        5ns 27.78%  b\n"
      "         0     0% 22.22%        4ns 22.22%  m\n",
      NULL },
    { "names by bytes",
      "-top",
      { { "m|B", 5, false },
        { "m|a", 5, false },
        { "m|_", 5, false },
        { "m|a1", 5, false },
        { "m|a ", 5, false } },
      OF_PROG
      "Showing nodes accounting for 25ns, 100% of 25ns total\n" TOP_COLUMNS
      "       5ns 20.00% 20.00%        5ns 20.00%  B\n"
      "       5ns 20.00% 40.00%        5ns 20.00%  _\n"
      "       5ns 20.00% 60.00%        5ns 20.00%  a\n"
      "       5ns 20.00% 80.00%        5ns 20.00%  a \n"
      "       5ns 20.00%   100%        5ns 20.00%  a1\n"
      "         0     0%   100%       25ns   100%  m\n",
      NULL },
    { "addresses by number",
      "-top -addresses",
      { { "m|f", 5, false }, { "m|f", 5, false } },
      OF_PROG
      "Showing nodes accounting for 10ns, 100% of 10ns total\n" TOP_COLUMNS
      "       5ns 50.00% 50.00%        5ns 50.00%  0000000000001000 f "
      "/src/a.c:7\n"
      "       5ns 50.00%   100%        5ns 50.00%  0000000000001020 f "
      "/src/a.c:7\n"
      "         0     0%   100%        5ns 50.00%  0000000000001010 m "
      "/src/a.c:7\n"
      "         0     0%   100%        5ns 50.00%  0000000000001030 m "
      "/src/a.c:7\n",
      NULL },
    { "entropy",
      "-dot",
      { { "m|a|x", 10, false },
        { "m|b|x", 10, false },
        { "m|c", 30, false },
        { "m|a|y", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 55ns, "
      "100% of 55ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"m\\n0 of 55ns (100%)\" id=\"node1\" fontsize=8 shape=box "
      "tooltip=\"m (55ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"c\\n30ns (54.55%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"c (30ns)\" color=\"#b21d00\" fillcolor=\"#edd9d5\"]\n"
      "N3 [label=\"x\\n20ns (36.36%)\" id=\"node3\" fontsize=22 shape=box "
      "tooltip=\"x (20ns)\" color=\"#b22e00\" fillcolor=\"#eddbd5\"]\n"
      "N4 [label=\"a\\n0 of 15ns (27.27%)\" id=\"node4\" fontsize=8 shape=box "
      "tooltip=\"a (15ns)\" color=\"#b23900\" fillcolor=\"#edddd5\"]\n"
      "N5 [label=\"y\\n5ns (9.09%)\" id=\"node5\" fontsize=15 shape=box "
      "tooltip=\"y (5ns)\" color=\"#b28a61\" fillcolor=\"#ede7e2\"]\n"
      "N6 [label=\"b\\n0 of 10ns (18.18%)\" id=\"node6\" fontsize=8 shape=box "
      "tooltip=\"b (10ns)\" color=\"#b25110\" fillcolor=\"#ede0d7\"]\n"
      "N1 -> N2 [label=\" 30ns\" weight=55 penwidth=3 color=\"#b21d00\" "
      "tooltip=\"m -> c (30ns)\" labeltooltip=\"m -> c (30ns)\"]\n"
      "N1 -> N4 [label=\" 15ns\" weight=28 penwidth=2 color=\"#b23900\" "
      "tooltip=\"m -> a (15ns)\" labeltooltip=\"m -> a (15ns)\"]\n"
      "N4 -> N3 [label=\" 10ns\" weight=19 color=\"#b25110\" tooltip=\"a -> x "
      "(10ns)\" labeltooltip=\"a -> x (10ns)\"]\n"
      "N6 -> N3 [label=\" 10ns\" weight=19 color=\"#b25110\" tooltip=\"b -> x "
      "(10ns)\" labeltooltip=\"b -> x (10ns)\"]\n"
      "N1 -> N6 [label=\" 10ns\" weight=19 color=\"#b25110\" tooltip=\"m -> b "
      "(10ns)\" labeltooltip=\"m -> b (10ns)\"]\n"
      "N4 -> N5 [label=\" 5ns\" weight=10 color=\"#b28a61\" tooltip=\"a -> y "
      "(5ns)\" labeltooltip=\"a -> y (5ns)\"]\n"
      "}\n",
      NULL },
    { "calls by weight and name",
      "-peek=^m$",
      { { "m|b", 5, false }, { "m|a", 5, false }, { "m|c", 9, false } },
      OF_PROG
      "Showing nodes accounting for 19ns, 100% of 19ns total\n" TREE_HEAD
      "         0     0%     0%       19ns   100%                | m\n"
      "                                               9ns 47.37% |   c\n"
      "                                               5ns 26.32% |   a\n"
      "                                               5ns 26.32% |   b\n" RULE,
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
