/*
 * command - the parsed command line of pprof.
 *
 *   pprof [format] [options] [binary] source...
 *
 * An option has one or two dashes and takes its value as -name=value or -name
 * value. A boolean stands alone or takes =value. Options may come before,
 * between and after the sources. "--" ends the options; "-" is standard input.
 */
#ifndef CP_COMMAND_H
#define CP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/legacy/heap_values.h"
#include "report/core/options.h"
#include "report/picture/picture.h"

/* Destination of a report. */
enum cp_product {
    CP_PRODUCT_TEXT,    /* goes to standard output */
    CP_PRODUCT_FILE,    /* a file if standard output is a terminal */
    CP_PRODUCT_PICTURE, /* the same, drawn by graphviz first */
};

struct cp_list {
    const char **items;
    size_t n, cap;
};

/* Initialize with cp_command_init. */
struct cp_command {
    struct cp_options options;
    enum cp_product product;
    enum cp_picture picture;
    const char *suffix; /* suffix of a file name that the tool chooses */
    const char *viewer; /* program that shows that file, or NULL */
    struct cp_list sources, bases, diff_bases;
    const char *build_id, *comment, *symbolize;
    const char *tls_cert, *tls_key, *tls_ca;
    int seconds, timeout; /* for HTTP sources; -1 if not given */
    bool no_save;
    const char *http; /* listen address of the web page, or NULL */
    bool no_browser;
    bool all_frames, wants_help;
    bool is_shell;   /* set at the prompt: binary reports go to a file */
    unsigned values; /* bits (cp_flag_value_bit) of ignored shorthands */

    /* Options of jeprof (jeprof.h). */
    bool is_jeprof, is_interactive, wants_symbols, wants_stacks;
    bool wants_version, is_ignored;
    struct cp_legacy_heap_options heap; /* how to read heap dumps */

    /* State of the parser. */
    const char *format_name; /* flag that chose the format */
    const char *sort_name, *granularity_name;
};

/* Parses the command line. Returns CP_EUSAGE with *err set if it is invalid. */
enum cp_status cp_command_init(struct cp_command *c, int argc,
                               const char *const *argv, struct cp_error *err);

/* Parses a command line of jeprof. */
enum cp_status cp_command_init_jeprof(struct cp_command *c, int argc,
                                      const char *const *argv,
                                      struct cp_error *err);
void cp_command_release(struct cp_command *c);

struct cp_flag;

/*
 * Applies one option. The command borrows value, which must outlive it; value
 * is NULL for a switch without a value.
 */
enum cp_status cp_command_set(struct cp_command *c, const struct cp_flag *f,
                              const char *value, struct cp_error *err);

#endif
