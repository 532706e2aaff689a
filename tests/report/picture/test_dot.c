/* test_dot.c - tests src/report/picture/dot.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "one node",
      "-dot",
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
    { "a call",
      "-dot",
      { { "main|f", 5, false }, { "main", 2, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 7ns, 100% "
      "of 7ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"main\\n2ns (28.57%)\\nof 7ns (100%)\" id=\"node1\" "
      "fontsize=19 shape=box tooltip=\"main (7ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"f\\n5ns (71.43%)\" id=\"node2\" fontsize=24 shape=box "
      "tooltip=\"f (5ns)\" color=\"#b21100\" fillcolor=\"#edd7d5\"]\n"
      "N1 -> N2 [label=\" 5ns\" weight=72 penwidth=4 color=\"#b21100\" "
      "tooltip=\"main -> f (5ns)\" labeltooltip=\"main -> f (5ns)\"]\n"
      "}\n",
      NULL },
    { "inlined",
      "-dot",
      { { "main|f~g", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"g\\n5ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"g (5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"main\\n0 of 5ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"main (5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N3 [label=\"f\\n0 of 5ns (100%)\" id=\"node3\" fontsize=8 shape=box "
      "tooltip=\"f (5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N3 -> N1 [label=\" 5ns\\n (inline)\" weight=101 penwidth=6 "
      "color=\"#b20000\" tooltip=\"f -> g (5ns)\" labeltooltip=\"f -> g "
      "(5ns)\"]\n"
      "N2 -> N3 [label=\" 5ns\" weight=101 penwidth=6 color=\"#b20000\" "
      "tooltip=\"main -> f (5ns)\" labeltooltip=\"main -> f (5ns)\"]\n"
      "}\n",
      NULL },
    { "a node passed over",
      "-dot -nodefraction=0.5 -focus=x",
      { { "m|a|x", 60, false }, { "m|b|x", 40, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lActive filters:\\l   focus=x\\lShowing "
      "nodes accounting for 100ns, 100% of 100ns total\\lDropped 1 node (cum "
      "<= 50ns)\\l\\lSee https://git.io/JfYMW for how to read the graph\\l\" "
      "tooltip=\"prog\"] }\n"
      "N1 [label=\"x\\n100ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"x (100ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"m\\n0 of 100ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"m (100ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N3 [label=\"a\\n0 of 60ns (60.00%)\" id=\"node3\" fontsize=8 shape=box "
      "tooltip=\"a (60ns)\" color=\"#b21900\" fillcolor=\"#edd8d5\"]\n"
      "N3 -> N1 [label=\" 60ns\" weight=61 penwidth=4 color=\"#b21900\" "
      "tooltip=\"a -> x (60ns)\" labeltooltip=\"a -> x (60ns)\"]\n"
      "N2 -> N3 [label=\" 60ns\" weight=61 penwidth=4 color=\"#b21900\" "
      "tooltip=\"m -> a (60ns)\" labeltooltip=\"m -> a (60ns)\"]\n"
      "}\n",
      NULL },
    { "negative", "-dot", DIFF_STACKS,
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 0, 0% of "
      "100ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"b\\n-40ns (40.00%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"b (-40ns)\" color=\"#2ab200\" fillcolor=\"#dbedd5\"]\n"
      "N2 [label=\"c\\n30ns (30.00%)\" id=\"node2\" fontsize=22 shape=box "
      "tooltip=\"c (30ns)\" color=\"#b23600\" fillcolor=\"#eddcd5\"]\n"
      "N3 [label=\"a\\n10ns (10.00%)\" id=\"node3\" fontsize=16 shape=box "
      "tooltip=\"a (10ns)\" color=\"#b28559\" fillcolor=\"#ede7e1\"]\n"
      "}\n",
      NULL },
    { "nothing",
      "-dot",
      { { NULL, 0, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 0, 0% of "
      "0 total\\l\\lSee https://git.io/JfYMW for how to read the graph\\l\" "
      "tooltip=\"prog\"] }\n"
      "}\n",
      NULL },
    { "names are broken into lines",
      "-dot",
      { { "ns::Klass::method|pkg/sub.(*T).M", 5, false },
        { "com.foo.Bar.baz(int)", 4, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 9ns, 100% "
      "of 9ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"Bar\\nbaz\\n4ns (44.44%)\" id=\"node1\" fontsize=23 "
      "shape=box tooltip=\"com.foo.Bar.baz(int) (4ns)\" color=\"#b22600\" "
      "fillcolor=\"#eddad5\"]\n"
      "N2 [label=\"sub\\n(*T)\\nM\\n5ns (55.56%)\" id=\"node2\" fontsize=24 "
      "shape=box tooltip=\"pkg/sub.(*T).M (5ns)\" color=\"#b21c00\" "
      "fillcolor=\"#edd9d5\"]\n"
      "N3 [label=\"Klass\\nmethod\\n0 of 5ns (55.56%)\" id=\"node3\" "
      "fontsize=8 shape=box tooltip=\"ns::Klass::method (5ns)\" "
      "color=\"#b21c00\" fillcolor=\"#edd9d5\"]\n"
      "N3 -> N2 [label=\" 5ns\" weight=56 penwidth=3 color=\"#b21c00\" "
      "tooltip=\"ns::Klass::method -> pkg/sub.(*T).M (5ns)\" "
      "labeltooltip=\"ns::Klass::method -> pkg/sub.(*T).M (5ns)\"]\n"
      "}\n",
      NULL },
    { "names are escaped",
      "-dot",
      { { "say\"hi\"|back\\slash", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"back\\\\slash\\n5ns (100%)\" id=\"node1\" fontsize=24 "
      "shape=box tooltip=\"back\\\\slash (5ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"say\\\"hi\\\"\\n0 of 5ns (100%)\" id=\"node2\" fontsize=8 "
      "shape=box tooltip=\"say\\\"hi\\\" (5ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 -> N1 [label=\" 5ns\" weight=101 penwidth=6 color=\"#b20000\" "
      "tooltip=\"say\\\"hi\\\" -> back\\\\slash (5ns)\" "
      "labeltooltip=\"say\\\"hi\\\" -> back\\\\slash (5ns)\"]\n"
      "}\n",
      NULL },
    { "lines",
      "-dot -lines",
      { { "main@/src/deep/m.c:12|f@/src/f.c:3:4", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f\\nf.c:3\\n5ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"f /src/f.c:3 (5ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"main\\nm.c:12\\n0 of 5ns (100%)\" id=\"node2\" fontsize=8 "
      "shape=box tooltip=\"main /src/deep/m.c:12 (5ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 -> N1 [label=\" 5ns\" weight=101 penwidth=6 color=\"#b20000\" "
      "tooltip=\"main /src/deep/m.c:12 -> f /src/f.c:3 (5ns)\" "
      "labeltooltip=\"main /src/deep/m.c:12 -> f /src/f.c:3 (5ns)\"]\n"
      "}\n",
      NULL },
    { "addresses",
      "-dot -addresses",
      { { "main@/src/deep/m.c:12|-", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"0000000000001000\\n[prog]\\n5ns (100%)\" id=\"node1\" "
      "fontsize=24 shape=box tooltip=\"0000000000001000 [prog] (5ns)\" "
      "color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"0000000000001010\\nmain\\nm.c:12\\n0 of 5ns (100%)\" "
      "id=\"node2\" fontsize=8 shape=box tooltip=\"0000000000001010 main "
      "/src/deep/m.c:12 (5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 -> N1 [label=\" 5ns\" weight=101 penwidth=6 color=\"#b20000\" "
      "tooltip=\"0000000000001010 main /src/deep/m.c:12 -> 0000000000001000 "
      "[prog] (5ns)\" labeltooltip=\"0000000000001010 main /src/deep/m.c:12 -> "
      "0000000000001000 [prog] (5ns)\"]\n"
      "}\n",
      NULL },
    { "files",
      "-dot -files",
      { { "main@/src/deep/m.c:12|f@/src/f.c:3", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"f.c\\n5ns (100%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"/src/f.c (5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N2 [label=\"m.c\\n0 of 5ns (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"/src/deep/m.c (5ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "N2 -> N1 [label=\" 5ns\" weight=101 penwidth=6 color=\"#b20000\" "
      "tooltip=\"/src/deep/m.c -> /src/f.c (5ns)\" "
      "labeltooltip=\"/src/deep/m.c -> /src/f.c (5ns)\"]\n"
      "}\n",
      NULL },
    { "sizes and colours",
      "-dot",
      { { "m|a", 1, false },
        { "m|b", 10, false },
        { "m|c", 100, false },
        { "m|d", 1000, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 1.11us, "
      "99.91% of 1.11us total\\lDropped 1 node (cum <= 0.01us)\\l\\lSee "
      "https://git.io/JfYMW for how to read the graph\\l\" tooltip=\"prog\"] "
      "}\n"
      "N1 [label=\"d\\n1us (90.01%)\" id=\"node1\" fontsize=24 shape=box "
      "tooltip=\"d (1us)\" color=\"#b20500\" fillcolor=\"#edd6d5\"]\n"
      "N2 [label=\"m\\n0 of 1.11us (100%)\" id=\"node2\" fontsize=8 shape=box "
      "tooltip=\"m (1.11us)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
      "N3 [label=\"c\\n0.10us (9.00%)\" id=\"node3\" fontsize=14 shape=box "
      "tooltip=\"c (0.10us)\" color=\"#b28b62\" fillcolor=\"#ede7e2\"]\n"
      "N4 [label=\"b\\n0.01us (0.9%)\" id=\"node4\" fontsize=10 shape=box "
      "tooltip=\"b (0.01us)\" color=\"#b2b0aa\" fillcolor=\"#edecec\"]\n"
      "N2 -> N1 [label=\" 1us\" weight=91 penwidth=5 color=\"#b20500\" "
      "tooltip=\"m -> d (1us)\" labeltooltip=\"m -> d (1us)\"]\n"
      "N2 -> N3 [label=\" 0.10us\" weight=10 color=\"#b28b62\" tooltip=\"m -> "
      "c (0.10us)\" labeltooltip=\"m -> c (0.10us)\"]\n"
      "N2 -> N4 [label=\" 0.01us\" color=\"#b2b0aa\" tooltip=\"m -> b "
      "(0.01us)\" labeltooltip=\"m -> b (0.01us)\"]\n"
      "}\n",
      NULL },
    { "a name that ends in generics",
      "-dot",
      { { "main.Map[...]", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"main\\nMap[\342\200\246]\\n5ns (100%)\" id=\"node1\" "
      "fontsize=24 shape=box tooltip=\"main.Map[...] (5ns)\" color=\"#b20000\" "
      "fillcolor=\"#edd5d5\"]\n"
      "}\n",
      NULL },
    { "labels with generics",
      "-dot",
      { { "main.Map[...].func1", 5, false } },
      "digraph \"prog\" {\n"
      "node [style=filled fillcolor=\"#f8f8f8\"]\n"
      "subgraph cluster_L { \"File: prog\" [shape=box fontsize=16 "
      "label=\"File: prog\\lType: cpu\\lShowing nodes accounting for 5ns, 100% "
      "of 5ns total\\l\\lSee https://git.io/JfYMW for how to read the "
      "graph\\l\" tooltip=\"prog\"] }\n"
      "N1 [label=\"main\\nMap[\342\200\246]\\nfunc1\\n5ns (100%)\" "
      "id=\"node1\" fontsize=24 shape=box tooltip=\"main.Map[...].func1 "
      "(5ns)\" color=\"#b20000\" fillcolor=\"#edd5d5\"]\n"
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
