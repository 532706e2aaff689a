/* simple_name - a function's name without its arguments. */
#ifndef CP_SIMPLE_NAME_H
#define CP_SIMPLE_NAME_H

#include "base/strtab.h"

/*
 * Removes one leading '.', and everything from the first '(' that is neither
 * "(anonymous namespace)" nor part of "operator()". The result points into the
 * argument and has no terminating NUL.
 */
struct cp_str cp_simple_name(struct cp_str name);

#endif
