/* simple_name - a function's name without its arguments. */
#ifndef CP_SIMPLE_NAME_H
#define CP_SIMPLE_NAME_H

#include "base/strtab.h"

/*
 * Drops one leading '.', and everything from the first '(' that is neither
 * "(anonymous namespace)" nor the end of "operator()". A part of the
 * argument, so not closed by a NUL.
 */
struct cp_str cp_simple_name(struct cp_str name);

#endif
