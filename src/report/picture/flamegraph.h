/*
 * flamegraph - the parts of the flame graph: boxes, their colours, and the
 * script that makes the picture live.
 */
#ifndef CP_FLAMEGRAPH_H
#define CP_FLAMEGRAPH_H

#include <stdint.h>

#include "base/error.h"
#include "base/strtab.h"
#include "report/graph/stacks.h"

struct cp_report;

/* A call path, drawn. Below a box are those it called. */
struct cp_flame_box {
    uint32_t name;        /* in stacks.names; CP_NONE for the root */
    uint32_t depth;       /* 0 for the root */
    double start, weight; /* horizontal place, out of total_weight */
    int64_t value, self;  /* sums with sign; self is what ended here */
    uint32_t from, n;     /* its part of the layout's cursors */
};

/* Starts as { 0 }. */
struct cp_flame {
    struct cp_stacks stacks;
    struct cp_flame_box *boxes; /* parents before children, left to right */
    uint32_t n_boxes;
    uint32_t n_rows;
    double total_weight;
    uint32_t n_left_out; /* children of boxes that were too narrow to draw */
    double least_share;  /* of the total; narrower ones were left out */
};

/*
 * Chooses and places the boxes: the heaviest call paths, none narrower than a
 * thousandth of the picture, and not more than a browser likes. Children stand
 * heaviest first.
 */
enum cp_status cp_flame_init(struct cp_flame *f, const struct cp_report *r,
                             struct cp_error *err);
void cp_flame_release(struct cp_flame *f);

#define CP_COLOUR_BYTES 8

/* "#rrggbb" by the package or namespace of the name. */
void cp_flame_colour(struct cp_str name, char out[static CP_COLOUR_BYTES]);

/* Red for a share that grew (up to 1), blue for one that shrank (to -1). */
void cp_flame_diff_colour(double change, char out[static CP_COLOUR_BYTES]);

/* assets/flamegraph.css and .js, put here by scripts/embed. */
extern const char cp_asset_flamegraph_css[];
extern const char cp_asset_flamegraph_js[];

#endif
