/* jeprof_symbols - jeprof's --symbols: names for addresses. */
#ifndef CP_JEPROF_SYMBOLS_H
#define CP_JEPROF_SYMBOLS_H

#include "base/error.h"

struct cp_command;

/*
 * Reads lines of a memory map and addresses from standard input and prints
 * the name of each address, or the address itself, a line each.
 */
enum cp_status cp_jeprof_symbols(const struct cp_command *c,
                                 struct cp_error *err);

#endif
