/* formats.c - the table of formats: writer, trimming, granularity. */
#include "report/core/formats.h"

#include <unistd.h>

struct format {
    cp_format_write write;
    bool is_untrimmed;               /* never trimmed */
    enum cp_granularity granularity; /* forced granularity, or CP_BY_DEFAULT */
    enum cp_granularity usual;       /* default granularity */
};

static const struct format formats[] = {
    [CP_FORMAT_TOP] = { cp_write_top, false, CP_BY_DEFAULT, CP_BY_DEFAULT },
    [CP_FORMAT_TREE] = { cp_write_tree, false, CP_BY_DEFAULT, CP_BY_DEFAULT },
    [CP_FORMAT_PEEK] = { cp_write_tree, true, CP_BY_DEFAULT, CP_BY_DEFAULT },
    [CP_FORMAT_LIST] = { cp_write_list, true, CP_BY_LINES, CP_BY_DEFAULT },
    [CP_FORMAT_DISASM] = { cp_write_disasm, true, CP_BY_ADDRESSES,
                           CP_BY_DEFAULT },
    [CP_FORMAT_WEBLIST] = { cp_write_weblist, true, CP_BY_LINES,
                            CP_BY_DEFAULT },
    [CP_FORMAT_TRACES] = { cp_write_traces, false, CP_BY_DEFAULT,
                           CP_BY_DEFAULT },
    [CP_FORMAT_TAGS] = { cp_write_tags, false, CP_BY_DEFAULT, CP_BY_DEFAULT },
    [CP_FORMAT_RAW] = { cp_write_raw, true, CP_BY_ADDRESSES, CP_BY_DEFAULT },
    [CP_FORMAT_COMMENTS] = { cp_write_comments, false, CP_BY_DEFAULT,
                             CP_BY_DEFAULT },
    [CP_FORMAT_DOT] = { cp_write_dot, false, CP_BY_DEFAULT, CP_BY_DEFAULT },
    [CP_FORMAT_CALLGRIND] = { cp_write_callgrind, true, CP_BY_ADDRESSES,
                              CP_BY_DEFAULT },
    [CP_FORMAT_PROTO] = { cp_write_proto, true, CP_BY_ADDRESSES,
                          CP_BY_DEFAULT },
    [CP_FORMAT_TOPPROTO] = { cp_write_topproto, false, CP_BY_DEFAULT,
                             CP_BY_DEFAULT },
    [CP_FORMAT_FOLDED] = { cp_write_folded, true, CP_BY_DEFAULT,
                           CP_BY_DEFAULT },
    [CP_FORMAT_FLAMEGRAPH] = { cp_write_flamegraph, true, CP_BY_DEFAULT,
                               CP_BY_DEFAULT },
    [CP_FORMAT_SPEEDSCOPE] = { cp_write_speedscope, true, CP_BY_DEFAULT,
                               CP_BY_FILEFUNCTIONS },
    [CP_FORMAT_FIREFOX] = { cp_write_firefox, true, CP_BY_DEFAULT,
                            CP_BY_FILEFUNCTIONS },
    [CP_FORMAT_HTML] = { cp_write_html, true, CP_BY_ADDRESSES, CP_BY_DEFAULT },
};

void cp_format_adjust(struct cp_options *o)
{
    const struct format *f = &formats[o->format];

    if (f->granularity != CP_BY_DEFAULT)
        o->granularity = f->granularity;
    else if (o->granularity == CP_BY_DEFAULT)
        o->granularity = f->usual;
    if (o->format == CP_FORMAT_DISASM)
        o->noinlines = true;
    if (o->style == CP_STYLE_JEPROF && o->format == CP_FORMAT_TOP &&
        o->node_fraction == cp_options_default().node_fraction)
        o->node_fraction = 0; /* jeprof's table is complete by default */
    if (o->node_count == -1)
        o->node_count =
            o->format == CP_FORMAT_TOP || o->format == CP_FORMAT_TOPPROTO ? 0
                                                                          : 80;
    if (o->node_count < 0)
        o->node_count = 0;
    if (f->is_untrimmed || !o->trim) {
        o->node_count = 0;
        o->node_fraction = o->edge_fraction = 0;
    }
}

cp_format_write cp_format_writer(enum cp_format format)
{
    return formats[format].write;
}
