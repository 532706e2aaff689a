/* test_legend.c - tests src/report/graph/legend.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "text",
      "-top",
      { { "main", 5, false } },
      OF_PROG
      "Showing nodes accounting for 5ns, 100% of 5ns total\n" TOP_COLUMNS
      "       5ns   100%   100%        5ns   100%  main\n",
      NULL },
    { "compact",
      "-top -compact_labels",
      { { "main", 5, false } },
      "Showing nodes accounting for 5ns, 100% of 5ns total\n" TOP_COLUMNS
      "       5ns   100%   100%        5ns   100%  main\n",
      NULL },
    { "compact dot",
      "-dot -compact_labels",
      { { "main", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"main\\n5ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"main (5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "}\n",
      NULL },
    { "filters",
      "-top -focus=m -ignore=zz -tagignore=k=x",
      { { "main", 5, false } },
      OF_PROG
      "Active filters:\n"
      "   focus=m\n"
      "   ignore=zz\n"
      "   tagignore=k=x\n"
      "Showing nodes accounting for 5ns, 100% of 5ns total\n" TOP_COLUMNS
      "       5ns   100%   100%        5ns   100%  main\n",
      "Ignore expression matched no samples\n"
      "TagIgnore expression matched no samples\n" },
    { "filters that are not listed",
      "-top -prune_from=m",
      { { "main", 5, false } },
      OF_PROG
      "Showing nodes accounting for 5ns, 100% of 5ns total\n" TOP_COLUMNS
      "       5ns   100%   100%        5ns   100%  main\n",
      NULL },
    { "a long filter is cut",
      "-top "
      "-focus=m|"
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      "xxxxxxxxxxxxxxxxxx",
      { { "main", 5, false } },
      OF_PROG
      "Active filters:\n"
      "   "
      "focus=m|"
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      "\342\200\246\n"
      "Showing nodes accounting for 5ns, 100% of 5ns total\n" TOP_COLUMNS
      "       5ns   100%   100%        5ns   100%  main\n",
      NULL },
    { "one node dropped", "-top -nodefraction=0.3", PLAIN_STACKS,
      OF_PROG "Showing nodes accounting for 90ns, 90.00% of 100ns total\n"
              "Dropped 1 node (cum <= 30ns)\n" TOP_COLUMNS
              "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
              "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
              "         0     0% 90.00%      100ns   100%  main\n",
      NULL },
    { "several dropped", "-top -nodefraction=0.9", PLAIN_STACKS,
      OF_PROG "Showing nodes accounting for 30ns, 30.00% of 100ns total\n"
              "Dropped 2 nodes (cum <= 90ns)\n" TOP_COLUMNS
              "      30ns 30.00% 30.00%       90ns 90.00%  a\n"
              "         0     0% 30.00%      100ns   100%  main\n",
      NULL },
    { "top of so many", "-top -nodecount=1", PLAIN_STACKS,
      OF_PROG "Showing nodes accounting for 60ns, 60.00% of 100ns total\n"
              "Showing top 1 nodes out of 4\n" TOP_COLUMNS
              "      60ns 60.00% 60.00%       60ns 60.00%  c\n",
      NULL },
    { "edges dropped", "-dot -edgefraction=0.5", PLAIN_STACKS,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 100ns, "
      "100% of 100ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"main\\n0 of 100ns (100%)\" id=\"node1\" fontsize=8 "
      "shape=box tooltip=\"main (100ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"c\\n60ns (60.00%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"c (60ns)\" color=\"#b21900\" fillcolor=\"#edd8d5\"]\n"
      "N3 [label=\"a\\n30ns (30.00%)\\nof 90ns (90.00%)\" id=\"node3\" "
      "fontsize=20 shape=box tooltip=\"a (90ns)\" color=\"#b20500\" "
      "fillcolor=\"#edd6d5\"]\n"
      "N4 [label=\"b\\n10ns (10.00%)\" id=\"node4\" fontsize=15 shape=box "
      "tooltip=\"b (10ns)\" color=\"#b28559\" fillcolor=\"#ede7e1\"]\n"
      "N1 -> N3 [label=\" 90ns\" weight=91 penwidth=5 color=\"#b20500\" "
      "tooltip=\"main -> a (90ns)\" labeltooltip=\"main -> a (90ns)\"]\n"
      "N3 -> N2 [label=\" 60ns\" weight=61 penwidth=4 color=\"#b21900\" "
      "tooltip=\"a -> c (60ns)\" labeltooltip=\"a -> c (60ns)\"]\n"
      "}\n",
      NULL },
    { "traces",
      "-traces",
      { { "main", 5, false } },
      OF_PROG TRACE_RULE "       5ns   main\n" TRACE_RULE,
      NULL },
    { "mean",
      "-top -mean",
      { { "main", 5, false } },
      "File: prog\n"
      "Type: mean_cpu\n"
      "Showing nodes accounting for 5ns, 100% of 5ns total\n" TOP_COLUMNS
      "       5ns   100%   100%        5ns   100%  main\n",
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
