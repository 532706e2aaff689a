/*
 * gecko_tables - the tables of a Firefox profile, from strings to stacks.
 *
 * There are two forms. As Firefox records it, a table is {"schema":{name:
 * place},"data":[[...]]}, a frame is a string ("name (file:line:column)", or
 * an address), and each thread has its tables. Processed, as the profiler's
 * page and samply save it, a table has a list a column; frames lead to
 * functions, these to resources and those to libraries; tables are in the
 * thread or, in later versions, in "shared".
 */
#ifndef CP_GECKO_TABLES_H
#define CP_GECKO_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json/json.h"
#include "base/text_lines.h"

struct cp_arena;
struct cp_error;
struct cp_gather;

/* A library; addresses are offsets in it. */
struct cp_gecko_lib {
    struct cp_text path, build_id;
    uint64_t start, end; /* in memory, as recorded; else 0 */
};

struct cp_gecko_libs {
    struct cp_gecko_lib *items;  /* as in the file */
    struct cp_gecko_lib *sorted; /* by start */
    uint32_t n;
};

/* Lists are as long as the count of their group; NULL where not there. */
struct cp_gecko_tables {
    uint32_t n_strings;
    struct cp_text *strings;

    uint32_t n_stacks;
    uint32_t *prefix, *stack_frame;
    bool is_offset; /* prefix holds distances, 0 for none */

    uint32_t n_frames;
    uint32_t *func, *address, *frame_line, *frame_column;
    uint32_t *text; /* of recorded frames: a string that says it all */

    uint32_t n_funcs;
    uint32_t *func_name, *func_file, *func_source, *func_resource;
    uint32_t *func_line;

    uint32_t n_resources;
    uint32_t *resource_lib;

    uint32_t n_sources;
    uint32_t *source_file;

    uint32_t *stack_nodes; /* of the gatherer, CP_NONE where not asked for */
    uint32_t *frame_locations;
};

/*
 * Reads the tables that are members of the object at j (a thread, or
 * "shared") over those that t has. What is wrong is in the document.
 */
void cp_gecko_tables_read(struct cp_gecko_tables *t, struct cp_json j,
                          struct cp_arena *arena);

/* Reads a list of libraries. */
void cp_gecko_libs_read(struct cp_gecko_libs *libs, struct cp_json j,
                        struct cp_arena *arena);

/* The gatherer's node of a stack, made if need be; CP_NONE with *err set. */
uint32_t cp_gecko_stack(struct cp_gecko_tables *t,
                        const struct cp_gecko_libs *libs, struct cp_gather *g,
                        uint32_t stack, struct cp_error *err);

#endif
