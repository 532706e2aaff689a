/* path - file names as Go's path/filepath sees them. */
#ifndef CP_PATH_H
#define CP_PATH_H

#include <stddef.h>

#include "base/strtab.h"

/*
 * The shortest equal name: no "." elements, no "x/..", single slashes. `out`
 * has room for len + 2 bytes; returns how many are used, without NUL. An
 * empty name becomes ".".
 */
size_t cp_path_clean(const char *path, size_t len, char *out);

/* The last element: "." for "", "/" for nothing but slashes. */
struct cp_str cp_path_base(struct cp_str path);

/*
 * What source views call a file: the path less what trim_path (a list with
 * colons) or, without one, the last element of a directory of search_path
 * tells to cut. A part of the argument.
 */
struct cp_str cp_path_trim(struct cp_str path, const char *trim_path,
                           const char *search_path);

#endif
