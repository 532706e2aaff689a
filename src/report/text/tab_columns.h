/*
 * tab_columns - text with tabs, laid out in columns as Go's text/tabwriter
 * does when it aligns to the right.
 *
 * A tab ends a cell, and what follows the last tab of a line belongs to no
 * column. A column is as wide as the widest of its cells and a space, but goes
 * only as far as the lines that follow each other all have a cell in it: a
 * label of several lines begins new ones. Used by the report "tags".
 */
#ifndef CP_TAB_COLUMNS_H
#define CP_TAB_COLUMNS_H

#include <stddef.h>

#include "base/error.h"

struct cp_out;

/* Writes len bytes of text to `out`; fails only for lack of memory. */
enum cp_status cp_tab_columns_write(const char *text, size_t len,
                                    struct cp_out *out, struct cp_error *err);

#endif
