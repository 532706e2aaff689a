/*
 * gather - what all readers of this folder put their samples into.
 *
 * Frames become locations, each once. Stacks become nodes of one tree, so a
 * reader that walks (events, stack tables, call trees) pays for a step and
 * not for a stack, and stacks share what they share in the file. Values are
 * added up by stack, labels and column. cp_gather_take makes a profile of it.
 *
 * Every function that can fail sets *err; those that return an index return
 * CP_NONE then. Text that is not UTF-8 gets U+FFFD for what is wrong, because
 * a profile must hold UTF-8.
 */
#ifndef CP_GATHER_H
#define CP_GATHER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/table.h"
#include "base/text_lines.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"

/* No file measures more different things than this. */
#define CP_GATHER_COLUMNS 64

/* The node above all roots: an empty stack. */
#define CP_GATHER_ROOT 0

struct cp_gather_node;
struct cp_gather_row;
struct cp_gather_cell;

struct cp_gather {
    struct cp_builder b;
    struct cp_table functions, locations, mappings, nodes_by_key, rows_by_key;
    struct cp_gather_node *nodes;
    size_t cap_nodes;
    uint32_t n_nodes;
    struct cp_gather_row *rows;
    size_t cap_rows;
    uint32_t n_rows;
    struct cp_gather_cell *cells;
    size_t cap_cells;
    uint32_t n_cells;
    struct cp_value_type columns[CP_GATHER_COLUMNS];
    uint32_t n_columns;
    uint64_t most_frames; /* of all stacks together */
    char *scratch;
    size_t cap_scratch;
};

/*
 * Starts on a file of that many bytes, which limits what its stacks may come
 * to when they are written out: a chain of n calls with a sample in each is
 * n * n / 2 frames.
 */
enum cp_status cp_gather_init(struct cp_gather *g, size_t input_bytes,
                              struct cp_error *err);
void cp_gather_release(struct cp_gather *g);

/* Interns text, which is made UTF-8 first. */
uint32_t cp_gather_str(struct cp_gather *g, struct cp_text text,
                       struct cp_error *err);

/* A column of values. Equal ones are one. */
uint32_t cp_gather_column(struct cp_gather *g, struct cp_text type,
                          const char *unit, struct cp_error *err);

/* Has reports show this column where the user does not choose. */
void cp_gather_prefer(struct cp_gather *g, uint32_t column);

/* The mapping of that file and build id (may be empty), added if new. */
uint32_t cp_gather_mapping(struct cp_gather *g, struct cp_text file,
                           struct cp_text build_id, struct cp_error *err);

/* A function of that name, file and first line, added if new. */
uint32_t cp_gather_function(struct cp_gather *g, struct cp_text name,
                            struct cp_text file, int64_t start_line,
                            struct cp_error *err);

/* A place in the code. */
struct cp_gather_frame {
    uint32_t function; /* CP_NONE: only the address is known */
    uint32_t mapping;  /* CP_NONE: not known */
    uint64_t address;  /* 0: not known */
    int64_t line, column;
};

/* The location of that frame, added if new. */
uint32_t cp_gather_frame(struct cp_gather *g, const struct cp_gather_frame *f,
                         struct cp_error *err);

/* The location of a function that only has a name. */
uint32_t cp_gather_named(struct cp_gather *g, struct cp_text name,
                         struct cp_error *err);

/* The stack that a call of `location` from the stack `parent` makes. */
uint32_t cp_gather_call(struct cp_gather *g, uint32_t parent, uint32_t location,
                        struct cp_error *err);

/*
 * A stack with labels, to add values to. Rows become samples in the order in
 * which they were first asked for.
 */
uint32_t cp_gather_row(struct cp_gather *g, uint32_t node, uint32_t label_set,
                       struct cp_error *err);

/* Adds to a value of a row; fractions are rounded once, at the end. */
enum cp_status cp_gather_add(struct cp_gather *g, uint32_t row, uint32_t column,
                             int64_t value, struct cp_error *err);
enum cp_status cp_gather_add_real(struct cp_gather *g, uint32_t row,
                                  uint32_t column, double value,
                                  struct cp_error *err);

/* The profile; g is empty afterwards, whatever the outcome. */
struct cp_profile *cp_gather_take(struct cp_gather *g, struct cp_error *err);

#endif
