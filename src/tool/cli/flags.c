/*
 * flags.c - the table of pprof's options, and the help text generated from it.
 */
#include "tool/cli/flags.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"

#define OPTION(field) offsetof(struct cp_command, options.field)
#define COMMAND(field) offsetof(struct cp_command, field)

#define FORMAT(flag, which, text)                                              \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_FORMAT, .section = CP_HELP_FORMATS,      \
        .choice = which, .help = text                                          \
    }
#define FORMAT_ARG(flag, which, text)                                          \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_FORMAT_ARG, .section = CP_HELP_FORMATS,  \
        .choice = which, .argument = "REGEXP", .help = text                    \
    }
#define TO_FILE(flag, which, ending, text)                                     \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_FORMAT, .section = CP_HELP_FORMATS,      \
        .choice = which, .product = CP_PRODUCT_FILE, .suffix = ending,         \
        .help = text                                                           \
    }
#define PICTURE(flag, which, text)                                             \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_FORMAT, .section = CP_HELP_FORMATS,      \
        .choice = CP_FORMAT_DOT, .product = CP_PRODUCT_PICTURE,                \
        .picture = which, .suffix = flag, .help = text                         \
    }
#define VIEWER(flag, which, ending, program, text)                             \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_FORMAT, .section = CP_HELP_FORMATS,      \
        .choice = CP_FORMAT_DOT, .product = CP_PRODUCT_PICTURE,                \
        .picture = which, .suffix = ending, .viewer = program, .help = text    \
    }
#define STYLE(flag, which, text)                                               \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_STYLE, .section = CP_HELP_FORMATS,       \
        .choice = which, .help = text                                          \
    }
#define BOOL(flag, part, field, text)                                          \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_BOOL, .section = part,                   \
        .offset = OPTION(field), .help = text                                  \
    }
#define STRING(flag, part, field, what, text)                                  \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_STRING, .section = part,                 \
        .offset = OPTION(field), .argument = what, .help = text                \
    }
#define NUMBER(flag, type, field, text)                                        \
    {                                                                          \
        .name = flag, .kind = type, .section = CP_HELP_SHAPE,                  \
        .offset = OPTION(field), .argument = "N", .help = text                 \
    }
#define GRANULARITY(flag, which, text)                                         \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_GRANULARITY, .section = CP_HELP_SHAPE,   \
        .choice = which, .help = text                                          \
    }
#define SORT(flag, is_cum, text)                                               \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_SORT, .section = CP_HELP_SHAPE,          \
        .choice = is_cum, .help = text                                         \
    }
#define VALUE(flag, type, is_mean, text)                                       \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_VALUE, .section = CP_HELP_VALUES,        \
        .choice = is_mean, .suffix = type, .help = text                        \
    }
#define SOURCE(flag, type, field, what, text)                                  \
    {                                                                          \
        .name = flag, .kind = type, .section = CP_HELP_SOURCES,                \
        .offset = COMMAND(field), .argument = what, .help = text               \
    }
#define IGNORED(flag, what, text)                                              \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_IGNORED, .section = CP_HELP_SOURCES,     \
        .argument = what, .help = text                                         \
    }
#define HELP(flag)                                                             \
    {                                                                          \
        .name = flag, .kind = CP_FLAG_HELP, .section = CP_HELP_HIDDEN          \
    }

