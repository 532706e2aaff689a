/*
 * weblist_code - the instructions of each source line of chosen functions,
 * including their inlined copies.
 */
#ifndef CP_WEBLIST_CODE_H
#define CP_WEBLIST_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "report/graph/graph.h"
#include "report/source/code.h"

struct cp_object_insn;
struct cp_source_entry;
struct cp_source_lines;

/* An instruction, seen from one of its (inlined) frames. */
struct cp_weblist_insn {
    const struct cp_object_insn *insn;
    size_t frame; /* index in insn->frames */
    int64_t line, flat, cum;
};

/* The part of a function in one file. */
struct cp_weblist_section {
    const struct cp_source_entry *from, *to;
    struct cp_weblist_insn *insns; /* sorted by line, then by address */
    size_t n, cap;
};

/* Initialize with { 0 }. */
struct cp_weblist_code {
    struct cp_report report; /* the same report, by addresses */
    struct cp_frames frames;
    struct cp_graph graph;
    struct cp_code code;
    struct cp_weblist_section *sections; /* sorted by name and file */
    size_t n_sections;
    struct cp_arena arena;
};

/* lines must outlive it. Omits code that cannot be read. */
enum cp_status cp_weblist_code_init(struct cp_weblist_code *c,
                                    const struct cp_report *r,
                                    const struct cp_source_lines *lines,
                                    struct cp_error *err);
void cp_weblist_code_release(struct cp_weblist_code *c);

#endif
