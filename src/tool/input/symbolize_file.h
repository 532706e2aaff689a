/* symbolize_file - adds names and lines from the files that mappings name. */
#ifndef CP_SYMBOLIZE_FILE_H
#define CP_SYMBOLIZE_FILE_H

#include "base/error.h"
#include "base/warn.h"

struct cp_line_adder;
struct cp_symbolize_mode;

/*
 * Symbolizes every mapping that has no symbols yet. Reports missing and
 * mismatched files to `warn`.
 */
enum cp_status cp_symbolize_files(struct cp_line_adder *a,
                                  const struct cp_symbolize_mode *mode,
                                  cp_warn warn, void *context,
                                  struct cp_error *err);

#endif
