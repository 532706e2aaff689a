/*
 * frames - maps the locations of a profile to nodes of a report.
 *
 * At a given granularity many locations are one node, for example all addresses
 * of a function. This module holds the table from locations to nodes, and the
 * properties of each node.
 */
#ifndef CP_FRAMES_H
#define CP_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"

struct cp_profile;
struct cp_report;

/* The identity of a node. Texts are strings of the profile. */
struct cp_node_info {
    uint64_t address;
    uint32_t name, system_name, file, objfile;
    int64_t start_line, line, column;
};

/* Properties that distinguish nodes beyond the granularity. */
enum {
    CP_KEEP_OBJECT = 1, /* object file and first line of the function; nodes
                           without a name always have these */
    CP_KEEP_SYSTEM_NAME = 2,
    CP_KEEP_NAMELESS = 8, /* addresses of nodes without a name */
    CP_TRIM_PATHS = 4,    /* apply trim_path and source_path to file names */
};

/* Initialize with { 0 }. */
struct cp_frames {
    struct cp_node_info *infos;
    uint32_t n_infos;
    uint32_t
        *first; /* indexed by location, n_locations + 1 indexes into nodes */
    uint32_t *nodes; /* indexes into infos, innermost line first */
    bool any_inline; /* some location has more than one node */
    struct cp_arena arena;
};

enum cp_status cp_frames_init(struct cp_frames *f, const struct cp_report *r,
                              int keep, struct cp_error *err);
void cp_frames_release(struct cp_frames *f);

/* Returns "address name file:line", allocated in the arena or borrowed. */
struct cp_str cp_frames_name(const struct cp_profile *p,
                             const struct cp_node_info *info,
                             struct cp_arena *arena, struct cp_error *err);

#endif
