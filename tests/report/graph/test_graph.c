/*
 * test_graph.c - tests src/report/graph/graph.c and walk.c: flat, cum and
 * calls.
 */
#include "report_cases.h"
#include "report/graph/graph.h"

static const struct report_case cases[] = {
    { "recursion counts once",
      "-tree",
      { { "main|f|f|f", 10, false }, { "main|f|g|f", 5, false } },
      OF_PROG
      "Showing nodes accounting for 15ns, 100% of 15ns total\n" TREE_HEAD
      "                                              15ns   100% |   main\n"
      "                                               5ns 33.33% |   g\n"
      "      15ns   100%   100%       15ns   100%                | f\n"
      "                                               5ns 33.33% |   g\n" RULE
      "                                               5ns   100% |   f\n"
      "         0     0%   100%        5ns 33.33%                | g\n"
      "                                               5ns   100% |   f\n" RULE
      "         0     0%   100%       15ns   100%                | main\n"
      "                                              15ns   100% |   f\n" RULE,
      NULL },
    { "mutual recursion",
      "-tree",
      { { "a|b|a|b", 10, false }, { "a|b", 1, false } },
      OF_PROG
      "Showing nodes accounting for 11ns, 100% of 11ns total\n" TREE_HEAD
      "                                              11ns   100% |   a\n"
      "      11ns   100%   100%       11ns   100%                | b\n"
      "                                              10ns 90.91% |   a\n" RULE
      "                                              10ns 90.91% |   b\n"
      "         0     0%   100%       11ns   100%                | a\n"
      "                                              11ns   100% |   b\n" RULE,
      NULL },
    { "a call counts once a sample",
      "-tree",
      { { "m|a|b|a|b", 10, false } },
      OF_PROG
      "Showing nodes accounting for 10ns, 100% of 10ns total\n" TREE_HEAD
      "                                              10ns   100% |   a\n"
      "      10ns   100%   100%       10ns   100%                | b\n"
      "                                              10ns   100% |   a\n" RULE
      "                                              10ns   100% |   b\n"
      "                                              10ns   100% |   m\n"
      "         0     0%   100%       10ns   100%                | a\n"
      "                                              10ns   100% |   b\n" RULE
      "         0     0%   100%       10ns   100%                | m\n"
      "                                              10ns   100% |   a\n" RULE,
      NULL },
    { "no call to itself",
      "-tree",
      { { "f|f", 3, false } },
      OF_PROG
      "Showing nodes accounting for 3ns, 100% of 3ns total\n" TREE_HEAD
      "       3ns   100%   100%        3ns   100%                | f\n" RULE,
      NULL },
    { "inlined and not",
      "-tree",
      { { "main|f~g", 5, false }, { "main|f|g", 5, false } },
      OF_PROG
      "Showing nodes accounting for 10ns, 100% of 10ns total\n" TREE_HEAD
      "                                              10ns   100% |   f\n"
      "      10ns   100%   100%       10ns   100%                | g\n" RULE
      "                                              10ns   100% |   main\n"
      "         0     0%   100%       10ns   100%                | f\n"
      "                                              10ns   100% |   g\n" RULE
      "         0     0%   100%       10ns   100%                | main\n"
      "                                              10ns   100% |   f\n" RULE,
      NULL },
    { "calls that cancel out",
      "-tree",
      { { "m|a", 5, false }, { "m|a", -5, false }, { "m|b", 1, false } },
      OF_PROG
      "Showing nodes accounting for 1ns, 9.09% of 11ns total\n" TREE_HEAD
      "                                               1ns   100% |   m\n"
      "       1ns  9.09%  9.09%        1ns  9.09%                | b\n" RULE
      "         0     0%  9.09%        1ns  9.09%                | m\n"
      "                                               1ns   100% |   b\n"
      "                                                 0     0% |   a\n" RULE,
      NULL },
    { "drop_negative", "-top -drop_negative", DIFF_STACKS,
      OF_PROG
      "Showing nodes accounting for 40ns, 40.00% of 100ns total\n" TOP_COLUMNS
      "      30ns 30.00% 30.00%       30ns 30.00%  c\n"
      "      10ns 10.00% 40.00%       10ns 10.00%  a\n",
      NULL },
    { "drop_negative with flat zero",
      "-top -drop_negative",
      { { "a|b", -5, false }, { "a|c", 3, false }, { "d|e", 1, false } },
      OF_PROG
      "Showing nodes accounting for 4ns, 44.44% of 9ns total\n" TOP_COLUMNS
      "       3ns 33.33% 33.33%        3ns 33.33%  c\n"
      "       1ns 11.11% 44.44%        1ns 11.11%  e\n"
      "         0     0% 44.44%        1ns 11.11%  d\n",
      NULL },
    { "zero samples are passed over",
      "-tree",
      { { "m|z", 0, false }, { "m|a", 1, false } },
      OF_PROG
      "Showing nodes accounting for 1ns, 100% of 1ns total\n" TREE_HEAD
      "                                               1ns   100% |   m\n"
      "       1ns   100%   100%        1ns   100%                | a\n" RULE
      "         0     0%   100%        1ns   100%                | m\n"
      "                                               1ns   100% |   a\n" RULE,
      NULL },
    { "means",
      "-tree -mean",
      { { "m|a", 30, false }, { "m|a", 10, false }, { "m|b", 6, false } },
      "File: prog\n"
      "Type: mean_cpu\n"
      "Showing nodes accounting for 26ns, 173.33% of 15ns total\n" TREE_HEAD
      "                                              40ns 200.00% |   m\n"
      "      20ns 133.33% 133.33%       20ns 133.33%                | a\n" RULE
      "                                               6ns   100% |   m\n"
      "       6ns 40.00% 173.33%        6ns 40.00%                | b\n" RULE
      "         0     0% 173.33%       15ns   100%                | m\n"
      "                                              40ns 266.67% |   a\n"
      "                                               6ns 40.00% |   b\n" RULE,
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

#define N_NAMES 40
#define N_ROUNDS 8

/* The weight of the sample in which a calls b. */
static int64_t weight_of(int a, int b)
{
    return 1 + a * N_NAMES + b;
}

/*
 * A profile in which every function calls every function, for several threads.
 */
static struct cp_profile *all_calls(void)
{
    static struct fixture_row rows[N_ROUNDS * N_NAMES * N_NAMES];
    static char stacks[N_ROUNDS * N_NAMES * N_NAMES][32];
    size_t n = 0;

    for (int round = 0; round < N_ROUNDS; round++)
        for (int a = 0; a < N_NAMES; a++)
            for (int b = 0; b < N_NAMES; b++, n++) {
                (void)snprintf(stacks[n], sizeof(stacks[n]), "f%d|f%d", a, b);
                rows[n] =
                    (struct fixture_row){ stacks[n], weight_of(a, b), false };
            }
    return fixture_profile(rows, n);
}

static int number_of(struct cp_graph *g, uint32_t node)
{
    struct cp_str name = cp_graph_name(g, node);

    return atoi(name.ptr + 1);
}

static void check_graph(struct cp_graph *g)
{
    CHECK_INT(g->n_order, N_NAMES);
    CHECK_INT(g->n_edges, N_NAMES * (N_NAMES - 1));
    for (uint32_t i = 0; i < g->n_edges; i++) {
        int a = number_of(g, g->edges[i].src);
        int b = number_of(g, g->edges[i].dst);

        CHECK(a != b);
        CHECK_INT(g->edges[i].weight, N_ROUNDS * weight_of(a, b));
    }
    for (uint32_t i = 0; i < g->n_order; i++) {
        int b = number_of(g, g->order[i]);
        int64_t flat = 0;

        for (int a = 0; a < N_NAMES; a++)
            flat += N_ROUNDS * weight_of(a, b);
        CHECK_INT(g->nodes[g->order[i]].flat, flat);
    }
}

static void test_many_calls(void)
{
    struct cp_report r = { .profile = all_calls(),
                           .options = cp_options_default() };
    uint8_t edges[N_NAMES];
    struct cp_frames f = { 0 };
    struct cp_graph g = { 0 };

    memset(edges, CP_WANT_EDGES, sizeof(edges));
    r.options.format = CP_FORMAT_TREE;
    if (!CHECK(cp_report_init(&r, NULL) == CP_OK))
        return;
    if (CHECK(cp_frames_init(&f, &r, 0, NULL) == CP_OK) &&
        CHECK_INT(f.n_infos, N_NAMES) &&
        CHECK(cp_graph_build(&g, &r, &f,
                             (struct cp_graph_want){ .edges = edges },
                             NULL) == CP_OK)) {
        check_graph(&g);
    }
    cp_graph_release(&g);
    cp_frames_release(&f);
    cp_report_release(&r);
    cp_profile_free(r.profile);
}

int main(void)
{
    RUN(test_reports);
    RUN(test_many_calls);
    return check_failures != 0;
}
