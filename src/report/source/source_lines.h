/*
 * source_lines - source lines of chosen functions, with their costs.
 *
 * Shared by the reports list and weblist, so that they agree.
 */
#ifndef CP_SOURCE_LINES_H
#define CP_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/graph/graph.h"

struct cp_report;

/* A line of a function. */
struct cp_source_entry {
    struct cp_str name, file;
    int64_t start_line, line, flat, cum;
};

/* Initialize with { 0 }. */
struct cp_source_lines {
    struct cp_frames frames;
    struct cp_graph graph;
    struct cp_source_entry *entries; /* sorted by name, file and line */
    size_t n;
};

/*
 * Chooses the functions whose names match the report's argument, in a graph by
 * lines. with_files: also functions whose files match. CP_EUSAGE if none match.
 */
enum cp_status cp_source_lines_init(struct cp_source_lines *l,
                                    const struct cp_report *r, bool with_files,
                                    struct cp_error *err);
void cp_source_lines_release(struct cp_source_lines *l);

/*
 * Returns the end of the entries of e's function, or of its part in one file.
 */
const struct cp_source_entry *
cp_source_lines_function(const struct cp_source_lines *l,
                         const struct cp_source_entry *e);
const struct cp_source_entry *
cp_source_lines_file(const struct cp_source_lines *l,
                     const struct cp_source_entry *e);

/*
 * Computes the lines to show for the entries of one function and file, before
 * the length of the file limits them. Empty if from > to.
 */
void cp_source_lines_range(const struct cp_source_entry *e,
                           const struct cp_source_entry *end, int64_t *from,
                           int64_t *to);

#endif
