/*
 * leak_kind - the "leak" profile: blocks that leak.h finds unreachable, as
 * leak_objects and leak_space.
 */
#ifndef CP_LEAK_KIND_H
#define CP_LEAK_KIND_H

#include "runtime/kind/kind.h"

extern const struct cp_kind cp_leak_kind;

#endif