static const struct cp_flag flags[] = {
    FORMAT("top", CP_FORMAT_TOP, "table of the heaviest functions"),
    FORMAT("text", CP_FORMAT_TOP, "same as -top"),
    FORMAT("tree", CP_FORMAT_TREE, "each function with callers and callees"),
    FORMAT_ARG("peek", CP_FORMAT_PEEK, "-tree for functions that match"),
    FORMAT_ARG("list", CP_FORMAT_LIST,
               "annotated source of functions that match"),
    FORMAT_ARG("disasm", CP_FORMAT_DISASM,
               "annotated machine code of matches, or of an address"),
    { .name = "weblist",
      .kind = CP_FLAG_FORMAT_ARG,
      .section = CP_HELP_FORMATS,
      .choice = CP_FORMAT_WEBLIST,
      .product = CP_PRODUCT_FILE,
      .suffix = "html",
      .argument = "REGEXP",
      .help = "page of source and machine code of matches" },
    FORMAT("traces", CP_FORMAT_TRACES, "every sample with its stack"),
    FORMAT("tags", CP_FORMAT_TAGS, "total of each label value"),
    FORMAT("raw", CP_FORMAT_RAW, "the whole profile as text"),
    FORMAT("comments", CP_FORMAT_COMMENTS, "the profile's comments"),
    FORMAT("folded", CP_FORMAT_FOLDED, "collapsed stacks, one per line"),
    STYLE("json", CP_STYLE_JSON, "-top, -tree or -peek as JSON"),
    STYLE("csv", CP_STYLE_CSV, "-top, -tree or -peek as CSV"),
    FORMAT("dot", CP_FORMAT_DOT, "the call graph for graphviz"),
    PICTURE("svg", CP_PICTURE_SVG, "the call graph as a picture"),
    PICTURE("png", CP_PICTURE_PNG, "the call graph as a picture"),
    PICTURE("gif", CP_PICTURE_GIF, "the call graph as a picture"),
    PICTURE("pdf", CP_PICTURE_PDF, "the call graph as a document"),
    PICTURE("ps", CP_PICTURE_PS, "the call graph as a document"),
    TO_FILE("flamegraph", CP_FORMAT_FLAMEGRAPH, "svg",
            "flame graph, a self-contained SVG"),
    TO_FILE("html", CP_FORMAT_HTML, "html",
            "the web page with the profile inside, one file"),
    TO_FILE("callgrind", CP_FORMAT_CALLGRIND, "callgraph.out",
            "profile for kcachegrind"),
    VIEWER("web", CP_PICTURE_SVG, "svg", "browser", "-svg, in a browser"),
    VIEWER("eog", CP_PICTURE_SVG, "svg", "eog", "-svg, in eog"),
    VIEWER("evince", CP_PICTURE_PDF, "pdf", "evince", "-pdf, in evince"),
    VIEWER("gv", CP_PICTURE_PS, "ps", "gv", "-ps, in gv"),
    { .name = "kcachegrind",
      .kind = CP_FLAG_FORMAT,
      .section = CP_HELP_FORMATS,
      .choice = CP_FORMAT_CALLGRIND,
      .product = CP_PRODUCT_FILE,
      .suffix = "grind",
      .viewer = "kcachegrind",
      .help = "-callgrind, in kcachegrind" },
    TO_FILE("speedscope", CP_FORMAT_SPEEDSCOPE, "speedscope.json",
            "profile for speedscope.app"),
    TO_FILE("firefox", CP_FORMAT_FIREFOX, "firefox.json",
            "profile for profiler.firefox.com"),
    TO_FILE("proto", CP_FORMAT_PROTO, "pb.gz", "the profile, after filters"),
    TO_FILE("topproto", CP_FORMAT_TOPPROTO, "pb.gz", "the rows of -top"),

    STRING("sample_index", CP_HELP_VALUES, sample_index, "NAME",
           "which value to report, by name or number"),
    VALUE("total_delay", "delay", false,
          "-sample_index=delay: total time of all waits"),
    VALUE("mean_delay", "delay", true,
          "-sample_index=delay -mean: mean time of a wait"),
    VALUE("contentions", "contentions", false,
          "-sample_index=contentions: number of waits"),
    VALUE("inuse_space", "inuse_space", false,
          "-sample_index=inuse_space: bytes in use"),
    VALUE("inuse_objects", "inuse_objects", false,
          "-sample_index=inuse_objects: objects in use"),
    VALUE("alloc_space", "alloc_space", false,
          "-sample_index=alloc_space: bytes ever allocated"),
    VALUE("alloc_objects", "alloc_objects", false,
          "-sample_index=alloc_objects: objects ever allocated"),
    BOOL("mean", CP_HELP_VALUES, mean,
         "divide by the sample count (first value)"),
    { .name = "divide_by",
      .kind = CP_FLAG_FLOAT,
      .section = CP_HELP_VALUES,
      .offset = OPTION(divide_by),
      .argument = "N",
      .help = "divide all values by N" },
    STRING("unit", CP_HELP_VALUES, unit, "UNIT",
           "ms, MB ...; minimum picks one for the report"),
    BOOL("relative_percentages", CP_HELP_VALUES, relative_percentages,
         "percentages of what the filters leave"),

    STRING("focus", CP_HELP_FILTERS, focus, "REGEXP",
           "only stacks with a match"),
    STRING("ignore", CP_HELP_FILTERS, ignore, "REGEXP",
           "only stacks without a match"),
    STRING("hide", CP_HELP_FILTERS, hide, "REGEXP", "omit frames that match"),
    STRING("show", CP_HELP_FILTERS, show, "REGEXP",
           "omit frames that do not match"),
    STRING("show_from", CP_HELP_FILTERS, show_from, "REGEXP",
           "drop callers of the outermost match"),
    STRING("prune_from", CP_HELP_FILTERS, prune_from, "REGEXP",
           "drop callees of the innermost match"),
    STRING("tagfocus", CP_HELP_FILTERS, tagfocus, "EXPR",
           "samples with such a label: key=regexp, key=1kb:2mb"),
    STRING("tagignore", CP_HELP_FILTERS, tagignore, "EXPR",
           "only samples without such a label"),
    STRING("tagshow", CP_HELP_FILTERS, tagshow, "REGEXP",
           "keep only labels whose key matches"),
    STRING("taghide", CP_HELP_FILTERS, taghide, "REGEXP",
           "drop labels whose key matches"),
    STRING("tagroot", CP_HELP_FILTERS, tagroot, "KEYS",
           "labels as frames at the root"),
    STRING("tagleaf", CP_HELP_FILTERS, tagleaf, "KEYS",
           "labels as frames at the leaf"),

    GRANULARITY("functions", CP_BY_FUNCTIONS, "one row per function"),
    GRANULARITY("filefunctions", CP_BY_FILEFUNCTIONS,
                "one row per function and file"),
    GRANULARITY("files", CP_BY_FILES, "one row per source file"),
    GRANULARITY("lines", CP_BY_LINES, "one row per source line"),
    GRANULARITY("addresses", CP_BY_ADDRESSES, "one row per address"),
    BOOL("noinlines", CP_HELP_SHAPE, noinlines,
         "attribute inlined functions to their callers"),
    BOOL("showcolumns", CP_HELP_SHAPE, showcolumns,
         "add column numbers to -lines"),
    SORT("cum", true, "sort by cumulative value"),
    SORT("flat", false, "sort by own value"),
    NUMBER("nodecount", CP_FLAG_INT, node_count, "at most N rows"),
    NUMBER("nodefraction", CP_FLAG_FLOAT, node_fraction,
           "drop rows below this share of the total"),
    NUMBER("edgefraction", CP_FLAG_FLOAT, edge_fraction,
           "drop calls below this share of the total"),
    NUMBER("maxdegree", CP_FLAG_INT, max_degree,
           "at most N calls from and to a node, in pictures"),
    BOOL("trim", CP_HELP_SHAPE, trim,
         "drop small rows and calls; -trim=false keeps all"),
    BOOL("call_tree", CP_HELP_SHAPE, call_tree, "a tree instead of a graph"),
    BOOL("drop_negative", CP_HELP_SHAPE, drop_negative,
         "drop rows with a negative value"),
    BOOL("compact_labels", CP_HELP_SHAPE, compact_labels, "shorter heading"),
    BOOL("intel_syntax", CP_HELP_SHAPE, intel_syntax,
         "Intel's syntax for machine code, not AT&T's"),
    STRING("source_path", CP_HELP_SHAPE, source_path, "DIRS",
           "directories to search for source files"),
    STRING("trim_path", CP_HELP_SHAPE, trim_path, "DIRS",
           "prefixes to cut off file names"),
    STRING("output", CP_HELP_SHAPE, output, "FILE", "write the report to FILE"),

    SOURCE("base", CP_FLAG_LIST, bases, "SOURCE",
           "subtract this profile; may be given more than once"),
    SOURCE("diff_base", CP_FLAG_LIST, diff_bases, "SOURCE",
           "-base, with percentages of the base"),
    BOOL("normalize", CP_HELP_SOURCES, normalize,
         "scale to the base's total first"),
    SOURCE("all_frames", CP_FLAG_BOOL, all_frames, NULL,
           "ignore the profile's list of frames to drop"),
    SOURCE("add_comment", CP_FLAG_STRING, comment, "TEXT",
           "add to the profile's comments"),
    SOURCE("buildid", CP_FLAG_STRING, build_id, "ID",
           "build id of the main binary, if the profile has none"),
    SOURCE("symbolize", CP_FLAG_STRING, symbolize, "MODE",
           "local, fastlocal, remote, none; force; demangle=..."),
    SOURCE("seconds", CP_FLAG_INT, seconds, "N",
           "how long to profile, for sources that are addresses"),
    SOURCE("timeout", CP_FLAG_INT, timeout, "N",
           "how long to wait for a server, in seconds"),
    SOURCE("no_save", CP_FLAG_BOOL, no_save, NULL,
           "save no copy of fetched profiles"),
    SOURCE("http", CP_FLAG_STRING, http, "HOST:PORT",
           "serve the web page; : alone picks a port of localhost"),
    SOURCE("no_browser", CP_FLAG_BOOL, no_browser, NULL,
           "do not open a browser on the page"),
    SOURCE("tls_cert", CP_FLAG_STRING, tls_cert, "FILE",
           "certificate to show to the server"),
    SOURCE("tls_key", CP_FLAG_STRING, tls_key, "FILE", "key of -tls_cert"),
    SOURCE("tls_ca", CP_FLAG_STRING, tls_ca, "FILE", "certificates to trust"),
    IGNORED("tools", "DIRS", "has no effect: no outside tools are used"),

    HELP("h"),
    HELP("help"),
};

