/*
 * firefox_columns - the tables of a thread as JSON, a list for each column.
 *
 * A frame has a function of its own, and three kinds of strings follow each
 * other: the names of the frames, their files, the libraries. So a string's
 * number is that of its row, and what comes before it.
 */
#ifndef CP_FIREFOX_COLUMNS_H
#define CP_FIREFOX_COLUMNS_H

#include "base/error.h"

struct cp_firefox_libs;
struct cp_firefox_tables;
struct cp_out;

/* Writes members of the thread's object, each with a comma before it. */
enum cp_status cp_firefox_columns_write(const struct cp_firefox_tables *tables,
                                        const struct cp_firefox_libs *libs,
                                        struct cp_out *out,
                                        struct cp_error *err);

#endif
