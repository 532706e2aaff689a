/*
 * library - where libcpprof.so is: beside the tool, or in the library folder
 * that belongs to the tool's.
 */
#ifndef CP_LIBRARY_H
#define CP_LIBRARY_H

#include "base/error.h"

#define CP_LIBRARY_PATH 4096

/* `given` is what the user says, or NULL. The path is absolute. */
enum cp_status cp_library_find(char out[CP_LIBRARY_PATH], const char *given,
                               struct cp_error *err);

#endif