#define N_FLAGS (sizeof(flags) / sizeof(flags[0]))

const struct cp_flag *cp_flag_at(size_t i)
{
    return i < N_FLAGS ? &flags[i] : NULL;
}

const struct cp_flag *cp_flag_find(const char *name, size_t len)
{
    for (size_t i = 0; i < N_FLAGS; i++)
        if (strlen(flags[i].name) == len &&
            memcmp(flags[i].name, name, len) == 0)
            return &flags[i];
    return NULL;
}

bool cp_flag_needs_value(const struct cp_flag *f)
{
    switch (f->kind) {
    case CP_FLAG_FORMAT_ARG:
    case CP_FLAG_STRING:
    case CP_FLAG_INT:
    case CP_FLAG_FLOAT:
    case CP_FLAG_LIST:
    case CP_FLAG_IGNORED:
        return true;
    default:
        return false;
    }
}

unsigned cp_flag_value_bit(const struct cp_flag *f)
{
    unsigned bit = 1;

    for (const struct cp_flag *g = flags; g < f; g++)
        if (g->kind == CP_FLAG_VALUE)
            bit <<= 1;
    return f->kind == CP_FLAG_VALUE ? bit : 0;
}

void *cp_flag_target(const struct cp_flag *f, struct cp_command *c)
{
    return (char *)c + f->offset;
}

