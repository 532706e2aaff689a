/*
 * output - opens, completes or discards the file that a report is written to.
 */
#ifndef CP_OUTPUT_H
#define CP_OUTPUT_H

#include "base/out.h"

struct cp_command;

/* Initialize with cp_output_open. */
struct cp_output {
    struct cp_out out;
    char *path; /* final path, or NULL for standard output */
    char *temp; /* temporary path, renamed by cp_output_finish */
};

/*
 * Opens the destination of the report: -output, standard output, or, for a
 * binary report on a terminal, the first free profileNNN.suffix.
 */
enum cp_status cp_output_open(struct cp_output *o, const struct cp_command *c,
                              struct cp_error *err);

/* Flushes the report and renames the file to its final path. */
enum cp_status cp_output_finish(struct cp_output *o, struct cp_error *err);

/* Removes the unfinished file. */
void cp_output_abandon(struct cp_output *o);

#endif
