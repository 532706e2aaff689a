/* test_nodelets.c - tests src/report/graph/nodelets.c and dot_tags.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "text",
      "-dot",
      { { "main|f\tuser=bob", 5, false }, { "main|f\tuser=amy", 7, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 12ns, "
      "100% of 12ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n12ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (12ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"user:amy\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"7ns\"]\n"
      "N1 -> N1_0 [label=\" 7ns\" weight=100 tooltip=\"7ns\" "
      "labeltooltip=\"7ns\"]\n"
      "N1_1 [label = \"user:bob\" id=\"N1_1\" fontsize=8 shape=box3d "
      "tooltip=\"5ns\"]\n"
      "N1 -> N1_1 [label=\" 5ns\" weight=100 tooltip=\"5ns\" "
      "labeltooltip=\"5ns\"]\n"
      "N2 [label=\"main\\n0 of 12ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"main (12ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 -> N1 [label=\" 12ns\" weight=101 penwidth=6 color=\"#b20000\" "
      "tooltip=\"main -> f (12ns)\" labeltooltip=\"main -> f (12ns)\"]\n"
      "}\n",
      NULL },
    { "bytes",
      "-dot",
      { { "main|f\tbytes:64 bytes", 5, false },
        { "main|f\tbytes:16 bytes", 7, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 12ns, "
      "100% of 12ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n12ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (12ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "NN1_0 [label = \"16B\" id=\"NN1_0\" fontsize=8 shape=box3d "
      "tooltip=\"7ns\"]\n"
      "N1 -> NN1_0 [label=\" 7ns\" weight=100 tooltip=\"7ns\" "
      "labeltooltip=\"7ns\"]\n"
      "NN1_1 [label = \"64B\" id=\"NN1_1\" fontsize=8 shape=box3d "
      "tooltip=\"5ns\"]\n"
      "N1 -> NN1_1 [label=\" 5ns\" weight=100 tooltip=\"5ns\" "
      "labeltooltip=\"5ns\"]\n"
      "N2 [label=\"main\\n0 of 12ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"main (12ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 -> N1 [label=\" 12ns\" weight=101 penwidth=6 color=\"#b20000\" "
      "tooltip=\"main -> f (12ns)\" labeltooltip=\"main -> f (12ns)\"]\n"
      "}\n",
      NULL },
    { "bytes below text",
      "-dot",
      { { "f\tuser=bob\tbytes:64 bytes", 5, false },
        { "f\tuser=bob\tbytes:16 bytes", 7, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 12ns, "
      "100% of 12ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n12ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (12ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"user:bob\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"12ns\"]\n"
      "N1 -> N1_0 [label=\" 12ns\" weight=100 tooltip=\"12ns\" "
      "labeltooltip=\"12ns\"]\n"
      "NN1_0_0 [label = \"16B\" id=\"NN1_0_0\" fontsize=8 shape=box3d "
      "tooltip=\"7ns\"]\n"
      "N1_0 -> NN1_0_0 [label=\" 7ns\" weight=100 tooltip=\"7ns\" "
      "labeltooltip=\"7ns\"]\n"
      "NN1_0_1 [label = \"64B\" id=\"NN1_0_1\" fontsize=8 shape=box3d "
      "tooltip=\"5ns\"]\n"
      "N1_0 -> NN1_0_1 [label=\" 5ns\" weight=100 tooltip=\"5ns\" "
      "labeltooltip=\"5ns\"]\n"
      "}\n",
      NULL },
    { "several keys are one tag",
      "-dot",
      { { "f\tuser=bob\tapp=x", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n5ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"app:x\\nuser:bob\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"5ns\"]\n"
      "N1 -> N1_0 [label=\" 5ns\" weight=100 tooltip=\"5ns\" "
      "labeltooltip=\"5ns\"]\n"
      "}\n",
      NULL },
    { "other numbers are not shown",
      "-dot",
      { { "f\twait:5 ms", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n5ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "}\n",
      NULL },
    { "four of five",
      "-dot",
      { { "f\tu=a", 1, false },
        { "f\tu=b", 2, false },
        { "f\tu=c", 3, false },
        { "f\tu=d", 4, false },
        { "f\tu=e", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 15ns, "
      "100% of 15ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n15ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (15ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"u:e\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"5ns\"]\n"
      "N1 -> N1_0 [label=\" 5ns\" weight=100 tooltip=\"5ns\" "
      "labeltooltip=\"5ns\"]\n"
      "N1_1 [label = \"u:d\" id=\"N1_1\" fontsize=8 shape=box3d "
      "tooltip=\"4ns\"]\n"
      "N1 -> N1_1 [label=\" 4ns\" weight=100 tooltip=\"4ns\" "
      "labeltooltip=\"4ns\"]\n"
      "N1_2 [label = \"u:c\" id=\"N1_2\" fontsize=8 shape=box3d "
      "tooltip=\"3ns\"]\n"
      "N1 -> N1_2 [label=\" 3ns\" weight=100 tooltip=\"3ns\" "
      "labeltooltip=\"3ns\"]\n"
      "N1_3 [label = \"u:b\" id=\"N1_3\" fontsize=8 shape=box3d "
      "tooltip=\"2ns\"]\n"
      "N1 -> N1_3 [label=\" 2ns\" weight=100 tooltip=\"2ns\" "
      "labeltooltip=\"2ns\"]\n"
      "}\n",
      NULL },
    { "ranges of bytes",
      "-dot",
      { { "f\tbytes:8 bytes", 4, false },
        { "f\tbytes:16 bytes", 5, false },
        { "f\tbytes:32 bytes", 6, false },
        { "f\tbytes:64 bytes", 7, false },
        { "f\tbytes:128 bytes", 8, false },
        { "f\tbytes:256 bytes", 9, false },
        { "f\tbytes:512 bytes", 10, false },
        { "f\tbytes:1024 bytes", 11, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 60ns, "
      "100% of 60ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n60ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (60ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "NN1_0 [label = \"8B..128B\" id=\"NN1_0\" fontsize=8 shape=box3d "
      "tooltip=\"30ns\"]\n"
      "N1 -> NN1_0 [label=\" 30ns\" weight=100 tooltip=\"30ns\" "
      "labeltooltip=\"30ns\"]\n"
      "NN1_1 [label = \"1kB\" id=\"NN1_1\" fontsize=8 shape=box3d "
      "tooltip=\"11ns\"]\n"
      "N1 -> NN1_1 [label=\" 11ns\" weight=100 tooltip=\"11ns\" "
      "labeltooltip=\"11ns\"]\n"
      "NN1_2 [label = \"512B\" id=\"NN1_2\" fontsize=8 shape=box3d "
      "tooltip=\"10ns\"]\n"
      "N1 -> NN1_2 [label=\" 10ns\" weight=100 tooltip=\"10ns\" "
      "labeltooltip=\"10ns\"]\n"
      "NN1_3 [label = \"256B\" id=\"NN1_3\" fontsize=8 shape=box3d "
      "tooltip=\"9ns\"]\n"
      "N1 -> NN1_3 [label=\" 9ns\" weight=100 tooltip=\"9ns\" "
      "labeltooltip=\"9ns\"]\n"
      "}\n",
      NULL },
    { "flat of a node with calls",
      "-dot",
      { { "f\tu=a", 3, false }, { "f|g\tu=a", 4, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 7ns, 100% "
      "of 7ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n3ns (42.86%)\\nof 7ns (100%)\" id=\"node1\" fontsize=22 "
      "shape=box tooltip=\"f (7ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"u:a\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"3ns\"]\n"
      "N1 -> N1_0 [label=\" 3ns\" weight=100 tooltip=\"3ns\" "
      "labeltooltip=\"3ns\"]\n"
      "N2 [label=\"g\\n4ns (57.14%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"g (4ns)\" color=\"#b21b00\" fillcolor=\"#edd9d5\"]\n"
      "N2_0 [label = \"u:a\" id=\"N2_0\" fontsize=8 shape=box3d "
      "tooltip=\"4ns\"]\n"
      "N2 -> N2_0 [label=\" 4ns\" weight=100 tooltip=\"4ns\" "
      "labeltooltip=\"4ns\"]\n"
      "N1 -> N2 [label=\" 4ns\" weight=58 penwidth=3 color=\"#b21b00\" "
      "tooltip=\"f -> g (4ns)\" labeltooltip=\"f -> g (4ns)\" minlen=2]\n"
      "}\n",
      NULL },
    { "light tags are dropped",
      "-dot -nodefraction=0.2",
      { { "f\tu=a", 90, false }, { "f\tu=b", 10, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 100ns, "
      "100% of 100ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n100ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (100ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"u:a\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"90ns\"]\n"
      "N1 -> N1_0 [label=\" 90ns\" weight=100 tooltip=\"90ns\" "
      "labeltooltip=\"90ns\"]\n"
      "}\n",
      NULL },
    { "a tag as light as the cutoff stays",
      "-dot -nodefraction=0.1",
      { { "f\tu=a", 90, false }, { "f\tu=b", 10, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 100ns, "
      "100% of 100ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n100ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (100ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"u:a\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"90ns\"]\n"
      "N1 -> N1_0 [label=\" 90ns\" weight=100 tooltip=\"90ns\" "
      "labeltooltip=\"90ns\"]\n"
      "N1_1 [label = \"u:b\" id=\"N1_1\" fontsize=8 shape=box3d "
      "tooltip=\"10ns\"]\n"
      "N1 -> N1_1 [label=\" 10ns\" weight=100 tooltip=\"10ns\" "
      "labeltooltip=\"10ns\"]\n"
      "}\n",
      NULL },
    { "four",
      "-dot",
      { { "f\tu=a", 1, false },
        { "f\tu=b", 2, false },
        { "f\tu=c", 3, false },
        { "f\tu=d", 4, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 10ns, "
      "100% of 10ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n10ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (10ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"u:d\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"4ns\"]\n"
      "N1 -> N1_0 [label=\" 4ns\" weight=100 tooltip=\"4ns\" "
      "labeltooltip=\"4ns\"]\n"
      "N1_1 [label = \"u:c\" id=\"N1_1\" fontsize=8 shape=box3d "
      "tooltip=\"3ns\"]\n"
      "N1 -> N1_1 [label=\" 3ns\" weight=100 tooltip=\"3ns\" "
      "labeltooltip=\"3ns\"]\n"
      "N1_2 [label = \"u:b\" id=\"N1_2\" fontsize=8 shape=box3d "
      "tooltip=\"2ns\"]\n"
      "N1 -> N1_2 [label=\" 2ns\" weight=100 tooltip=\"2ns\" "
      "labeltooltip=\"2ns\"]\n"
      "N1_3 [label = \"u:a\" id=\"N1_3\" fontsize=8 shape=box3d "
      "tooltip=\"1ns\"]\n"
      "N1 -> N1_3 [label=\" 1ns\" weight=100 tooltip=\"1ns\" "
      "labeltooltip=\"1ns\"]\n"
      "}\n",
      NULL },
    { "four numbers",
      "-dot",
      { { "f\tbytes:8 bytes", 4, false },
        { "f\tbytes:16 bytes", 5, false },
        { "f\tbytes:32 bytes", 6, false },
        { "f\tbytes:64 bytes", 7, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 22ns, "
      "100% of 22ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n22ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (22ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "NN1_0 [label = \"64B\" id=\"NN1_0\" fontsize=8 shape=box3d "
      "tooltip=\"7ns\"]\n"
      "N1 -> NN1_0 [label=\" 7ns\" weight=100 tooltip=\"7ns\" "
      "labeltooltip=\"7ns\"]\n"
      "NN1_1 [label = \"32B\" id=\"NN1_1\" fontsize=8 shape=box3d "
      "tooltip=\"6ns\"]\n"
      "N1 -> NN1_1 [label=\" 6ns\" weight=100 tooltip=\"6ns\" "
      "labeltooltip=\"6ns\"]\n"
      "NN1_2 [label = \"16B\" id=\"NN1_2\" fontsize=8 shape=box3d "
      "tooltip=\"5ns\"]\n"
      "N1 -> NN1_2 [label=\" 5ns\" weight=100 tooltip=\"5ns\" "
      "labeltooltip=\"5ns\"]\n"
      "NN1_3 [label = \"8B\" id=\"NN1_3\" fontsize=8 shape=box3d "
      "tooltip=\"4ns\"]\n"
      "N1 -> NN1_3 [label=\" 4ns\" weight=100 tooltip=\"4ns\" "
      "labeltooltip=\"4ns\"]\n"
      "}\n",
      NULL },
    { "quotes",
      "-dot",
      { { "f\tu=say \"a\"", 3, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 3ns, 100% "
      "of 3ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\n3ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f (3ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N1_0 [label = \"u:say \\\"a\\\"\" id=\"N1_0\" fontsize=8 shape=box3d "
      "tooltip=\"3ns\"]\n"
      "N1 -> N1_0 [label=\" 3ns\" weight=100 tooltip=\"3ns\" "
      "labeltooltip=\"3ns\"]\n"
      "}\n",
      NULL },
    { "both kinds", "-dot", TAGGED_STACKS,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 100ns, "
      "100% of 100ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"main\\n0 of 100ns (100%)\" id=\"node1\" fontsize=8 "
      "shape=box tooltip=\"main (100ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"get\\n70ns (70.00%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"get (70ns)\" color=\"#b21200\" fillcolor=\"#edd7d5\"]\n"
      "N2_0 [label = \"user:bob\" id=\"N2_0\" fontsize=8 shape=box3d "
      "tooltip=\"40ns\"]\n"
      "N2 -> N2_0 [label=\" 40ns\" weight=100 tooltip=\"40ns\" "
      "labeltooltip=\"40ns\"]\n"
      "NN2_0_0 [label = \"64B\" id=\"NN2_0_0\" fontsize=8 shape=box3d "
      "tooltip=\"40ns\"]\n"
      "N2_0 -> NN2_0_0 [label=\" 40ns\" weight=100 tooltip=\"40ns\" "
      "labeltooltip=\"40ns\"]\n"
      "N2_1 [label = \"user:amy\" id=\"N2_1\" fontsize=8 shape=box3d "
      "tooltip=\"30ns\"]\n"
      "N2 -> N2_1 [label=\" 30ns\" weight=100 tooltip=\"30ns\" "
      "labeltooltip=\"30ns\"]\n"
      "NN2_1_0 [label = \"16B\" id=\"NN2_1_0\" fontsize=8 shape=box3d "
      "tooltip=\"30ns\"]\n"
      "N2_1 -> NN2_1_0 [label=\" 30ns\" weight=100 tooltip=\"30ns\" "
      "labeltooltip=\"30ns\"]\n"
      "N3 [label=\"put\\n30ns (30.00%)\" id=\"node3\" fontsize=19 shape=box "
      "tooltip=\"put (30ns)\" color=\"#b23600\" fillcolor=\"#eddcd5\"]\n"
      "N3_0 [label = \"user:bob\" id=\"N3_0\" fontsize=8 shape=box3d "
      "tooltip=\"10ns\"]\n"
      "N3 -> N3_0 [label=\" 10ns\" weight=100 tooltip=\"10ns\" "
      "labeltooltip=\"10ns\"]\n"
      "NN3_0 [label = \"32B\" id=\"NN3_0\" fontsize=8 shape=box3d "
      "tooltip=\"20ns\"]\n"
      "N3 -> NN3_0 [label=\" 20ns\" weight=100 tooltip=\"20ns\" "
      "labeltooltip=\"20ns\"]\n"
      "N1 -> N2 [label=\" 70ns\" weight=71 penwidth=4 color=\"#b21200\" "
      "tooltip=\"main -> get (70ns)\" labeltooltip=\"main -> get (70ns)\"]\n"
      "N1 -> N3 [label=\" 30ns\" weight=31 penwidth=2 color=\"#b23600\" "
      "tooltip=\"main -> put (30ns)\" labeltooltip=\"main -> put (30ns)\"]\n"
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
