/*
 * debuginfod - debug files from the servers that DEBUGINFOD_URLS lists.
 *
 * Kept where other programs keep them, $DEBUGINFOD_CACHE_PATH or
 * ~/.cache/debuginfod_client, as <build id>/debuginfo. That no server has a
 * file is kept as well, for ten minutes, as an empty file.
 */
#ifndef CP_DEBUGINFOD_H
#define CP_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/warn.h"

/*
 * Finds the debug file of a build id (hexadecimal) and writes its path to
 * out. `name` is what it is for, to be told. False if there is none or none
 * is to be asked for.
 */
bool cp_debuginfod_find(const char *build_id, const char *name, char *out,
                        size_t cap, cp_warn warn, void *context);

#endif
