/* flags - the table of all options; see flags.c. */
#ifndef CP_FLAGS_H
#define CP_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/picture/picture.h"
#include "tool/cli/command.h"

struct cp_out;

enum cp_flag_kind {
    CP_FLAG_FORMAT,      /* chooses the report */
    CP_FLAG_FORMAT_ARG,  /* the same, with a regular expression */
    CP_FLAG_STYLE,       /* how top and tree are written */
    CP_FLAG_SORT,        /* one of a group */
    CP_FLAG_GRANULARITY, /* one of a group */
    CP_FLAG_VALUE,       /* a short name for a sample_index */
    CP_FLAG_BOOL,
    CP_FLAG_STRING,
    CP_FLAG_INT,
    CP_FLAG_FLOAT,
    CP_FLAG_LIST, /* a string, as often as wanted */
    CP_FLAG_HELP,
    CP_FLAG_IGNORED, /* takes a value that has no effect on files */
};

/* Sections of the help text. */
enum cp_flag_section {
    CP_HELP_FORMATS,
    CP_HELP_VALUES,
    CP_HELP_FILTERS,
    CP_HELP_SHAPE,
    CP_HELP_SOURCES,
    CP_HELP_OLD, /* without effect; for old scripts of jeprof */
    CP_HELP_HIDDEN,
};

struct cp_flag {
    const char *name;
    enum cp_flag_kind kind;
    enum cp_flag_section section;
    size_t offset; /* of the value in struct cp_command */
    int choice;
    enum cp_product product;
    enum cp_picture picture;
    const char *viewer;   /* shows the file, see viewer.h */
    const char *suffix;   /* file suffix, or name of the value */
    const char *argument; /* for the help text */
    const char *help;
};

/* The i-th flag; NULL behind the last. */
const struct cp_flag *cp_flag_at(size_t i);

/* The flag of that name; NULL if there is none. */
const struct cp_flag *cp_flag_find(const char *name, size_t len);

bool cp_flag_needs_value(const struct cp_flag *f);

/* A bit for each of the short names for a sample_index. */
unsigned cp_flag_value_bit(const struct cp_flag *f);

/* Where the flag's value goes. */
void *cp_flag_place(const struct cp_flag *f, struct cp_command *c);

/* Writes the help text. */
void cp_flag_help(struct cp_out *out);

#endif
