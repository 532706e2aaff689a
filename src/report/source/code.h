/*
 * code - the machine code that a report's samples lie in.
 *
 * Opens the files of a profile's mappings, each once, and tells where in
 * their functions samples were taken. For the reports disasm and weblist.
 */
#ifndef CP_CODE_H
#define CP_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct cp_frames;
struct cp_graph;
struct cp_object;
struct cp_report;
struct cp_routine;

/* A place in a file where samples were taken. */
struct cp_code_place {
    struct cp_object *object;
    const struct cp_routine *routine; /* NULL if it is in none */
    uint64_t address;                 /* of the file */
    uint32_t location;
    int64_t flat, cum;
};

#define CP_CODE_NAMES 256

struct cp_code_file; /* a mapping and what is known of its file */

/* Starts as { 0 }. */
struct cp_code {
    const struct cp_report *report;
    struct cp_code_file *files;   /* by mapping */
    struct cp_code_place *places; /* by object and address */
    size_t n_places;
    struct cp_error problem; /* why some file cannot be looked at */
    struct {
        const char *raw, *readable;
    } names[CP_CODE_NAMES]; /* those met last, by address */
    struct cp_arena arena;
};

/*
 * Finds the places of all nodes of the graph, one for each address: the
 * graph must be by addresses, without inlined frames.
 */
enum cp_status cp_code_init(struct cp_code *c, const struct cp_frames *f,
                            const struct cp_graph *g, struct cp_error *err);
void cp_code_release(struct cp_code *c);

/* What the name of a frame or symbol is shown as, in the arena. */
const char *cp_code_name(struct cp_code *c, const char *name,
                         struct cp_error *err);

/* To be called when names that were asked about are no longer there. */
void cp_code_forget_names(struct cp_code *c);

#endif
