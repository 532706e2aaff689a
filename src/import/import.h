/*
 * import - profiles of other tools, told apart by their content.
 *
 * Folded stacks, perf script, callgrind, speedscope, Firefox and V8; and for
 * some files that are no profile, what they are and what opens them. For the
 * tool, which hands it to cp_load_as; the runtime library does without.
 */
#ifndef CP_IMPORT_H
#define CP_IMPORT_H

#include <stddef.h>

struct cp_error;
struct cp_profile;

/* Reads unpacked bytes; a cp_load_reader. */
struct cp_profile *cp_import_read(const char *bytes, size_t len,
                                  struct cp_error *err);

#endif
