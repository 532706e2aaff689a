/* short_name - function names short enough for a picture. */
#ifndef CP_SHORT_NAME_H
#define CP_SHORT_NAME_H

#include "base/strtab.h"

struct cp_arena;
struct cp_error;

/*
 * Removes the import path of a Go function, the package of a Java method, or
 * the namespaces before a C++ class. Other names stay complete. The result
 * points into `name` or the arena; ptr is NULL if memory is exhausted.
 */
struct cp_str cp_short_name(struct cp_str name, struct cp_arena *arena,
                            struct cp_error *err);

#endif
