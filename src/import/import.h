/*
 * import - reads profiles of other tools, detected by their content.
 *
 * Folded stacks, perf script, callgrind, speedscope, Firefox and V8. For some
 * other files the error message names the format and the program that opens it.
 * Only the tool uses it, as the fallback of cp_load_as.
 */
#ifndef CP_IMPORT_H
#define CP_IMPORT_H

#include <stddef.h>

struct cp_error;
struct cp_profile;

/* Reads decompressed bytes; a cp_load_reader. */
struct cp_profile *cp_import_read(const char *bytes, size_t len,
                                  struct cp_error *err);

#endif
