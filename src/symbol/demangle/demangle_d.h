/* demangle_d - demangles names of the D language, for the tool. */
#ifndef CP_DEMANGLE_D_H
#define CP_DEMANGLE_D_H

#include <stdbool.h>
#include <stddef.h>

#include "symbol/demangle/demangle.h"

/* Like cp_demangle, for names that begin with _D. It allocates. */
bool cp_demangle_d(const char *name, enum cp_demangle_mode mode, char *out,
                   size_t cap);

#endif
