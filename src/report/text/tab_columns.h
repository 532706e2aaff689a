/*
 * tab_columns - lays out text with tabs in columns, like Go's text/tabwriter
 * with right alignment.
 *
 * A tab ends a cell; text after the last tab of a line is in no column. A
 * column is as wide as its widest cell plus a space. It covers only consecutive
 * lines that have a cell in it, so a label with several lines starts new
 * columns. Used by the report "tags".
 */
#ifndef CP_TAB_COLUMNS_H
#define CP_TAB_COLUMNS_H

#include <stddef.h>

#include "base/error.h"

struct cp_out;

/* Writes len bytes of text to `out`; fails only if memory is exhausted. */
enum cp_status cp_tab_columns_write(const char *text, size_t len,
                                    struct cp_out *out, struct cp_error *err);

#endif
