/*
 * weblist_code - the instructions that stand for each line of chosen
 * functions, wherever they were inlined.
 */
#ifndef CP_WEBLIST_CODE_H
#define CP_WEBLIST_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/core/frames.h"
#include "report/core/report.h"
#include "report/graph/graph.h"
#include "report/source/code.h"

struct cp_object_insn;
struct cp_source_entry;
struct cp_source_lines;

/* An instruction, seen from one of the frames that it stands for. */
struct cp_weblist_insn {
    const struct cp_object_insn *insn;
    size_t frame; /* index in insn->frames */
    int64_t line, flat, cum;
};

/* The part of a function that is in one file. */
struct cp_weblist_section {
    const struct cp_source_entry *from, *to;
    struct cp_weblist_insn *insns; /* by line, then in order */
    size_t n, cap;
};

/* Starts as { 0 }. */
struct cp_weblist_code {
    struct cp_report report; /* the same report, by addresses */
    struct cp_frames frames;
    struct cp_graph graph;
    struct cp_code code;
    struct cp_weblist_section *sections; /* by name and file */
    size_t n_sections;
    struct cp_arena arena;
};

/* Lines must outlive it. Code that cannot be had is left out. */
enum cp_status cp_weblist_code_init(struct cp_weblist_code *c,
                                    const struct cp_report *r,
                                    const struct cp_source_lines *lines,
                                    struct cp_error *err);
void cp_weblist_code_release(struct cp_weblist_code *c);

#endif
