/*
 * gather - collects the samples of a foreign profile.
 *
 * Equal frames become one location. Stacks are nodes of one tree, so a reader
 * of events, stack tables or call trees pays per step, not per stack. Values
 * are added up by stack, labels and column. cp_gather_take builds the profile.
 *
 * A function that fails sets *err; one that returns an index then returns
 * CP_NONE. Invalid UTF-8 is replaced by U+FFFD, because a profile must contain
 * UTF-8.
 */
#ifndef CP_GATHER_H
#define CP_GATHER_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "base/text_lines.h"
#include "profile/model/build.h"

/* Maximum number of columns. */
#define CP_GATHER_COLUMNS 64

/* The parent of all roots: the empty stack. */
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
    uint64_t max_frames; /* maximum frames of all stacks together */
    char *scratch;
    size_t cap_scratch;
};

/*
 * Starts a file of input_bytes bytes. The size limits the expanded stacks: a
 * chain of n calls with a sample in each has n * n / 2 frames.
 */
enum cp_status cp_gather_init(struct cp_gather *g, size_t input_bytes,
                              struct cp_error *err);
void cp_gather_release(struct cp_gather *g);

/* Interns a string; replaces invalid UTF-8. */
uint32_t cp_gather_str(struct cp_gather *g, struct cp_text text,
                       struct cp_error *err);

/* Returns the column of this type and unit, added if new. */
uint32_t cp_gather_column(struct cp_gather *g, struct cp_text type,
                          const char *unit, struct cp_error *err);

/* Makes the column the default of reports. */
void cp_gather_prefer(struct cp_gather *g, uint32_t column);

/*
 * Returns the mapping of this file and build id (may be empty), added if new.
 */
uint32_t cp_gather_mapping(struct cp_gather *g, struct cp_text file,
                           struct cp_text build_id, struct cp_error *err);

/* Returns the function with this name, file and first line, added if new. */
uint32_t cp_gather_function(struct cp_gather *g, struct cp_text name,
                            struct cp_text file, int64_t start_line,
                            struct cp_error *err);

/* A code position. */
struct cp_gather_frame {
    uint32_t function; /* CP_NONE if only the address is known */
    uint32_t mapping;  /* CP_NONE if unknown */
    uint64_t address;  /* 0 if unknown */
    int64_t line, column;
};

/* Returns the location of a frame, added if new. */
uint32_t cp_gather_frame(struct cp_gather *g, const struct cp_gather_frame *f,
                         struct cp_error *err);

/* Returns the location of a function of which only the name is known. */
uint32_t cp_gather_named(struct cp_gather *g, struct cp_text name,
                         struct cp_error *err);

/* Returns the stack of a call of `location` from the stack `parent`. */
uint32_t cp_gather_call(struct cp_gather *g, uint32_t parent, uint32_t location,
                        struct cp_error *err);

/*
 * Returns the row of a stack with labels, added if new. Rows become samples in
 * the order of their creation.
 */
uint32_t cp_gather_row(struct cp_gather *g, uint32_t node, uint32_t label_set,
                       struct cp_error *err);

/* Adds to a value of a row; fractions are rounded once, at the end. */
enum cp_status cp_gather_add(struct cp_gather *g, uint32_t row, uint32_t column,
                             int64_t value, struct cp_error *err);
enum cp_status cp_gather_add_real(struct cp_gather *g, uint32_t row,
                                  uint32_t column, double value,
                                  struct cp_error *err);

/* Returns the profile; g is empty afterwards, even on failure. */
struct cp_profile *cp_gather_take(struct cp_gather *g, struct cp_error *err);

#endif
