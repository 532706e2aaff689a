/*
 * flags - the table of pprof's options, with their kinds, targets and help
 * texts.
 */
#ifndef CP_FLAGS_H
#define CP_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/cli/command.h"

struct cp_out;

enum cp_flag_kind {
    CP_FLAG_FORMAT,      /* chooses the report */
    CP_FLAG_FORMAT_ARG,  /* the same, with a regular expression */
    CP_FLAG_STYLE,       /* the output style of top and tree */
    CP_FLAG_SORT,        /* member of an exclusive group */
    CP_FLAG_GRANULARITY, /* member of an exclusive group */
    CP_FLAG_VALUE,       /* shorthand for a sample_index */
    CP_FLAG_BOOL,
    CP_FLAG_STRING,
    CP_FLAG_INT,
    CP_FLAG_FLOAT,
    CP_FLAG_LIST, /* string that may be given several times */
    CP_FLAG_HELP,
    CP_FLAG_IGNORED, /* accepted, takes a value, has no effect */
};

/* Sections of the help text. */
enum cp_flag_section {
    CP_HELP_FORMATS,
    CP_HELP_VALUES,
    CP_HELP_FILTERS,
    CP_HELP_SHAPE,
    CP_HELP_SOURCES,
    CP_HELP_OLD, /* accepted without effect, for old jeprof scripts */
    CP_HELP_HIDDEN,
};

struct cp_flag {
    const char *name;
    enum cp_flag_kind kind;
    enum cp_flag_section section;
    size_t offset; /* byte offset of the value in struct cp_command */
    int choice;
    enum cp_product product;
    enum cp_picture picture;
    const char *viewer;   /* program that shows the file (viewer.h) */
    const char *suffix;   /* file suffix, or the sample_index of a shorthand */
    const char *argument; /* placeholder of the value in the help text */
    const char *help;
};

/* Returns the i-th flag; NULL past the end. */
const struct cp_flag *cp_flag_at(size_t i);

/* Returns the flag of that name, or NULL. */
const struct cp_flag *cp_flag_find(const char *name, size_t len);

bool cp_flag_needs_value(const struct cp_flag *f);

/* Returns a bit that identifies a CP_FLAG_VALUE flag; 0 for other kinds. */
unsigned cp_flag_value_bit(const struct cp_flag *f);

/* Address of the flag's value in the command. */
void *cp_flag_target(const struct cp_flag *f, struct cp_command *c);

/* Writes the help text. */
void cp_flag_help(struct cp_out *out);

#endif
