/* short_name - function names short enough for a picture. */
#ifndef CP_SHORT_NAME_H
#define CP_SHORT_NAME_H

#include "base/strtab.h"

struct cp_arena;
struct cp_error;

/*
 * Drops what tells least: the import path of a Go function, the package of a
 * Java method, the namespaces before a C++ class. Other names stay whole.
 * Borrowed from `name` or from the arena; ptr is NULL when memory runs out.
 */
struct cp_str cp_short_name(struct cp_str name, struct cp_arena *arena,
                            struct cp_error *err);

#endif
