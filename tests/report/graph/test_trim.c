/* test_trim.c - tests src/report/graph/trim.c: dropped nodes and edges. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "nothing by default", "-top", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "nodefraction", "-top -nodefraction=0.3", PLAIN_STACKS,
      OF_PROG "Showing nodes accounting for 90ns, 90.00% of 100ns total\n"
              "Dropped 1 node (cum <= 30ns)\n" TOP_COLUMNS
              "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
              "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
              "         0     0% 90.00%      100ns   100%  main\n",
      NULL },
    { "equal to the cutoff stays", "-top -nodefraction=0.1", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "nodefraction by cum", "-top -nodefraction=0.5", PLAIN_STACKS,
      OF_PROG "Showing nodes accounting for 90ns, 90.00% of 100ns total\n"
              "Dropped 1 node (cum <= 50ns)\n" TOP_COLUMNS
              "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
              "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
              "         0     0% 90.00%      100ns   100%  main\n",
      NULL },
    { "nodecount", "-top -nodecount=2", PLAIN_STACKS,
      OF_PROG "Showing nodes accounting for 90ns, 90.00% of 100ns total\n"
              "Showing top 2 nodes out of 4\n" TOP_COLUMNS
              "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
              "      30ns 30.00% 90.00%       90ns 90.00%  a\n",
      NULL },
    { "nodecount of zero is all", "-top -nodecount=0", PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "nodecount and nodefraction", "-top -nodecount=1 -nodefraction=0.3",
      PLAIN_STACKS,
      OF_PROG "Showing nodes accounting for 60ns, 60.00% of 100ns total\n"
              "Dropped 1 node (cum <= 30ns)\n"
              "Showing top 1 nodes out of 3\n" TOP_COLUMNS
              "      60ns 60.00% 60.00%       60ns 60.00%  c\n",
      NULL },
    { "trim=false", "-top -trim=false -nodecount=1 -nodefraction=0.9",
      PLAIN_STACKS,
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TOP_COLUMNS
      "      60ns 60.00% 60.00%       60ns 60.00%  c\n"
      "      30ns 30.00% 90.00%       90ns 90.00%  a\n"
      "      10ns 10.00%   100%       10ns 10.00%  b\n"
      "         0     0%   100%      100ns   100%  main\n",
      NULL },
    { "one dropped", "-top -nodefraction=0.02", CROSSING_STACKS,
      OF_PROG "Showing nodes accounting for 249ns, 99.60% of 250ns total\n"
              "Dropped 1 node (cum <= 5ns)\n" TOP_COLUMNS
              "     190ns 76.00% 76.00%      190ns 76.00%  a1\n"
              "      54ns 21.60% 97.60%       54ns 21.60%  d4\n"
              "       5ns  2.00% 99.60%       59ns 23.60%  c3\n"
              "         0     0% 99.60%      140ns 56.00%  b2\n"
              "         0     0% 99.60%      250ns   100%  m\n",
      NULL },
    { "tree drops light calls", "-tree -edgefraction=0.3", CROSSING_STACKS,
      OF_PROG
      "Showing nodes accounting for 250ns, 100% of 250ns total\n" TREE_HEAD
      "                                             100ns 52.63% |   m\n"
      "                                              90ns 47.37% |   b2\n"
      "     190ns 76.00% 76.00%      190ns 76.00%                | a1\n" RULE
      "      54ns 21.60% 97.60%       54ns 21.60%                | d4\n" RULE
      "       5ns  2.00% 99.60%       59ns 23.60%                | c3\n" RULE
      "       1ns   0.4%   100%        1ns   0.4%                | e5\n" RULE
      "                                             140ns   100% |   m\n"
      "         0     0%   100%      140ns 56.00%                | b2\n"
      "                                              90ns 64.29% |   a1\n" RULE
      "         0     0%   100%      250ns   100%                | m\n"
      "                                             140ns 56.00% |   b2\n"
      "                                             100ns 40.00% |   a1\n" RULE,
      NULL },
    { "tree with nodecount", "-tree -nodecount=3", CROSSING_STACKS,
      OF_PROG
      "Showing nodes accounting for 249ns, 99.60% of 250ns total\n"
      "Showing top 3 nodes out of 6\n" TREE_HEAD
      "     190ns 76.00% 76.00%      190ns 76.00%                | a1\n" RULE
      "                                              54ns   100% |   c3\n"
      "      54ns 21.60% 97.60%       54ns 21.60%                | d4\n" RULE
      "       5ns  2.00% 99.60%       59ns 23.60%                | c3\n"
      "                                              54ns 91.53% |   d4\n" RULE,
      NULL },
    { "a node between is passed over",
      "-tree -nodefraction=0.5",
      { { "m|a|x", 60, false }, { "m|b|x", 40, false } },
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n"
      "Dropped 1 node (cum <= 50ns)\n" TREE_HEAD
      "                                              60ns 60.00% |   a\n"
      "                                              40ns 40.00% |   m\n"
      "     100ns   100%   100%      100ns   100%                | x\n" RULE
      "                                              60ns   100% |   m\n"
      "         0     0%   100%       60ns 60.00%                | a\n"
      "                                              60ns   100% |   x\n" RULE
      "         0     0%   100%      100ns   100%                | m\n"
      "                                              60ns 60.00% |   a\n"
      "                                              40ns 40.00% |   x\n" RULE,
      NULL },
    { "the cutoff printed is of the total", "-top -focus=b2 -nodefraction=0.4",
      CROSSING_STACKS,
      OF_PROG "Active filters:\n"
              "   focus=b2\n"
              "Showing nodes accounting for 90ns, 36.00% of 250ns total\n"
              "Dropped 2 nodes (cum <= 100ns)\n" TOP_COLUMNS
              "      90ns 36.00% 36.00%       90ns 36.00%  a1\n"
              "         0     0% 36.00%      140ns 56.00%  b2\n"
              "         0     0% 36.00%      140ns 56.00%  m\n",
      NULL },
    { "dot drops light calls", "-dot -edgefraction=0.3 -nodefraction=0.2",
      CROSSING_STACKS,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 249ns, "
      "99.60% of 250ns total\\lDropped 1 node (cum <= 50ns)\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"a1\\n190ns (76.00%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"a1 (190ns)\" color=\"#b20e00\" fillcolor=\"#edd7d5\"]\n"
      "N2 [label=\"m\\n0 of 250ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"m (250ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N3 [label=\"b2\\n0 of 140ns (56.00%)\" id=\"node3\" fontsize=8 "
      "shape=box tooltip=\"b2 (140ns)\" color=\"#b21c00\" "
      "fillcolor=\"#edd9d5\"]\n"
      "N4 [label=\"d4\\n54ns (21.60%)\" id=\"node4\" fontsize=17 shape=box "
      "tooltip=\"d4 (54ns)\" color=\"#b24100\" fillcolor=\"#edded5\"]\n"
      "N5 [label=\"c3\\n5ns (2.00%)\\nof 59ns (23.60%)\" id=\"node5\" "
      "fontsize=11 shape=box tooltip=\"c3 (59ns)\" color=\"#b23e00\" "
      "fillcolor=\"#edddd5\"]\n"
      "N2 -> N3 [label=\" 140ns\" weight=57 penwidth=3 color=\"#b21c00\" "
      "tooltip=\"m -> b2 (140ns)\" labeltooltip=\"m -> b2 (140ns)\"]\n"
      "N2 -> N1 [label=\" 100ns\" weight=41 penwidth=3 color=\"#b22a00\" "
      "tooltip=\"m -> a1 (100ns)\" labeltooltip=\"m -> a1 (100ns)\"]\n"
      "N3 -> N1 [label=\" 90ns\" weight=37 penwidth=2 color=\"#b22f00\" "
      "tooltip=\"b2 -> a1 (90ns)\" labeltooltip=\"b2 -> a1 (90ns)\"]\n"
      "}\n",
      NULL },
    { "dot with nodecount", "-dot -nodecount=2", CROSSING_STACKS,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 190ns, "
      "76.00% of 250ns total\\lShowing top 2 nodes out of 6\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"a1\\n190ns (76.00%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"a1 (190ns)\" color=\"#b20e00\" fillcolor=\"#edd7d5\"]\n"
      "N2 [label=\"m\\n0 of 250ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"m (250ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 -> N1 [label=\" 190ns\" weight=77 penwidth=4 color=\"#b20e00\" "
      "tooltip=\"m ... a1 (190ns)\" labeltooltip=\"m ... a1 (190ns)\" "
      "style=\"dotted\"]\n"
      "}\n",
      NULL },
    { "call tree with nodecount", "-dot -call_tree -nodecount=3",
      CROSSING_STACKS,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 190ns, "
      "76.00% of 250ns total\\lShowing top 3 nodes out of 9\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"m\\n0 of 250ns (100%)\" id=\"node1\" fontsize=8 shape=box "
      "tooltip=\"m (250ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"a1\\n100ns (40.00%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"a1 (100ns)\" color=\"#b22a00\" fillcolor=\"#eddbd5\"]\n"
      "N3 [label=\"a1\\n90ns (36.00%)\" id=\"node3\" fontsize=24 shape=box "
      "tooltip=\"a1 (90ns)\" color=\"#b22f00\" fillcolor=\"#eddbd5\"]\n"
      "N1 -> N2 [label=\" 100ns\" weight=41 penwidth=3 color=\"#b22a00\" "
      "tooltip=\"m -> a1 (100ns)\" labeltooltip=\"m -> a1 (100ns)\"]\n"
      "N1 -> N3 [label=\" 90ns\" weight=37 penwidth=2 color=\"#b22f00\" "
      "tooltip=\"m ... a1 (90ns)\" labeltooltip=\"m ... a1 (90ns)\" "
      "style=\"dotted\"]\n"
      "}\n",
      NULL },
    { "call tree with nodefraction", "-dot -call_tree -nodefraction=0.3",
      CROSSING_STACKS,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 190ns, "
      "76.00% of 250ns total\\lDropped 5 nodes (cum <= 75ns)\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"m\\n0 of 250ns (100%)\" id=\"node1\" fontsize=8 shape=box "
      "tooltip=\"m (250ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"a1\\n100ns (40.00%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"a1 (100ns)\" color=\"#b22a00\" fillcolor=\"#eddbd5\"]\n"
      "N3 [label=\"a1\\n90ns (36.00%)\" id=\"node3\" fontsize=24 shape=box "
      "tooltip=\"a1 (90ns)\" color=\"#b22f00\" fillcolor=\"#eddbd5\"]\n"
      "N4 [label=\"b2\\n0 of 140ns (56.00%)\" id=\"node4\" fontsize=8 "
      "shape=box tooltip=\"b2 (140ns)\" color=\"#b21c00\" "
      "fillcolor=\"#edd9d5\"]\n"
      "N1 -> N4 [label=\" 140ns\" weight=57 penwidth=3 color=\"#b21c00\" "
      "tooltip=\"m -> b2 (140ns)\" labeltooltip=\"m -> b2 (140ns)\"]\n"
      "N1 -> N2 [label=\" 100ns\" weight=41 penwidth=3 color=\"#b22a00\" "
      "tooltip=\"m -> a1 (100ns)\" labeltooltip=\"m -> a1 (100ns)\"]\n"
      "N4 -> N3 [label=\" 90ns\" weight=37 penwidth=2 color=\"#b22f00\" "
      "tooltip=\"b2 -> a1 (90ns)\" labeltooltip=\"b2 -> a1 (90ns)\"]\n"
      "}\n",
      NULL },
    { "nodecount by cum", "-top -cum -nodecount=2", CROSSING_STACKS,
      OF_PROG "Showing nodes accounting for 190ns, 76.00% of 250ns total\n"
              "Showing top 2 nodes out of 6\n" TOP_COLUMNS
              "         0     0%     0%      250ns   100%  m\n"
              "     190ns 76.00% 76.00%      190ns 76.00%  a1\n",
      NULL },
    { "everything is dropped", "-top -nodefraction=2", PLAIN_STACKS,
      OF_PROG "Showing nodes accounting for 0, 0% of 100ns total\n"
              "Dropped 4 nodes (cum <= 200ns)\n" TOP_COLUMNS,
      NULL },
    { "peek is not trimmed", "-peek=d4 -nodecount=1 -nodefraction=0.9",
      CROSSING_STACKS,
      OF_PROG
      "Showing nodes accounting for 250ns, 100% of 250ns total\n" TREE_HEAD
      "                                              54ns   100% |   c3\n"
      "      54ns 21.60% 21.60%       54ns 21.60%                | d4\n" RULE,
      NULL },
    { "values that cancel out trim little", "-top -nodefraction=0.1",
      DIFF_STACKS,
      OF_PROG "Showing nodes accounting for 0, 0% of 100ns total\n" TOP_COLUMNS
              "     -40ns 40.00% 40.00%      -40ns 40.00%  b\n"
              "      30ns 30.00% 10.00%       30ns 30.00%  c\n"
              "      10ns 10.00%     0%       10ns 10.00%  a\n",
      NULL },
    { "a redundant call is left out",
      "-dot -nodecount=3",
      { { "m|a|x|b", 50, false },
        { "m|b", 20, false },
        { "m|a|b", 10, false },
        { "m|x", 1, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 80ns, "
      "98.77% of 81ns total\\lShowing top 3 nodes out of 4\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"b\\n80ns (98.77%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"b (80ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"m\\n0 of 81ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"m (81ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N3 [label=\"a\\n0 of 60ns (74.07%)\" id=\"node3\" fontsize=8 shape=box "
      "tooltip=\"a (60ns)\" color=\"#b20f00\" fillcolor=\"#edd7d5\"]\n"
      "N3 -> N1 [label=\" 60ns\" weight=75 penwidth=4 color=\"#b20f00\" "
      "tooltip=\"a ... b (60ns)\" labeltooltip=\"a ... b (60ns)\" "
      "style=\"dotted\"]\n"
      "N2 -> N3 [label=\" 60ns\" weight=75 penwidth=4 color=\"#b20f00\" "
      "tooltip=\"m -> a (60ns)\" labeltooltip=\"m -> a (60ns)\"]\n"
      "N2 -> N1 [label=\" 20ns\" weight=25 penwidth=2 color=\"#b23d00\" "
      "tooltip=\"m -> b (20ns)\" labeltooltip=\"m -> b (20ns)\"]\n"
      "}\n",
      NULL },
    { "a light call at the cutoff stays",
      "-tree -edgefraction=0.05",
      { { "m|a", 95, false }, { "m|b", 5, false }, { "m|a|b", 0, false } },
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TREE_HEAD
      "                                              95ns   100% |   m\n"
      "      95ns 95.00% 95.00%       95ns 95.00%                | a\n" RULE
      "                                               5ns   100% |   m\n"
      "       5ns  5.00%   100%        5ns  5.00%                | b\n" RULE
      "         0     0%   100%      100ns   100%                | m\n"
      "                                              95ns 95.00% |   a\n"
      "                                               5ns  5.00% |   b\n" RULE,
      NULL },
    { "a call below the cutoff goes, its node stays",
      "-tree -edgefraction=0.3 -nodecount=3",
      { { "m|a|b", 60, false }, { "m|b", 10, false }, { "m|a", 30, false } },
      OF_PROG
      "Showing nodes accounting for 100ns, 100% of 100ns total\n" TREE_HEAD
      "                                              60ns 85.71% |   a\n"
      "      70ns 70.00% 70.00%       70ns 70.00%                | b\n" RULE
      "                                              90ns   100% |   m\n"
      "      30ns 30.00%   100%       90ns 90.00%                | a\n"
      "                                              60ns 66.67% |   b\n" RULE
      "         0     0%   100%      100ns   100%                | m\n"
      "                                              90ns 90.00% |   a\n" RULE,
      NULL },
    { "a light call does not hold another",
      "-dot -edgefraction=0.05 -nodecount=3",
      { { "m|a|x|b", 60, false },
        { "m|b", 3, false },
        { "m|x|b", 2, false },
        { "m|a", 30, false },
        { "m|a|b", 2, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 97ns, "
      "100% of 97ns total\\lShowing top 3 nodes out of 4\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"b\\n67ns (69.07%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"b (67ns)\" color=\"#b21200\" fillcolor=\"#edd7d5\"]\n"
      "N2 [label=\"m\\n0 of 97ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"m (97ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N3 [label=\"a\\n30ns (30.93%)\\nof 92ns (94.85%)\" id=\"node3\" "
      "fontsize=19 shape=box tooltip=\"a (92ns)\" color=\"#b20200\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 -> N3 [label=\" 92ns\" weight=95 penwidth=5 color=\"#b20200\" "
      "tooltip=\"m -> a (92ns)\" labeltooltip=\"m -> a (92ns)\"]\n"
      "N3 -> N1 [label=\" 62ns\" weight=64 penwidth=4 color=\"#b21600\" "
      "tooltip=\"a ... b (62ns)\" labeltooltip=\"a ... b (62ns)\" "
      "style=\"dotted\"]\n"
      "}\n",
      NULL },
    { "a call tree loses its root",
      "-dot -call_tree -nodecount=3",
      { { "m|a|x", 100, false },
        { "m|b", -90, false },
        { "m|b|y", -9, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 1ns, 0.5% "
      "of 199ns total\\lShowing top 3 nodes out of 5\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"b\\n-90ns (45.23%)\\nof -99ns (49.75%)\" id=\"node1\" "
      "fontsize=24 shape=box tooltip=\"b (-99ns)\" color=\"#21b200\" "
      "fillcolor=\"#d9edd5\"]\n"
      "N2 [label=\"x\\n100ns (50.25%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"x (100ns)\" color=\"#b22100\" fillcolor=\"#edd9d5\"]\n"
      "N3 [label=\"y\\n-9ns (4.52%)\" id=\"node3\" fontsize=13 shape=box "
      "tooltip=\"y (-9ns)\" color=\"#a2b28a\" fillcolor=\"#ebede7\"]\n"
      "N1 -> N3 [label=\" -9ns\" weight=5 color=\"#a2b28a\" tooltip=\"b -> y "
      "(-9ns)\" labeltooltip=\"b -> y (-9ns)\"]\n"
      "}\n",
      NULL },
    { "tags cost nodes", "-dot -nodecount=3", TAGGED_STACKS,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 70ns, "
      "70.00% of 100ns total\\lShowing top 2 nodes out of 3\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"get\\n70ns (70.00%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"get (70ns)\" color=\"#b21200\" fillcolor=\"#edd7d5\"]\n"
      "N1_0 [label = \"user:bob\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"40ns\"]\n"
      "N1 -> N1_0 [label=\" 40ns\" weight=100 tooltip=\"40ns\" "
      "labeltooltip=\"40ns\"]\n"
      "NN1_0_0 [label = \"64B\" id=\"NN1_0_0\" fontsize=8 shape=box3d "
      "tooltip=\"40ns\"]\n"
      "N1_0 -> NN1_0_0 [label=\" 40ns\" weight=100 tooltip=\"40ns\" "
      "labeltooltip=\"40ns\"]\n"
      "N1_1 [label = \"user:amy\" id=\"N1_1\" fontsize=8 shape=box3d "
      "tooltip=\"30ns\"]\n"
      "N1 -> N1_1 [label=\" 30ns\" weight=100 tooltip=\"30ns\" "
      "labeltooltip=\"30ns\"]\n"
      "NN1_1_0 [label = \"16B\" id=\"NN1_1_0\" fontsize=8 shape=box3d "
      "tooltip=\"30ns\"]\n"
      "N1_1 -> NN1_1_0 [label=\" 30ns\" weight=100 tooltip=\"30ns\" "
      "labeltooltip=\"30ns\"]\n"
      "N2 [label=\"main\\n0 of 100ns (100%)\" id=\"node2\" fontsize=8 "
      "shape=box tooltip=\"main (100ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 -> N1 [label=\" 70ns\" weight=71 penwidth=4 color=\"#b21200\" "
      "tooltip=\"main -> get (70ns)\" labeltooltip=\"main -> get (70ns)\"]\n"
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
