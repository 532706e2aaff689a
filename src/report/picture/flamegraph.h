/* flamegraph - the layout and colours of a flame graph's boxes. */
#ifndef CP_FLAMEGRAPH_H
#define CP_FLAMEGRAPH_H

#include <stdint.h>

#include "report/graph/stacks.h"

struct cp_report;

/* A call path. Its callees are drawn below it. */
struct cp_flame_box {
    uint32_t name;  /* index in stacks.names; CP_NONE for the root */
    uint32_t depth; /* 0 for the root */
    double start,
        weight; /* horizontal position and width, out of total_weight */
    int64_t value, self; /* signed sums; self is the part that ends here */
    uint32_t from, n;    /* range of the layout's cursors */
};

/* Initialize with { 0 }. */
struct cp_flame {
    struct cp_stacks stacks;
    struct cp_flame_box *boxes; /* parents before children, left to right */
    uint32_t n_boxes;
    uint32_t n_rows;
    double total_weight;
    uint32_t n_omitted; /* children too narrow to draw */
    double min_share;   /* minimum share of the total that is drawn */
};

/*
 * Chooses and lays out the boxes: the heaviest call paths, each at least a
 * thousandth of the picture wide, up to a number that browsers handle well.
 * Children are sorted heaviest first.
 */
enum cp_status cp_flame_init(struct cp_flame *f, const struct cp_report *r,
                             struct cp_error *err);
void cp_flame_release(struct cp_flame *f);

#define CP_COLOUR_BYTES 8

/* Returns "#rrggbb", chosen by the package or namespace of the name. */
void cp_flame_colour(struct cp_str name, char out[static CP_COLOUR_BYTES]);

/*
 * Returns red for a growing share (up to 1), blue for a shrinking one (down to
 * -1).
 */
void cp_flame_diff_colour(double change, char out[static CP_COLOUR_BYTES]);

/* assets/flamegraph.css and .js, embedded by scripts/embed. */
extern const char cp_asset_flamegraph_css[];
extern const char cp_asset_flamegraph_js[];

#endif
