/* output - where a report goes. */
#ifndef CP_OUTPUT_H
#define CP_OUTPUT_H

#include "base/error.h"
#include "base/out.h"

struct cp_command;

/* Starts with cp_output_open. */
struct cp_output {
    struct cp_out out;
    char *path; /* the file wanted, or NULL for standard output */
    char *temp; /* the file being written, renamed when all is well */
};

/*
 * Opens what the command asks for: -output, standard output, or for what no
 * terminal can show the first free profileNNN.suffix.
 */
enum cp_status cp_output_open(struct cp_output *o, const struct cp_command *c,
                              struct cp_error *err);

/* Writes the rest and puts the file in place. */
enum cp_status cp_output_finish(struct cp_output *o, struct cp_error *err);

/* Gives up: what has been written to a file is removed. */
void cp_output_abandon(struct cp_output *o);

#endif