static void help_section(struct cp_out *out, enum cp_flag_section section,
                         const char *title)
{
    cp_out_printf(out, "\n%s\n", title);
    for (size_t i = 0; i < N_FLAGS; i++) {
        const struct cp_flag *f = &flags[i];
        char name[48];

        if (f->section != section)
            continue;
        (void)snprintf(name, sizeof(name), "-%s%s%s", f->name,
                       f->argument ? "=" : "", f->argument ? f->argument : "");
        cp_out_printf(out, "  %-24s %s\n", name, f->help ? f->help : "");
    }
}

void cp_flag_help(struct cp_out *out)
{
    cp_out_cstr(
        out,
        "usage: pprof [FORMAT] [OPTION]... [BINARY] SOURCE...\n\n"
        "Reports on profiles; without a format there is a prompt. A source "
        "is a file\n(profile.proto, gzip or zstd packed or not, the older "
        "formats of gperftools, Go,\nJava and jemalloc, folded stacks, perf, "
        "callgrind, speedscope, Firefox and V8),\n- for standard input, or "
        "an address: http://host/path, https://host/path,\nhost:port, "
        "unix:/socket. Several are added up.\n");
    help_section(out, CP_HELP_FORMATS, "Formats (one of):");
    help_section(out, CP_HELP_VALUES, "Values:");
    help_section(out, CP_HELP_FILTERS, "Filters:");
    help_section(out, CP_HELP_SHAPE, "Rows and output:");
    help_section(out, CP_HELP_SOURCES, "Sources:");
}
