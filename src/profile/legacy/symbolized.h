/*
 * symbolized - profiles that contain the names of their addresses.
 *
 *   --- symbol
 *   binary=/usr/bin/server
 *   0x00005608a63ec186 make_small<0000000000001179>
 *   0x00005608a63ec22a inner--outer
 *   ---
 *   --- heap                     or profile, growth, contention ...
 *   the profile as the program wrote it
 *
 * jeprof and the Perl pprof write these files with --raw and read them without
 * the binary. "--" separates inlined functions, innermost first. The number in
 * angle brackets is the address of the symbol.
 */
#ifndef CP_SYMBOLIZED_H
#define CP_SYMBOLIZED_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text_lines.h"

struct cp_profile;

/*
 * If *rest begins with names, sets *names to their lines and *rest to the
 * profile behind them, and returns true. Otherwise changes nothing.
 */
bool cp_symbolized_split(struct cp_text *rest, struct cp_text *names);

/* Names the locations that have no names yet. */
enum cp_status cp_symbolized_name(struct cp_profile *p, struct cp_text names,
                                  struct cp_error *err);

#endif
