/*
 * locate - finds the files that a profile's mappings name on this machine.
 *
 * PPROF_BINARY_PATH lists the directories to search; the default is
 * $HOME/pprof/binaries. For a mapping of /path/base with build id abcdef, it
 * tries in each directory:
 *
 *   abcdef/base, abcdef/(any), path/abcdef, ab/cdef.debug,
 *   base, path, path.debug, path's directory/.debug/base.debug,
 *   usr/lib/debug/path's directory/base.debug
 */
#ifndef CP_LOCATE_H
#define CP_LOCATE_H

#include "base/error.h"
#include "base/warn.h"

struct cp_profile;

/*
 * Sets each mapping's file to the first candidate that is an ELF file and has
 * the mapping's build id, if the mapping has one. Other mappings keep their
 * file. Reports candidates with a different build id to `warn`.
 */
enum cp_status cp_locate_binaries(struct cp_profile *p, cp_warn warn,
                                  void *context, struct cp_error *err);

#endif
