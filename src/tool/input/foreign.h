/*
 * foreign - reads profiles of other tools, for cp_load_as.
 *
 * It reads the formats of import/import.h, and perf.data by running perf.
 */
#ifndef CP_FOREIGN_H
#define CP_FOREIGN_H

#include <stddef.h>

struct cp_error;
struct cp_profile;

/* Reads a foreign profile format; a cp_load_reader. */
struct cp_profile *cp_foreign_read(const char *bytes, size_t len,
                                   struct cp_error *err);

#endif
