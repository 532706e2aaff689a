/*
 * library - finds libcpprof.so beside the tool or in the lib folder of its
 * prefix.
 */
#ifndef CP_LIBRARY_H
#define CP_LIBRARY_H

#include "base/error.h"

#define CP_LIBRARY_PATH 4096

/*
 * Finds the library; `given` is the path of --library, or NULL. Returns an
 * absolute path.
 */
enum cp_status cp_library_find(char out[CP_LIBRARY_PATH], const char *given,
                               struct cp_error *err);

#endif
