/*
 * code - the machine code that contains a report's samples.
 *
 * Opens the files of a profile's mappings, each once, and finds the function of
 * each sampled address. Used by the reports disasm and weblist.
 */
#ifndef CP_CODE_H
#define CP_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct cp_frames;
struct cp_graph;
struct cp_object;
struct cp_report;
struct cp_routine;

/* An address in a file where samples were taken. */
struct cp_code_place {
    struct cp_object *object;
    const struct cp_routine *routine; /* NULL if no function contains it */
    uint64_t address;                 /* address in the file */
    uint32_t location;
    int64_t flat, cum;
};

#define CP_CODE_NAMES 256

struct cp_code_file; /* a mapping and its file */

/* Initialize with { 0 }. */
struct cp_code {
    const struct cp_report *report;
    struct cp_code_file *files;   /* indexed by mapping */
    struct cp_code_place *places; /* sorted by object and address */
    size_t n_places;
    struct cp_error problem; /* why a file cannot be read */
    struct {
        const char *raw, *readable;
    } names[CP_CODE_NAMES]; /* cache of recent names, by address */
    struct cp_arena arena;
};

/*
 * Finds the places of all nodes of the graph, one per address. The graph must
 * be by addresses, without inlined frames.
 */
enum cp_status cp_code_init(struct cp_code *c, const struct cp_frames *f,
                            const struct cp_graph *g, struct cp_error *err);
void cp_code_release(struct cp_code *c);

/* Returns the shown form of a frame or symbol name, allocated in the arena. */
const char *cp_code_name(struct cp_code *c, const char *name,
                         struct cp_error *err);

/*
 * Clears the cache. Call it when the strings passed to cp_code_name are freed.
 */
void cp_code_clear_names(struct cp_code *c);

#endif
