/*
 * frames - what each location of a profile stands for in a report.
 *
 * At a given granularity many locations are one node: all addresses of a
 * function, say. This is the table from locations to nodes, and what is known
 * of each node.
 */
#ifndef CP_FRAMES_H
#define CP_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strtab.h"

struct cp_profile;
struct cp_report;

/* What makes a node the one it is. Text is a string of the profile. */
struct cp_node_info {
    uint64_t address;
    uint32_t name, system_name, file, objfile;
    int64_t start_line, line, column;
};

/* What to keep apart beyond the granularity. */
enum {
    CP_KEEP_OBJECT = 1, /* object file and first line of the function; these
                           count anyway where there is no name */
    CP_KEEP_SYSTEM_NAME = 2,
    CP_KEEP_NAMELESS = 8, /* addresses, where there is no name */
    CP_TRIM_PATHS = 4,    /* apply trim_path and source_path to file names */
};

/* Starts as { 0 }. */
struct cp_frames {
    struct cp_node_info *infos;
    uint32_t n_infos;
    uint32_t *first; /* by location, n_locations + 1: index in nodes */
    uint32_t *nodes; /* info indexes, innermost line first */
    bool any_inline; /* some location has more than one node */
    struct cp_arena arena;
};

enum cp_status cp_frames_init(struct cp_frames *f, const struct cp_report *r,
                              int keep, struct cp_error *err);
void cp_frames_release(struct cp_frames *f);

/* "address name file:line", made in the arena or borrowed. */
struct cp_str cp_frames_name(const struct cp_profile *p,
                             const struct cp_node_info *info,
                             struct cp_arena *arena, struct cp_error *err);

#endif
