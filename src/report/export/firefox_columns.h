/*
 * firefox_columns - writes the tables of a thread as JSON, one array per
 * column.
 *
 * Each frame has its own function. The string table holds the names of the
 * frames, then their files, then the libraries. So a string's index is its row
 * plus the sizes of the parts before it.
 */
#ifndef CP_FIREFOX_COLUMNS_H
#define CP_FIREFOX_COLUMNS_H

#include "base/error.h"

struct cp_firefox_libs;
struct cp_firefox_tables;
struct cp_out;

/* Writes members of the thread's object, each with a leading comma. */
enum cp_status cp_firefox_columns_write(const struct cp_firefox_tables *tables,
                                        const struct cp_firefox_libs *libs,
                                        struct cp_out *out,
                                        struct cp_error *err);

#endif
