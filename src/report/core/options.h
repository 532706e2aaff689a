/*
 * options - all options of a report.
 *
 * The command line, the prompt or the web page fills them; names and defaults
 * are google/pprof's. Strings are never NULL; "" means not set.
 */
#ifndef CP_OPTIONS_H
#define CP_OPTIONS_H

#include <stdbool.h>

enum cp_format {
    CP_FORMAT_NONE,
    CP_FORMAT_TOP,
    CP_FORMAT_TREE,
    CP_FORMAT_PEEK,
    CP_FORMAT_LIST,
    CP_FORMAT_DISASM,
    CP_FORMAT_WEBLIST,
    CP_FORMAT_TRACES,
    CP_FORMAT_TAGS,
    CP_FORMAT_RAW,
    CP_FORMAT_COMMENTS,
    CP_FORMAT_DOT,
    CP_FORMAT_CALLGRIND,
    CP_FORMAT_PROTO,
    CP_FORMAT_TOPPROTO,
    CP_FORMAT_FOLDED,
    CP_FORMAT_FLAMEGRAPH,
    CP_FORMAT_SPEEDSCOPE,
    CP_FORMAT_FIREFOX,
    CP_FORMAT_HTML,
};

/* Output style of top and tree. */
enum cp_style { CP_STYLE_TEXT, CP_STYLE_JSON, CP_STYLE_CSV, CP_STYLE_JEPROF };

enum cp_granularity {
    CP_BY_DEFAULT,
    CP_BY_FUNCTIONS,
    CP_BY_FILEFUNCTIONS,
    CP_BY_FILES,
    CP_BY_LINES,
    CP_BY_ADDRESSES,
};

struct cp_options {
    enum cp_format format;
    enum cp_style style;
    const char
        *argument; /* regular expression of peek, list, disasm, weblist */

    bool call_tree, relative_percentages, compact_labels, mean, normalize;
    bool drop_negative, trim, noinlines, showcolumns, intel_syntax, cum_sort;
    bool show_bytes; /* jeprof style: bytes instead of megabytes */
    bool is_drawn;   /* the dot text goes to graphviz, not to the user */
    enum cp_granularity granularity;
    int node_count; /* -1 means the format's default; 0 means unlimited */
    int max_degree; /* edges of a node in pictures; 0 means unlimited */
    double node_fraction, edge_fraction, divide_by;
    const char *thread; /* name of the only thread; "" for all */
    const char *unit, *sample_index, *source_path, *trim_path, *output;
    const char *focus, *ignore, *hide, *show, *show_from, *prune_from;
    const char *tagfocus, *tagignore, *tagshow, *taghide, *tagroot, *tagleaf;
};

/* Returns the default values. */
static inline struct cp_options cp_options_default(void)
{
    return (struct cp_options){
        .argument = "",
        .trim = true,
        .node_count = -1,
        .divide_by = 1,
        .node_fraction = 0.005,
        .edge_fraction = 0.001,
        .thread = "",
        .unit = "minimum",
        .sample_index = "",
        .source_path = "",
        .trim_path = "",
        .output = "",
        .focus = "",
        .ignore = "",
        .hide = "",
        .show = "",
        .show_from = "",
        .prune_from = "",
        .tagfocus = "",
        .tagignore = "",
        .tagshow = "",
        .taghide = "",
        .tagroot = "",
        .tagleaf = "",
    };
}

#endif
