/*
 * gecko_tables - the tables of a Firefox profile, from strings to stacks.
 *
 * There are two forms. Recorded, as Firefox writes it: a table is
 * {"schema":{name: position},"data":[[...]]}, a frame is a string ("name
 * (file:line:column)" or an address), and each thread has its own tables.
 * Processed, as the profiler's web page and samply write it: a table has one
 * list per column. Frames refer to functions, functions to resources, and
 * resources to libraries. The tables are in the thread or, in later versions,
 * in "shared".
 */
#ifndef CP_GECKO_TABLES_H
#define CP_GECKO_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json/json.h"

struct cp_arena;
struct cp_error;
struct cp_gather;

/* A library; addresses of frames are offsets into it. */
struct cp_gecko_lib {
    struct cp_text path, build_id;
    uint64_t start, end; /* memory range in the recorded form; else 0 */
};

struct cp_gecko_libs {
    struct cp_gecko_lib *items;  /* in file order */
    struct cp_gecko_lib *sorted; /* sorted by start */
    uint32_t n;
};

/* Each list is as long as the count of its group; NULL if missing. */
struct cp_gecko_tables {
    uint32_t n_strings;
    struct cp_text *strings;

    uint32_t n_stacks;
    uint32_t *prefix, *stack_frame;
    bool is_offset; /* whether prefix holds distances; distance 0 means none */

    uint32_t n_frames;
    uint32_t *func, *address, *frame_line, *frame_column;
    uint32_t *text; /* recorded form: the string of each frame */

    uint32_t n_funcs;
    uint32_t *func_name, *func_file, *func_source, *func_resource;
    uint32_t *func_line;

    uint32_t n_resources;
    uint32_t *resource_lib;

    uint32_t n_sources;
    uint32_t *source_file;

    uint32_t *stack_nodes; /* gatherer nodes; CP_NONE until created */
    uint32_t *frame_locations;
};

/*
 * Reads the tables of the object at j (a thread, or "shared") and replaces
 * those in t. Errors are stored in the document.
 */
void cp_gecko_tables_read(struct cp_gecko_tables *t, struct cp_json j,
                          struct cp_arena *arena);

/* Reads a list of libraries. */
void cp_gecko_libs_read(struct cp_gecko_libs *libs, struct cp_json j,
                        struct cp_arena *arena);

/*
 * Returns the gatherer's node of a stack and creates it if needed; CP_NONE with
 * *err set.
 */
uint32_t cp_gecko_stack(struct cp_gecko_tables *t,
                        const struct cp_gecko_libs *libs, struct cp_gather *g,
                        uint32_t stack, struct cp_error *err);

#endif
