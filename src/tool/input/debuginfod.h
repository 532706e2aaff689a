/*
 * debuginfod - fetches debug files from the servers in DEBUGINFOD_URLS.
 *
 * It shares the cache of other debuginfod clients, $DEBUGINFOD_CACHE_PATH or
 * ~/.cache/debuginfod_client, where the file is <build id>/debuginfo. An empty
 * file there records for ten minutes that no server has it.
 */
#ifndef CP_DEBUGINFOD_H
#define CP_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/warn.h"

/*
 * Finds the debug file of a build id (hexadecimal) and writes its path to out.
 * `name` is the binary, for messages. Returns false if no server has the file,
 * or if no server is configured.
 */
bool cp_debuginfod_find(const char *build_id, const char *name, char *out,
                        size_t cap, cp_warn warn, void *context);

#endif
