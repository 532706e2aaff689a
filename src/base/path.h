/* path - paths with the rules of Go's path/filepath. */
#ifndef CP_PATH_H
#define CP_PATH_H

#include <stddef.h>

#include "base/strtab.h"

/*
 * Writes the shortest equivalent path: no "." elements, no "x/..", single
 * slashes. `out` has len + 2 bytes; returns the length without NUL. An empty
 * path becomes ".".
 */
size_t cp_path_clean(const char *path, size_t len, char *out);

/* Returns the last element: "." for "", "/" for a path of slashes. */
struct cp_str cp_path_base(struct cp_str path);

/*
 * Returns the name of a file in source views: the path without a prefix from
 * trim_path (separated by colons) or, if that is empty, without the part before
 * the last element of a directory of search_path. Points into the argument.
 */
struct cp_str cp_path_trim(struct cp_str path, const char *trim_path,
                           const char *search_path);

#endif
