/*
 * symbolized - profiles that bring the names of their addresses along.
 *
 *   --- symbol
 *   binary=/usr/bin/server
 *   0x00005608a63ec186 make_small<0000000000001179>
 *   0x00005608a63ec22a inner--outer
 *   ---
 *   --- heap                     or profile, growth, contention ...
 *   the profile as the program wrote it
 *
 * jeprof and the Perl pprof write these with --raw and read them without the
 * binary. "--" stands between inlined functions, innermost first; what is in
 * angle brackets at the end is the address of the symbol.
 */
#ifndef CP_SYMBOLIZED_H
#define CP_SYMBOLIZED_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text_lines.h"

struct cp_profile;

/*
 * If *rest begins with names, leaves the profile behind them in it, puts the
 * lines of names into *names and returns true. Else nothing is changed.
 */
bool cp_symbolized_split(struct cp_text *rest, struct cp_text *names);

/* Gives locations without names those of the text. */
enum cp_status cp_symbolized_name(struct cp_profile *p, struct cp_text names,
                                  struct cp_error *err);

#endif
