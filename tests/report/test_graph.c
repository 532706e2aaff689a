/* test_graph.c - tests src/report/graph.c and walk.c: flat, cum and the calls.
 */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "flat and cum",
      "-tree",
      { { "main|a", 30, false },
        { "main|b", 10, false },
        { "main|a|c", 60, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 100ns, 100% of 100ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              60ns   100% |   a\n"
      "      60ns 60.00% 60.00%       60ns 60.00%                | c\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              90ns   100% |   main\n"
      "      30ns 30.00% 90.00%       90ns 90.00%                | a\n"
      "                                              60ns 66.67% |   c\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              10ns   100% |   main\n"
      "      10ns 10.00%   100%       10ns 10.00%                | b\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "         0     0%   100%      100ns   100%                | main\n"
      "                                              90ns 90.00% |   a\n"
      "                                              10ns 10.00% |   b\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "recursion counts once",
      "-tree",
      { { "main|f|f|f", 10, false }, { "main|f|g|f", 5, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 15ns, 100% of 15ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              15ns   100% |   main\n"
      "                                               5ns 33.33% |   g\n"
      "      15ns   100%   100%       15ns   100%                | f\n"
      "                                               5ns 33.33% |   g\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                               5ns   100% |   f\n"
      "         0     0%   100%        5ns 33.33%                | g\n"
      "                                               5ns   100% |   f\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "         0     0%   100%       15ns   100%                | main\n"
      "                                              15ns   100% |   f\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "mutual recursion",
      "-tree",
      { { "a|b|a|b", 10, false }, { "a|b", 1, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 11ns, 100% of 11ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              11ns   100% |   a\n"
      "      11ns   100%   100%       11ns   100%                | b\n"
      "                                              10ns 90.91% |   a\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              10ns 90.91% |   b\n"
      "         0     0%   100%       11ns   100%                | a\n"
      "                                              11ns   100% |   b\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "a call counts once a sample",
      "-tree",
      { { "m|a|b|a|b", 10, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 10ns, 100% of 10ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              10ns   100% |   a\n"
      "      10ns   100%   100%       10ns   100%                | b\n"
      "                                              10ns   100% |   a\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              10ns   100% |   b\n"
      "                                              10ns   100% |   m\n"
      "         0     0%   100%       10ns   100%                | a\n"
      "                                              10ns   100% |   b\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "         0     0%   100%       10ns   100%                | m\n"
      "                                              10ns   100% |   a\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "no call to itself",
      "-tree",
      { { "f|f", 3, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 3ns, 100% of 3ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "       3ns   100%   100%        3ns   100%                | f\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "inlined calls",
      "-tree",
      { { "main|outer~inner", 40, false },
        { "main|outer", 20, false },
        { "main|inner", 10, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 70ns, 100% of 70ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              40ns 80.00% |   outer "
      "(inline)\n"
      "                                              10ns 20.00% |   main\n"
      "      50ns 71.43% 71.43%       50ns 71.43%                | inner\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              60ns   100% |   main\n"
      "      20ns 28.57%   100%       60ns 85.71%                | outer\n"
      "                                              40ns 66.67% |   inner "
      "(inline)\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "         0     0%   100%       70ns   100%                | main\n"
      "                                              60ns 85.71% |   outer\n"
      "                                              10ns 14.29% |   inner\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "inlined and not",
      "-tree",
      { { "main|f~g", 5, false }, { "main|f|g", 5, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 10ns, 100% of 10ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              10ns   100% |   f\n"
      "      10ns   100%   100%       10ns   100%                | g\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              10ns   100% |   main\n"
      "         0     0%   100%       10ns   100%                | f\n"
      "                                              10ns   100% |   g\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "         0     0%   100%       10ns   100%                | main\n"
      "                                              10ns   100% |   f\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "calls that cancel out",
      "-tree",
      { { "m|a", 5, false }, { "m|a", -5, false }, { "m|b", 1, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 1ns, 9.09% of 11ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                               1ns   100% |   m\n"
      "       1ns  9.09%  9.09%        1ns  9.09%                | b\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "         0     0%  9.09%        1ns  9.09%                | m\n"
      "                                               1ns   100% |   b\n"
      "                                                 0     0% |   a\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "negative calls",
      "-tree",
      { { "main|a", 50, false },
        { "main|b", 20, false },
        { "main|c", 30, false },
        { "main|a", -40, true },
        { "main|b", -60, true } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 0, 0% of 100ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                             -40ns   100% |   main\n"
      "     -40ns 40.00% 40.00%      -40ns 40.00%                | b\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              30ns   100% |   main\n"
      "      30ns 30.00% 10.00%       30ns 30.00%                | c\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              10ns   100% |   main\n"
      "      10ns 10.00%     0%       10ns 10.00%                | a\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "drop_negative",
      "-top -drop_negative",
      { { "main|a", 50, false },
        { "main|b", 20, false },
        { "main|c", 30, false },
        { "main|a", -40, true },
        { "main|b", -60, true } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 40ns, 40.00% of 100ns total\n"
      "      flat  flat%   sum%        cum   cum%\n"
      "      30ns 30.00% 30.00%       30ns 30.00%  c\n"
      "      10ns 10.00% 40.00%       10ns 10.00%  a\n",
      NULL },
    { "drop_negative with flat zero",
      "-top -drop_negative",
      { { "a|b", -5, false }, { "a|c", 3, false }, { "d|e", 1, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 4ns, 44.44% of 9ns total\n"
      "      flat  flat%   sum%        cum   cum%\n"
      "       3ns 33.33% 33.33%        3ns 33.33%  c\n"
      "       1ns 11.11% 44.44%        1ns 11.11%  e\n"
      "         0     0% 44.44%        1ns 11.11%  d\n",
      NULL },
    { "zero samples are passed over",
      "-tree",
      { { "m|z", 0, false }, { "m|a", 1, false } },
      "File: prog\n"
      "Type: cpu\n"
      "Showing nodes accounting for 1ns, 100% of 1ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                               1ns   100% |   m\n"
      "       1ns   100%   100%        1ns   100%                | a\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "         0     0%   100%        1ns   100%                | m\n"
      "                                               1ns   100% |   a\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "means",
      "-tree -mean",
      { { "m|a", 30, false }, { "m|a", 10, false }, { "m|b", 6, false } },
      "File: prog\n"
      "Type: mean_cpu\n"
      "Showing nodes accounting for 26ns, 173.33% of 15ns total\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "      flat  flat%   sum%        cum   cum%   calls calls% + context \t "
      "\t \n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                              40ns 200.00% |   m\n"
      "      20ns 133.33% 133.33%       20ns 133.33%                | a\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "                                               6ns   100% |   m\n"
      "       6ns 40.00% 173.33%        6ns 40.00%                | b\n"
      "----------------------------------------------------------+-------------"
      "\n"
      "         0     0% 173.33%       15ns   100%                | m\n"
      "                                              40ns 266.67% |   a\n"
      "                                               6ns 40.00% |   b\n"
      "----------------------------------------------------------+-------------"
      "\n",
      NULL },
    { "call tree",
      "-dot -call_tree",
      { { "m|a|x", 5, false }, { "m|b|x", 3, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 8ns, 100% "
      "of 8ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"m\\n0 of 8ns (100%)\" id=\"node1\" fontsize=8 shape=box "
      "tooltip=\"m (8ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"x\\n5ns (62.50%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"x (5ns)\" color=\"#b21700\" fillcolor=\"#edd8d5\"]\n"
      "N3 [label=\"x\\n3ns (37.50%)\" id=\"node3\" fontsize=21 shape=box "
      "tooltip=\"x (3ns)\" color=\"#b22d00\" fillcolor=\"#eddbd5\"]\n"
      "N4 [label=\"a\\n0 of 5ns (62.50%)\" id=\"node4\" fontsize=8 shape=box "
      "tooltip=\"a (5ns)\" color=\"#b21700\" fillcolor=\"#edd8d5\"]\n"
      "N5 [label=\"b\\n0 of 3ns (37.50%)\" id=\"node5\" fontsize=8 shape=box "
      "tooltip=\"b (3ns)\" color=\"#b22d00\" fillcolor=\"#eddbd5\"]\n"
      "N4 -> N2 [label=\" 5ns\" weight=63 penwidth=4 color=\"#b21700\" "
      "tooltip=\"a -> x (5ns)\" labeltooltip=\"a -> x (5ns)\"]\n"
      "N1 -> N4 [label=\" 5ns\" weight=63 penwidth=4 color=\"#b21700\" "
      "tooltip=\"m -> a (5ns)\" labeltooltip=\"m -> a (5ns)\"]\n"
      "N5 -> N3 [label=\" 3ns\" weight=38 penwidth=2 color=\"#b22d00\" "
      "tooltip=\"b -> x (3ns)\" labeltooltip=\"b -> x (3ns)\"]\n"
      "N1 -> N5 [label=\" 3ns\" weight=38 penwidth=2 color=\"#b22d00\" "
      "tooltip=\"m -> b (3ns)\" labeltooltip=\"m -> b (3ns)\"]\n"
      "}\n",
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
