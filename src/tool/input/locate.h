/*
 * locate - the files that a profile's mappings name, found on this machine.
 *
 * PPROF_BINARY_PATH lists the folders to look in, $HOME/pprof/binaries unless
 * it is set. In each, for a mapping of file /path/base with build id abcdef:
 *
 *   abcdef/base, abcdef/(any), path/abcdef, ab/cdef.debug,
 *   base, path, path.debug, path's folder/.debug/base.debug,
 *   usr/lib/debug/path's folder/base.debug
 */
#ifndef CP_LOCATE_H
#define CP_LOCATE_H

#include "base/error.h"
#include "base/warn.h"

struct cp_profile;

/*
 * Gives each mapping the name of the first such file that is an ELF file and
 * has the mapping's build id, if the mapping has one. Others keep the name
 * that they have. Files with another build id are told to `warn`.
 */
enum cp_status cp_locate_binaries(struct cp_profile *p, cp_warn warn,
                                  void *context, struct cp_error *err);

#endif
