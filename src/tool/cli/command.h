/*
 * command - the command line of pprof, understood.
 *
 *   pprof [format] [options] [binary] source...
 *
 * One or two dashes, -name=value or -name value, booleans alone or with
 * =value. Options may stand before, between and after the sources; -- ends
 * them; - is standard input.
 */
#ifndef CP_COMMAND_H
#define CP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "profile/legacy/heap_values.h"
#include "report/core/options.h"
#include "report/picture/picture.h"

/* What becomes of a report. */
enum cp_product {
    CP_PRODUCT_TEXT,    /* goes to standard output */
    CP_PRODUCT_FILE,    /* goes to a file when that is a terminal */
    CP_PRODUCT_PICTURE, /* the same, after graphviz has drawn it */
};

struct cp_list {
    const char **items;
    size_t n, cap;
};

/* Starts with cp_command_init. */
struct cp_command {
    struct cp_options options;
    enum cp_product product;
    enum cp_picture picture;
    const char *suffix; /* of a file that the tool names itself */
    const char *viewer; /* shows that file; NULL for none */
    struct cp_list sources, bases, diff_bases;
    const char *build_id, *comment, *symbolize;
    const char *tls_cert, *tls_key, *tls_ca;
    int seconds, timeout; /* for fetching; -1 when not given */
    bool no_save;
    const char *http; /* where to serve the page; NULL: nowhere */
    bool no_browser;
    bool all_frames, wants_help;
    bool is_shell;   /* at the prompt: files instead of bytes on the screen */
    unsigned values; /* short names for a sample_index that are ignored */

    /* Of jeprof, see jeprof.h. */
    bool is_jeprof, is_interactive, wants_symbols, wants_stacks;
    bool wants_version, is_ignored;
    struct cp_legacy_heap_options heap; /* how dumps are read */

    /* While reading. */
    const char *format_name; /* the flag that chose the format */
    const char *sort_name, *granularity_name;
};

/* Reads the command line. CP_EUSAGE with *err set when it makes no sense. */
enum cp_status cp_command_init(struct cp_command *c, int argc,
                               const char *const *argv, struct cp_error *err);

/* The same for the command line of jeprof. */
enum cp_status cp_command_init_jeprof(struct cp_command *c, int argc,
                                      const char *const *argv,
                                      struct cp_error *err);
void cp_command_release(struct cp_command *c);

struct cp_flag;

/*
 * Applies one option. value is borrowed for as long as the command lives;
 * NULL for a switch without one.
 */
enum cp_status cp_command_set(struct cp_command *c, const struct cp_flag *f,
                              const char *value, struct cp_error *err);

#endif
